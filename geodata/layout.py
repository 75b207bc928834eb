"""The container format of the binary tables and the words of the search index; README.md describes both."""

import math
import struct
import unicodedata
import zlib

MAGIC = b"DOGGOGEO"
VERSION = 1
LETTERS = str.maketrans({
    "æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ŀ": "l", "ł": "l", "ŋ": "n", "œ": "oe",
    "ŧ": "t", "ə": "e",
})
MODIFIER_LETTERS = range(0x2B0, 0x300)


def pack(sections):
    """Return a file with {tag: (record size, bytes)}; the sections are in the order of the dictionary."""
    offset = 16 + 24 * len(sections)
    table, body = b"", b""
    for tag, (size, data) in sections.items():
        assert len(data) % size == 0, tag
        padding = -(offset + len(body)) % 8
        body += b"\0" * padding
        table += struct.pack("<4sIQQ", tag.encode(), size, offset + len(body), len(data))
        body += data
    return MAGIC + struct.pack("<II", VERSION, len(sections)) + table + body


def read(path):
    """Return the sections of a file as {tag: (record size, bytes)}."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, count = struct.unpack_from("<8sII", data)
    assert (magic, version) == (MAGIC, VERSION), path
    entries = [struct.unpack_from("<4sIQQ", data, 16 + 24 * i) for i in range(count)]
    return {tag.decode(): (size, data[offset:offset + length]) for tag, size, offset, length in entries}


def stamp(gazetteer):
    """Return the section of points.bin that names the gazetteer.bin with these bytes."""
    return (8, struct.pack("<Q", zlib.crc32(gazetteer)))


def words(text):
    """Return the words under which a name is found; `SearchWords.swift` splits queries in the same way."""
    plain = unicodedata.normalize("NFKD", text.casefold()).casefold()
    plain = "".join(c for c in plain if not unicodedata.category(c).startswith("M") and ord(c) not in MODIFIER_LETTERS)
    plain = plain.translate(LETTERS)
    return "".join(c if c.isalnum() else " " for c in plain).split()


def vector(lat, lon):
    """Return a point on the unit sphere; chord lengths have the same order as great-circle distances everywhere."""
    phi, theta = math.radians(lat), math.radians(lon)
    return math.cos(phi) * math.cos(theta), math.cos(phi) * math.sin(theta), math.sin(phi)


def tree_order(vectors):
    """Return the k-d tree's order as [(index, split axis)]: the root of lo..<hi is at (lo + hi) / 2, the widest axis is
    split.
    """
    order = []

    def place(indices):
        if not indices:
            return
        spans = []
        for axis in range(len(vectors[0])):
            values = [vectors[i][axis] for i in indices]
            spans.append(max(values) - min(values))
        axis = spans.index(max(spans))
        indices.sort(key=lambda i: (vectors[i][axis], i))
        middle = len(indices) // 2
        place(indices[:middle])
        order.append((indices[middle], axis))
        place(indices[middle + 1:])

    place(list(range(len(vectors))))
    return order


def leaf_order(spots, most, scales):
    """Return the order of points in the leaves of a complete binary tree, and its splits as [(value, axis)] from node 1
    on.

    Leaf k of n holds the points from k * count // n on, at most `most` of them. The children of node i are 2 i and 2
    i + 1; points below the value are in the first, the others in the second. A node is split on the axis with the
    widest scaled span.
    """
    leaves = 1
    while leaves * most < len(spots):
        leaves *= 2
    splits = [(0, 0)] * leaves
    order = list(range(len(spots)))

    def split(node, low, high):
        if high - low < 2:
            return
        middle = (low + high) // 2
        start, centre, end = (k * len(spots) // leaves for k in (low, middle, high))
        part = order[start:end]
        spans = [(max(spots[i][axis] for i in part) - min(spots[i][axis] for i in part)) * scale
                 for axis, scale in enumerate(scales)]
        axis = spans.index(max(spans))
        part.sort(key=lambda i: (spots[i][axis], i))
        order[start:end] = part
        splits[node] = (spots[order[centre]][axis], axis)
        split(2 * node, low, middle)
        split(2 * node + 1, middle, high)

    split(1, 0, leaves)
    return order, splits
