"""Takes plain values out of what a vendor gave: of exact types, printable, bounded; anything else is an InvalidInput.

What a vendor gives may be of a class of its own, whose methods do anything; what leaves here is Python's own.
"""

import re
from typing import Final

from series_pipelines.core.text import clean_text, describe_error, show_value
from series_pipelines.errors import InvalidInput, SeriesError

LONGEST_TEXT: Final = 200
_DECIMAL: Final = re.compile(r"[0-9]{1,60}(?:\.[0-9]{1,60})?(?:[eE][+-]?[0-9]{1,2})?")


def take_text(value: object, what: str, longest: int = LONGEST_TEXT) -> str:
    """Return a printable text of at most so many characters."""
    if not isinstance(value, str):
        raise InvalidInput(f"{what} must be a text, not {show_value(value)}")
    # Joining makes a plain text of a subclass.
    text = value if type(value) is str else "".join([value])
    if len(text) > longest:
        raise InvalidInput(f"{what} has {len(text)} characters, more than {longest}: {show_value(text)}")
    # Postgres stores neither NUL nor half a surrogate pair, and a terminal obeys escape codes.
    if not text.isprintable():
        raise InvalidInput(f"{what} holds a character that can't be printed: {show_value(text)}")
    return text


def take_whole(value: object, what: str, least: int, most: int) -> int:
    """Return a whole number within bounds."""
    if type(value) is not int or not least <= value <= most:
        raise InvalidInput(f"{what} must be a whole number from {least} to {most}, not {show_value(value)}")
    return value


def take_flag(value: object, what: str) -> bool:
    """Return True or False."""
    if type(value) is not bool:
        raise InvalidInput(f"{what} must be True or False, not {show_value(value)}")
    return value


def take_decimal(value: object, what: str) -> str:
    """Return a decimal of zero or more, as its text."""
    text = take_text(value, what)
    if _DECIMAL.fullmatch(text) is None:
        raise InvalidInput(f"{what} must be a decimal of zero or more, not {show_value(text)}")
    return text


def explain(error: BaseException) -> str:
    """Return why something of a vendor failed: one of our own errors speaks for itself, another one needs its name."""
    return clean_text(error) if isinstance(error, SeriesError) else describe_error(error)
