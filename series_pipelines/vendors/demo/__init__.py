"""Two vendors that live inside the process, need no network, and give believable prices."""
