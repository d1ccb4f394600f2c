"""Holds what is stored against what can be, and vendors against what they promise."""
