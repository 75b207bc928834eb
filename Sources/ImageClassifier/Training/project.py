"""Computes the matrix that makes vectors of features, writes `projection.bin`, and names it in the manifest. The features also tell where the
animal is, so that the manifest asks for a crop to it in the place of the mirror image.

Pictures of one individual differ in their section, light and background. Each photo is therefore shown plain and in changed views, and
the directions of feature space in which views of one photo differ are damped: T = (1 + 100 S / trace(S)) ** -0.5 for the
covariance S of views about the mean of their photo. Of what remains, the matrix keeps the directions with the most energy, without
centring, and turns them at random, so that all bytes are used alike.
"""
import argparse
import hashlib
import json
import pathlib

import cv2
import numpy as np

from augment import affine, augmented
from evaluate import normalised, view
from photos import LABELS, Table

NODE = "/_swish_1/Clip"  # the last features before their mean
VIEWS = 3
DAMPING = 100
DIMENSIONS = 128
SCALE = 300  # the length of a vector; the largest of its numbers on 5,600 photos was 0.39 of it
THINGS = LABELS - 1


def maps(network, image):
    network.setInput(normalised(image)[None])
    return network.forward("onnx_node!" + NODE)[0]


def subject(features, side):
    """Return the share of the animal in each pixel, from the mean of the features."""
    mean = features.mean(0)
    mean = (mean - mean.min()) / (mean.max() - mean.min() + 1e-9)
    mean = cv2.resize(mean, (side, side), interpolation=cv2.INTER_CUBIC)
    return 1 / (1 + np.exp((0.35 - mean) / 0.06))[:, :, None]


def background(random, table, side):
    things = np.flatnonzero(table.label == THINGS)
    photo = table.photo(random.choice(things) if random.random() < 0.5 else random.integers(len(table)))
    turned = cv2.warpAffine(photo, affine(random, photo.shape[1], photo.shape[0], side), (side, side),
                            borderMode=cv2.BORDER_REFLECT_101, flags=cv2.WARP_INVERSE_MAP | cv2.INTER_LINEAR)
    return cv2.GaussianBlur(turned, (0, 0), random.uniform(0.8, 6))


def warmed(random, image):
    factor = np.exp(random.normal(0, 0.12))
    return np.clip(image * np.array([factor, 1, 1 / factor]), 0, 255).astype(np.uint8)


def views(random, network, table, index, side):
    """Yield the features of a photo, and of changed views of it."""
    photo = table.photo(index)
    plain = view(photo, side, "cover")
    if random.random() < 0.5:
        plain = np.ascontiguousarray(plain[:, ::-1])
    features = maps(network, plain)
    share = subject(features, side)
    yield features.mean((1, 2))
    for _ in range(VIEWS):
        source = photo
        if random.random() < 0.4:
            source = (plain * share + background(random, table, side) * (1 - share)).astype(np.uint8)
        changed = augmented(random, source, side)
        if random.random() < 0.4:
            changed = warmed(random, changed)
        yield maps(network, changed).mean((1, 2))


def projection(features, random):
    """Return the matrix for features of shape photos x views x channels."""
    roots = np.sqrt(np.maximum(features, 0))
    roots /= np.linalg.norm(roots, axis=2, keepdims=True)
    deviations = (roots - roots.mean(1, keepdims=True)).reshape(-1, roots.shape[2])
    values, vectors = np.linalg.eigh(deviations.T @ deviations / (deviations ** 2).sum())
    damping = (vectors / np.sqrt(1 + DAMPING * np.maximum(values, 0))) @ vectors.T
    plain = roots[:, 0] @ damping
    _, directions = np.linalg.eigh(plain.T @ plain)
    turn, _ = np.linalg.qr(random.standard_normal((DIMENSIONS, DIMENSIONS)))
    return turn @ directions[:, ::-1][:, :DIMENSIONS].T @ damping


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True, help="folder of model.onnx and manifest.json")
    parser.add_argument("--photos", type=int, default=5_600, help="how many photos; each takes about 0.3 s")
    options = parser.parse_args()
    manifest = json.loads((options.model / "manifest.json").read_text())
    network = cv2.dnn.readNetFromONNX(str(options.model / "model.onnx"))
    table = Table(options.data)
    random = np.random.default_rng(5)
    chosen = np.flatnonzero(table.trains & (table.label != THINGS))
    chosen = random.permutation(chosen)[:options.photos]
    features = np.array([list(views(random, network, table, index, manifest["input"]["width"])) for index in chosen])
    file = projection(features.astype(np.float64), random).astype("<f2").tobytes()
    (options.model / "projection.bin").write_bytes(file)
    manifest["features"] = {"node": NODE, "projection": {
        "dimensions": DIMENSIONS, "scale": SCALE, "sha256": hashlib.sha256(file).hexdigest()}}
    for field in "crop", "mirror":
        manifest["input"].pop(field, None)
    manifest["input"].update(resize="stretch", subject_view=True)
    (options.model / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
