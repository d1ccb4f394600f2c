"""Decides what is due and which request serves it; pure but for its reads."""
