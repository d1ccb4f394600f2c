"""The rows of a series as CSV, JSON or Parquet, from exported lines. Decimals stay as they are stored.

An exact Parquet file has one decimal type, whatever it holds: files of different series have one schema and can be
read as one dataset. What does not fit that type exactly is refused, never rounded.
"""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation
from typing import IO, TYPE_CHECKING, Any, Final

from series_pipelines.core.tables import TABLES
from series_pipelines.core.text import show_value
from series_pipelines.core.times import format_iso
from series_pipelines.errors import SeriesError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

FILE_FORMATS: Final = ("csv", "json", "parquet")
# The widest type that everything reads that reads Parquet, cut in the middle: no price needs more on either side.
DECIMAL_DIGITS: Final = 38
DECIMAL_SCALE: Final = 18
_QUANTUM: Final = Decimal(1).scaleb(-DECIMAL_SCALE)
_EXACTLY: Final = Context(prec=DECIMAL_DIGITS, traps=[Inexact, InvalidOperation])


def export_file(
    kind: str, table_name: str, header: bytes, lines: Iterable[bytes], exact: bool, file: IO[bytes]
) -> None:
    """Write exported lines as one of FILE_FORMATS; exact means Parquet with decimals instead of floats."""
    if kind == "parquet":
        _write_parquet(table_name, [header, *lines], exact, file)
    elif kind == "csv":
        file.write(header)
        file.writelines(f"{','.join(values)}\n".encode() for values in split_lines(header, lines, format_iso))
    else:
        _write_json(header, lines, file)


def _write_parquet(table_name: str, lines: Iterable[bytes], exact: bool, file: IO[bytes]) -> None:
    from series_pipelines.actions.frames import make_frame

    frame = make_frame(table_name, lines, exact=exact)
    schema = None
    if exact:
        for name in TABLES[table_name].values:
            frame[name] = _fit_decimals(frame[name])
        schema = _make_exact_schema(frame, TABLES[table_name].values)
    buffer = io.BytesIO()
    frame.to_parquet(buffer, schema=schema)
    file.write(buffer.getbuffer())


def _make_exact_schema(frame: "pd.DataFrame", values: Iterable[str]) -> "pa.Schema":
    import pyarrow as pa

    types = dict.fromkeys(values, pa.decimal128(DECIMAL_DIGITS, DECIMAL_SCALE))
    moment = pa.timestamp("us", tz="UTC")
    return pa.schema([(name, types.get(name, moment)) for name in (*frame.columns, frame.index.name)])


def _fit_decimals(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return the values with the scale of the file's type, each exactly as it was."""
    import pandas as pd

    fitted: list[Decimal | None] = []
    for moment, value in column.items():
        try:
            fitted.append(None if value is None else _fit_decimal(value))
        except DecimalException as error:
            whole = DECIMAL_DIGITS - DECIMAL_SCALE
            raise SeriesError(
                f"--exact Parquet holds {whole} digits before the point and {DECIMAL_SCALE} after it, and the "
                f"{column.name} at {moment:%Y-%m-%dT%H:%M:%SZ} is {show_value(value)}: csv and json hold any"
            ) from error
    return pd.Series(fitted, index=column.index, dtype=object)


def _fit_decimal(value: Decimal) -> Decimal:
    fitted = value.quantize(_QUANTUM, context=_EXACTLY)
    if not fitted.is_finite():
        raise InvalidOperation
    return fitted


def _write_json(header: bytes, lines: Iterable[bytes], file: IO[bytes]) -> None:
    names = split_line(header)
    before = "[\n"
    for values in split_lines(header, lines, format_iso):
        row = {name: value or None for name, value in zip(names, values, strict=True)}
        file.write(f"{before}{json.dumps(row)}".encode())
        before = ",\n"
    file.write(b"[]\n" if before == "[\n" else b"\n]\n")


def split_lines(header: bytes, lines: Iterable[bytes], show: Callable[[int], str]) -> Iterator[list[str]]:
    """Yield each exported line's values with its times made readable; numbers and times are never quoted."""
    times = count_times(header)
    for line in lines:
        values = split_line(line)
        values[:times] = [show(int(value)) for value in values[:times]]
        yield values


def count_times(header: bytes) -> int:
    """Return how many of the first columns are times."""
    return sum(name.endswith("_at") for name in split_line(header))


def split_line(line: bytes) -> list[str]:
    """Return the values of one exported line."""
    return line.decode().rstrip("\n").split(",")
