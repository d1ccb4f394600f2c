"""One capability's worker for one shift."""
