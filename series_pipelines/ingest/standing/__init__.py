"""How things stand: what waits where, what series cover, how late they are."""
