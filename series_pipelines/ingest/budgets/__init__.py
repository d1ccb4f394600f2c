"""Turns at vendors, shared by all processes."""
