"""Postgres: one module per query file, the connection comes first, the use case opens the transaction."""
