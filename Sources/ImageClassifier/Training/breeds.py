"""Computes the usual vector of each label, which matches take out of the likeness of photos: `Matching/Tables/photo-breeds.bin`.

Takes the CSV file that `doggofinder photos evaluate --write-vectors` writes of a folder with a folder of photos for each label, and
writes the mean of the vectors of each label, in the order of the labels, as bytes. Without --out it prints the cosines with the
vectors that are there, of the labels that the file has.
"""
import argparse
import base64
import collections
import csv
import pathlib

import numpy as np

PHOTOS = 22  # of each label; more change the mean little


def means(path):
    vectors = collections.defaultdict(list)
    with open(path) as file:
        for row in csv.DictReader(file):
            vector = np.frombuffer(base64.b64decode(row["vector"].lstrip("'")), np.int8).astype(float)
            vectors[row["reference"]].append(vector / np.linalg.norm(vector))
    found = {label: np.mean(some[:PHOTOS], axis=0) for label, some in sorted(vectors.items())}
    return {label: mean / np.linalg.norm(mean) for label, mean in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", type=pathlib.Path)
    parser.add_argument("--labels", type=pathlib.Path, help="the labels of the present file, one in each line")
    parser.add_argument("--present", type=pathlib.Path, default="Sources/Matching/Tables/photo-breeds.bin")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    found = means(options.vectors)
    if options.out:
        bytes = np.clip(np.rint(300 * np.array(list(found.values()))), -127, 127).astype(np.int8)
        options.out.write_bytes(bytes.tobytes())
        return
    present = np.fromfile(options.present, np.int8).reshape(-1, 128).astype(float)
    present /= np.linalg.norm(present, axis=1, keepdims=True)
    labels = options.labels.read_text().split()
    cosines = [found[label] @ present[row] for row, label in enumerate(labels) if label in found]
    print(f"{len(cosines)} labels, cosines {min(cosines):.3f} to {max(cosines):.3f}, median {np.median(cosines):.3f}")


if __name__ == "__main__":
    main()
