"""Makes text of anything that came from outside: printable, one line, short. Nothing here ever raises.

A value may refuse to be printed, hold half a surrogate pair, a NUL or a terminal's escape codes, or be twenty
megabytes long; what leaves here can be stored, shown and logged.
"""

import reprlib
from typing import Final

LONGEST_TEXT: Final = 300
LONGEST_VALUE: Final = 80

_CONTAINERS: Final = (list, tuple, dict, set, frozenset, str, bytes, bytearray)
_SHORTENED: Final = (list, tuple, dict, set, frozenset, str)

_repr = reprlib.Repr()
_repr.maxlevel = 3
_repr.maxlist = _repr.maxtuple = _repr.maxdict = _repr.maxset = _repr.maxfrozenset = _repr.maxdeque = 10
_repr.maxstring = _repr.maxother = _repr.maxlong = LONGEST_VALUE


def clean_text(value: object, most: int = LONGEST_TEXT) -> str:
    """Return a text, or what str() makes of a thing, as one printable line of at most so many characters."""
    try:
        # Joining makes a plain text of a subclass, whose own methods may do anything.
        text = "".join([value if isinstance(value, str) else str(value)])
    except BaseException:
        return name_type(value)
    # What is cut off need not be looked at; white space may shrink, so a little more is.
    visible = "".join(char if char.isprintable() else " " for char in text[: 4 * most])
    line = " ".join(visible.split())
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 1].rstrip()}…"


def show_value(value: object, most: int = LONGEST_VALUE) -> str:
    """Return what a value looks like, short; of one that can't be shown, or only whole, what it is."""
    try:
        # Of a class of its own, all that it holds would be written out before it is cut.
        is_large = isinstance(value, _CONTAINERS) and type(value) not in _SHORTENED
        shown = name_type(value) if is_large else _repr.repr(value)
    except BaseException:
        shown = name_type(value)
    return clean_text(shown, most)


def describe_error(error: BaseException) -> str:
    """Return an error of somebody else's code as one line: its name, and its text if it has one."""
    name, text = name_type(error), clean_text(error)
    return name if text in ("", name) else clean_text(f"{name}: {text}")


def name_type(value: object) -> str:
    """Return the name of a thing's type."""
    try:
        return clean_text(type(value).__name__, LONGEST_VALUE)
    except BaseException:
        return "something without a name"
