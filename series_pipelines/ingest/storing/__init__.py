"""Rows, ranges, evidence and states of a page, in one transaction."""
