"""The folder in which one machine's embedded Postgres and Dagster keep their files: nobody else's business.

Its files are closed each on its own as well. Root's folder stays searchable, because its Postgres is another user.
"""

import os
import stat
from pathlib import Path
from typing import Final

OURS: Final = ("postgres", "dagster", "dev.", "demo_epoch")


def make_home(home: Path) -> None:
    """Make the folder closed to others, or close it: one that an older version made was open to all."""
    is_root = os.geteuid() == 0
    if is_root:
        make_searchable_folder(home)
    else:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = home.stat()
    # A folder that holds other things too is somebody's own, and keeps what they gave it.
    if status.st_uid == os.geteuid() and all(name.startswith(OURS) for name in os.listdir(home)):
        mode = stat.S_IMODE(status.st_mode)
        closed = mode & ~(0o066 if is_root else 0o077)
        if closed != mode:
            home.chmod(closed)


def make_searchable_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, through which others may pass without a look around."""
    for place in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        try:
            place.mkdir(mode=0o711)
        except FileExistsError:
            continue
        place.chmod(0o711)
