"""Use cases: what the series are, what is due, and the lanes that fetch it."""
