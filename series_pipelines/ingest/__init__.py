"""The heart: what there is, what is due, what an answer means, how it is stored and proven."""
