#!/usr/bin/env python3
"""Removes ICU's data of languages that the program does not speak from a program: trim_icu.py PROGRAM

Foundation, linked statically, contains 34 MB of ICU data for several hundred languages. The items that are not needed
are taken out of the table of contents, so that ICU falls back to its root language, as it does for a language that it
does not know. Their bytes become zeros: the file keeps its size, and the package becomes 7 MB smaller.
"""

import re
import struct
import sys
from pathlib import Path

LANGUAGES = {"en", "it"}
LOCALE = re.compile(r"(?:[a-z]+/)?([a-z]{2,3})(?:_\w+)?\.res")
# Larger converters are those of East Asian encodings, which no reader of files here understands.
MAX_CONVERTER_BYTES = 10_000


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    program = Path(sys.argv[1])
    data = bytearray(program.read_bytes())
    trim(data, contents(data))
    program.write_bytes(data)


def contents(data: bytearray) -> int:
    """Returns where the table of contents of ICU's only data package begins."""
    # udata.h: the length of the header, the magic number, and from the 12th byte the format.
    found = [
        match.start() - 2 for match in re.finditer(re.escape(b"\xda\x27"), data)
        if data[match.start() + 10:match.start() + 14] == b"CmnD"
    ]
    if len(found) != 1:
        raise SystemExit(f"expected one package of ICU data, found {len(found)}")
    return found[0] + struct.unpack_from("<H", data, found[0])[0]


def trim(data: bytearray, table: int) -> None:
    """Removes items from the table, which consists of a count and of pairs of offsets of a name and of data."""
    count = struct.unpack_from("<I", data, table)[0]
    items = [struct.unpack_from("<II", data, table + 4 + 8 * number) for number in range(count)]
    ends = [offset for _, offset in items[1:]] + [items[-1][1]]
    kept = []
    for (name, offset), end in zip(items, ends):
        text = data[table + name:data.index(0, table + name)].decode().split("/", 1)[1]
        if is_needed(text, end - offset):
            kept.append((name, offset))
        else:
            data[table + offset:table + end] = bytes(end - offset)
    struct.pack_into("<I", data, table, len(kept))
    for number, item in enumerate(kept):
        struct.pack_into("<II", data, table + 4 + 8 * number, *item)


def is_needed(name: str, size: int) -> bool:
    if name.endswith(".cnv"):
        return size <= MAX_CONVERTER_BYTES
    if name.endswith(".dict"):
        return False
    locale = LOCALE.fullmatch(name)
    return locale is None or locale.group(1) in LANGUAGES


if __name__ == "__main__":
    main()
