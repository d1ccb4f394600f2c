"""Where things are."""

from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).resolve().parents[2]
