"""Writes pictures into its own folder (Pillow 12, heif-enc 1.15): four corners of 32 x 24 pixels each, red, green, blue
and grey."""
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
WIDTH, HEIGHT = 64, 48


def corners() -> Image.Image:
    picture = Image.new("RGB", (WIDTH, HEIGHT))
    for (x, y), colour in {
        (0, 0): (220, 30, 30), (WIDTH // 2, 0): (30, 200, 30),
        (0, HEIGHT // 2): (30, 30, 220), (WIDTH // 2, HEIGHT // 2): (128, 128, 128),
    }.items():
        picture.paste(colour, (x, y, x + WIDTH // 2, y + HEIGHT // 2))
    return picture


def exif(orientation: int) -> Image.Exif:
    tags = Image.Exif()
    tags[0x0112] = orientation
    tags[0x010F] = "Maker"
    position = tags.get_ifd(0x8825)
    position[1], position[2], position[3], position[4] = "N", (41.0, 53.0, 30.0), "E", (12.0, 29.0, 0.0)
    return tags


def profile(red, green, blue) -> bytes:
    """A display profile (ICC.1:2001-04) with these primaries, as XYZ, and a gamma of 2.2."""

    def xyz(values):
        return b"XYZ \0\0\0\0" + b"".join(struct.pack(">i", round(value * 65536)) for value in values)

    gamma = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0"
    text = b"made for a test\0"
    blocks = {
        b"desc": b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78 + 8),
        b"cprt": b"text\0\0\0\0" + b"none\0\0\0\0",
        b"wtpt": xyz((0.9642, 1.0, 0.8249)),
        b"rXYZ": xyz(red), b"gXYZ": xyz(green), b"bXYZ": xyz(blue),
        b"rTRC": gamma, b"gTRC": gamma, b"bTRC": gamma,
    }
    place = 128 + 4 + 12 * len(blocks)
    table, data = struct.pack(">I", len(blocks)), b""
    for name, block in blocks.items():
        block += bytes(-len(block) % 4)
        table += name + struct.pack(">II", place + len(data), len(block))
        data += block
    size = place + len(data)
    head = struct.pack(">I4sI4s4s4s", size, b"\0\0\0\0", 0x02100000, b"mntr", b"RGB ", b"XYZ ")
    head += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + bytes(28)
    head += struct.pack(">3i", round(0.9642 * 65536), 65536, round(0.8249 * 65536))
    return head + bytes(128 - len(head)) + table + data


def png(head: bytes, rows: bytes) -> bytes:
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def interlaced(picture: Image.Image) -> bytes:
    """A PNG file with the seven interlacing passes (ISO/IEC 15948, 8.2), which Pillow does not write."""
    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for left, top, across, down in passes:
        for y in range(top, picture.height, down):
            rows += b"\0" + b"".join(bytes(picture.getpixel((x, y))) for x in range(left, picture.width, across))

    head = struct.pack(">IIBBBBB", picture.width, picture.height, 8, 2, 0, 0, 1)
    return png(head, rows)


def deep(picture: Image.Image) -> bytes:
    """A PNG file with 16 bits per channel, which Pillow writes for grey pictures only."""
    rows = b"".join(
        b"\0" + b"".join(bytes([sample, sample]) for x in range(WIDTH) for sample in picture.getpixel((x, y)))
        for y in range(HEIGHT)
    )
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 16, 2, 0, 0, 0)
    return png(head, rows)


def heif(source: Path, name: str, *options: str) -> None:
    subprocess.run(["heif-enc", *options, "-q", "90", source, "-o", HERE / name], check=True, capture_output=True)


def heifs(picture: Image.Image, clear: Image.Image, swapped: bytes, folder: Path) -> None:
    picture.save(folder / "plain.png")
    clear.save(folder / "clear.png")
    picture.save(folder / "swapped.png", icc_profile=swapped)
    picture.save(folder / "exif.jpg", exif=exif(6), quality=95, subsampling=0)
    (folder / "deep.png").write_bytes(deep(picture))
    # The program writes 10 bits as AVIF wrongly.
    heif(folder / "deep.png", "deep.heic", "-b", "10")
    heif(folder / "deep.png", "deep.avif", "-b", "12")
    for kind in ("heic", "avif"):
        for name in ("plain", "clear", "swapped"):
            heif(folder / f"{name}.png", f"{name}.{kind}")
        # heif-enc copies EXIF, and does not write its orientation as a property of the picture.
        heif(folder / "exif.jpg", f"exif.{kind}")


def main() -> None:
    picture = corners()
    # The primaries of sRGB, adapted to D50, with red and green exchanged: decoders that apply the profile exchange the
    # corners.
    swapped = profile((0.3851, 0.7169, 0.0971), (0.4361, 0.2225, 0.0139), (0.1431, 0.0606, 0.7141))
    best = {"quality": 95, "subsampling": 0}
    picture.save(HERE / "turned.jpg", exif=exif(6), **best)
    picture.save(HERE / "progressive.jpg", progressive=True, **best)
    picture.save(HERE / "swapped.jpg", icc_profile=swapped, **best)
    picture.convert("CMYK").save(HERE / "cmyk.jpg", **best)
    picture.convert("L").save(HERE / "grey.jpg", **best)
    picture.save(HERE / "turned.png", exif=exif(6))
    picture.save(HERE / "swapped.png", icc_profile=swapped)
    picture.quantize(8).save(HERE / "palette.png")
    (HERE / "interlaced.png").write_bytes(interlaced(picture))
    picture.convert("L").point(lambda value: value * 257, "I").convert("I;16").save(HERE / "grey16.png")
    clear = picture.convert("RGBA")
    clear.paste((0, 0, 0, 0), (WIDTH // 2, HEIGHT // 2, WIDTH, HEIGHT))
    clear.save(HERE / "clear.png")
    clear.save(HERE / "clear.webp", lossless=True)
    picture.save(HERE / "turned.webp", exif=exif(6), quality=95)
    picture.save(HERE / "swapped.webp", icc_profile=swapped, lossless=True)
    picture.save(HERE / "moving.webp", save_all=True, append_images=[Image.new("RGB", picture.size)], lossless=True)
    with tempfile.TemporaryDirectory() as folder:
        heifs(picture, clear, swapped, Path(folder))


if __name__ == "__main__":
    main()
