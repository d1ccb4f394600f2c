"""Attacks on Series Pipelines, kept as a program: vendors that lie, processes that are killed, and an oracle."""
