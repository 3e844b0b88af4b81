"""Rows as tab-separated text, the one format that MySQL's LOAD DATA and PostgreSQL's COPY both read by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

ROWS = 20_000  # of a piece: some ten megabytes


def text_pieces(part: pa.Table) -> Iterator[bytes]:
    r"""Yield rows as lines: NULL is ``\N``; backslash, tab and line ends are escaped.

    Parameters
    ----------
    part : pyarrow.Table
        With at least one column.
    """
    for start in range(0, part.num_rows, ROWS):
        yield _lines(part.slice(start, ROWS))


def _lines(part: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.compute as pc

    tab, end = pa.scalar("\t", pa.large_string()), pa.scalar("\n", pa.large_string())
    lines = pc.binary_join_element_wise(*(_text(column.combine_chunks()) for column in part.columns), tab)
    whole = pa.LargeListArray.from_arrays(pa.array([0, len(lines)], pa.int64()), lines)
    return f"{pc.binary_join(whole, end)[0].as_py()}\n".encode()


def _text(column: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = column.cast(pa.large_string())
    if pa.types.is_string(column.type):
        for found, escaped in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
            text = pc.replace_substring(text, found, escaped)
    return pc.fill_null(text, "\\N")
