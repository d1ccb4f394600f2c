"""What the exit code says to a script. 130, 141 and 143 are what a shell says of SIGINT, SIGPIPE and SIGTERM."""

from typing import Final

DONE: Final = 0
FAILED: Final = 1
ASKED_WRONGLY: Final = 2
INTERRUPTED: Final = 130
NO_READER: Final = 141
TERMINATED: Final = 143
