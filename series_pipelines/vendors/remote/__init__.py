"""Vendors of other people, over HTTP."""
