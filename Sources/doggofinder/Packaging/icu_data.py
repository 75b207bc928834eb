#!/usr/bin/env python3
"""Makes a library of ICU with data of the languages that the program speaks: icu_data.py ARCHIVE

Foundation, linked statically, contains 34 MB of ICU data for several hundred languages, in one member of its library of
ICU. The made library is a copy in which that member is smaller. ICU falls back to its root language for what is missing,
as it does for a language that it does not know.

ICU's data package is a header, a table of contents (a count, and for each item the offsets of its name and of its data
from the beginning of the table), the names, and the data, each item at a multiple of 16 bytes.
"""

import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

# A folder of the languages can be of one country, such as pt-BR.
LANGUAGES = {
    path.parent.name.split("-")[0]
    for path in (Path(__file__).resolve().parents[2] / "Domain/Languages").glob("*/language.json")
}
LOCALE = re.compile(r"(?:[a-z]+/)?([a-z]{2,3})(?:_\w+)?\.res")
# Larger converters are those of East Asian encodings, which no reader of files here understands.
MAX_CONVERTER_BYTES = 10_000
MEMBER = "icu_packaged_data.cpp.o"
ALIGNMENT = 16


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    output = Path(sys.argv[1])
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        library, member = Path(folder) / output.name, Path(folder) / MEMBER
        shutil.copyfile(archive(), library)
        run("ar", "x", "--output", folder, str(library), MEMBER)
        member.write_bytes(smaller(member))
        run("ar", "r", str(library), str(member))
        shutil.move(library, output)


def smaller(member: Path) -> bytes:
    """Returns an object file that defines the symbol of the member, with the items that are needed."""
    symbol, = re.findall(r" R (\w+)", run("nm", str(member)).decode())
    data, source, made = (member.with_suffix(suffix) for suffix in (".data", ".s", ".made"))
    run("objcopy", "-O", "binary", "-j", ".rodata", str(member), str(data))
    data.write_bytes(repacked(data.read_bytes()))
    source.write_text(
        f'.section .rodata\n.balign {ALIGNMENT}\n.globl {symbol}\n{symbol}:\n.incbin "{data}"\n'
        '.section .note.GNU-stack,"",@progbits\n'
    )
    run("as", "-o", str(made), str(source))
    return made.read_bytes()


def run(*command: str) -> bytes:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def archive() -> Path:
    """Foundation's static library of ICU."""
    told = json.loads(run("swiftc", "-print-target-info", "-static-stdlib"))
    return Path(told["paths"]["runtimeResourcePath"]) / "linux/lib_FoundationICU.a"


def repacked(package: bytes) -> bytes:
    """Returns the package with the needed items."""
    # udata.h: the length of the header, the magic number, and from the 12th byte the format.
    table, magic = struct.unpack_from("<H2s", package)
    if magic != b"\xda\x27" or package[12:16] != b"CmnD":
        raise SystemExit("expected a package of ICU data")
    items = [(name, data) for name, data in contents(package, table) if is_needed(name.split(b"/", 1)[1].decode(), len(data))]
    names = b"".join(name + b"\0" for name, _ in items)
    # The header and the table of contents, whose offsets count from its beginning.
    name_offset = 4 + 8 * len(items)
    data_offset = aligned(table + name_offset + len(names)) - table
    entries, data = [], bytearray()
    for name, bytes_of in items:
        entries.append(struct.pack("<II", name_offset, data_offset + len(data)))
        name_offset += len(name) + 1
        data += bytes_of + bytes(aligned(len(bytes_of)) - len(bytes_of))
    head = package[:table] + struct.pack("<I", len(items)) + b"".join(entries) + names
    return head + bytes(aligned(len(head)) - len(head)) + data


def contents(package: bytes, table: int) -> list[tuple[bytes, bytes]]:
    """The names and the data of all items, in the order of the names."""
    count = struct.unpack_from("<I", package, table)[0]
    items = [struct.unpack_from("<II", package, table + 4 + 8 * number) for number in range(count)]
    ends = [offset for _, offset in items[1:]] + [len(package) - table]
    return [
        (package[table + name:package.index(0, table + name)], package[table + offset:table + end])
        for (name, offset), end in zip(items, ends)
    ]


def aligned(length: int) -> int:
    return -(-length // ALIGNMENT) * ALIGNMENT


def is_needed(name: str, size: int) -> bool:
    if name.endswith(".cnv"):
        return size <= MAX_CONVERTER_BYTES
    if name.endswith(".dict"):
        return False
    locale = LOCALE.fullmatch(name)
    return locale is None or locale.group(1) in LANGUAGES


if __name__ == "__main__":
    main()
