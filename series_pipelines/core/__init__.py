"""The rules, pure: standard library only, no clock and no I/O. Times are UTC epoch milliseconds."""
