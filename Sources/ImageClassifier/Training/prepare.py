"""Converts photos and their manifest to one array of small squares and a table, so that training never decodes JPEG
files.
"""
import argparse
import csv
import pathlib
import zlib

import numpy as np
from PIL import Image

FOLDS = 5
UNKNOWN_DOG = -1   # a dog of unknown or doubtful breed
UNSEEN_BREED = -2  # a dog of a breed that is not a label


def read_manifest(data):
    with open(data / "manifest_train_val.csv", newline="") as file:
        return list(csv.DictReader(file))


def label_of(row, labels):
    if row["split"] == "few":
        return UNSEEN_BREED
    if row["split"] == "suspect" or int(row["label_id"]) >= labels:
        return UNKNOWN_DOG
    return int(row["label_id"])


def fold_of(row):
    """Return the fold of a photo; near-duplicates are in the same fold."""
    return zlib.crc32(row["near_group"].encode()) % FOLDS


def trains_on_unseen(row):
    """Return whether a rare breed is used in training (half of them, by name); the others are kept for choosing the
    threshold.
    """
    return zlib.crc32(row["label"].encode()) % 2 == 0


def squeeze(path, side):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB").resize((side, side), Image.BICUBIC))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with train/, val/, few/ and the manifest")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder for what is made")
    parser.add_argument("--side", type=int, default=176)
    parser.add_argument("--labels", type=int, default=75)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)

    rows = read_manifest(options.data)
    photos = np.empty((len(rows), options.side, options.side, 3), np.uint8)
    for index, row in enumerate(rows):
        photos[index] = squeeze(options.data / row["file"], options.side)
    np.save(options.work / "photos.npy", photos)
    np.savez(
        options.work / "table.npz",
        path=np.array([row["file"] for row in rows]),
        split=np.array([row["split"] for row in rows]),
        source=np.array([row["source_repo"] for row in rows]),
        label=np.array([label_of(row, options.labels) for row in rows]),
        fold=np.array([fold_of(row) for row in rows]),
        helps=np.array([row["split"] in ("train", "suspect") or row["split"] == "few" and trains_on_unseen(row) for row in rows]),
    )
    print(photos.shape)


if __name__ == "__main__":
    main()
