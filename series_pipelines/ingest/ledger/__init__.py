"""The cursor ledger: append-only events, forward-only values, and how they are checked."""
