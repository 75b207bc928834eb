"""Chooses view, temperature and threshold on val, writes model.onnx and manifest.json, and verifies them with OpenCV's
dnn.
"""
import argparse
import csv
import hashlib
import itertools
import json
import pathlib
import time

import cv2
import numpy as np
import torch

from evaluate import DEVIATION, DOGS, MEAN, best_temperature, dog_mass, figures, normalised, softmax, views
from model import Student
from prepare import UNSEEN_BREED
from train import logits_of, read_thesis

CHOICES = [(128, "stretch", 1.0), (128, "cover", 1.0), (160, "stretch", 1.0), (160, "cover", 1.0), (160, "cover", 0.9)]
TOLERANCE = 0.01


def load_student(path, labels):
    weights = {name: value for name, value in torch.load(path).items() if not name.startswith("guide")}
    student = Student(labels)
    student.load_state_dict(weights)
    return student.eval()


class Photos:
    """The photos for choosing: val with labels, val's dogs of unknown breed, and dogs of breeds that are not used in
    training.
    """

    def __init__(self, options):
        table = np.load(options.work / "table.npz")
        self.data, self.path, self.label, self.source = options.data, table["path"], table["label"], table["source"]
        val = table["split"] == "val"
        self.sets = {
            "val": np.flatnonzero(val & (self.label >= 0)),
            "unknown": np.flatnonzero(val & (self.label < 0)),
            "unseen": np.flatnonzero((self.label == UNSEEN_BREED) & ~table["helps"]),
        }

    def labels(self, name):
        return self.label[self.sets[name]]

    def views(self, name, side, resize, crop):
        return views(self.data, self.path[self.sets[name]], side, resize, crop)


def try_views(student, photos, thesis):
    """Print the figures of every choice of view on val, each at its own temperature."""
    labels = photos.labels("val")
    print("| side | view | crop | mirror | top-1 | top-5 | thesis | dog or not | ECE |\n|---|---|---|---|---|---|---|---|---|")
    for (side, resize, crop), mirror in itertools.product(CHOICES, (False, True)):
        images = photos.views("val", side, resize, crop)
        logits = logits_of(student, images)
        if mirror:
            logits = (logits + logits_of(student, images[:, :, ::-1])) / 2
        found = figures(logits, labels, thesis, best_temperature(logits, labels))
        print(f"| {side} | {resize} | {crop} | {mirror} | " + " | ".join(f"{value:.4f}" for value in found.values()) + " |", flush=True)


def write_onnx(student, path, side):
    torch.onnx.export(student, torch.zeros(1, 3, side, side), str(path), opset_version=11, dynamo=False,
                      input_names=["image"], output_names=["logits"])


class Network:
    """The exported model, run in the same way as in the program."""

    def __init__(self, path, mirror):
        cv2.setNumThreads(1)
        self.net = cv2.dnn.readNetFromONNX(str(path))
        self.mirror = mirror

    def once(self, image):
        self.net.setInput(normalised(image[None]))
        return self.net.forward()[0].copy()

    def logits(self, images):
        if not self.mirror:
            return np.stack([self.once(image) for image in images])
        return np.stack([(self.once(image) + self.once(image[:, ::-1])) / 2 for image in images])

    def milliseconds(self, image, times=60):
        taken = []
        for _ in range(times):
            start = time.perf_counter()
            self.logits([image])
            taken.append(time.perf_counter() - start)
        return np.median(taken) * 1e3, np.percentile(taken, 95) * 1e3


def made_up_image(side):
    y, x, channel = np.indices((side, side, 3))
    return ((x * 7 + y * 13 + channel * 29) % 256).astype(np.uint8)


def accepted(probabilities, threshold):
    """Require a dog probability above one half, a breed as the best label, and its probability strictly above the
    threshold.
    """
    return (dog_mass(probabilities) > 0.5) & (probabilities.argmax(1) < DOGS) & (probabilities.max(1) > threshold)


def threshold_table(probabilities, labels, unseen):
    """Return for each threshold the coverage of val's dogs, the precision of accepted answers, and the share of unseen
    breeds.
    """
    rows = {}
    for threshold in np.round(np.arange(0.3, 0.96, 0.05), 2):
        taken = accepted(probabilities, threshold)
        rows[float(threshold)] = {
            "coverage": float(taken[labels < DOGS].mean()),
            "precision": float((probabilities.argmax(1) == labels)[taken].mean()),
            "unseen_accepted": float(accepted(unseen, threshold).mean()),
        }
    return rows


def read_labels(data, count):
    with open(data / "taxonomy.csv", newline="") as file:
        rows = {int(row["label_id"]): row for row in csv.DictReader(file)}
    return [{"id": rows[index]["label"], "names": {"en": rows[index]["name_en"], "it": rows[index]["name_it"]},
             "subject": index < DOGS} for index in range(count)]


def by_label(logits, labels, names):
    right = logits.argmax(1) == labels
    parts = {names[index]["id"]: f"{right[labels == index].sum()}/{(labels == index).sum()}" for index in np.unique(labels)}
    print("by label:", ", ".join(f"{name} {part}" for name, part in parts.items()))


def manifest_of(options, labels, temperature, threshold, accuracy, path, test_logits):
    best = np.argsort(-test_logits)[:5]
    return {
        "id": "dog-breeds", "version": options.version, "name": "DoggoFinder dog breeds", "licence": options.licence,
        "input": {"width": options.side, "height": options.side, "resize": options.resize, "crop": options.crop,
                  "mean": MEAN, "std": DEVIATION, "mirror": options.mirror},
        "output": "logits", "temperature": round(temperature, 3), "threshold": threshold, "subject": "dog", "labels": labels,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "test_vector": {"top": [[int(index), round(float(test_logits[index]), 5)] for index in best], "tolerance": TOLERANCE},
        "dataset": "11,951 photos of 67 dog breeds, 2 crosses, 4 wild canids, cats and other things, gathered from public "
                   "repositories; none is included (see MODEL_CARD.md)",
        "accuracy": {"val": {name: round(value, 4) for name, value in accuracy.items()}},
        "date": options.date,
    }


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--name", default="student")
    parser.add_argument("--model", type=pathlib.Path, help="folder for model.onnx and manifest.json; without it only the views are tried")
    parser.add_argument("--side", type=int, default=160)
    parser.add_argument("--resize", choices=("stretch", "cover"), default="stretch")
    parser.add_argument("--crop", type=float, default=1.0)
    parser.add_argument("--mirror", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--threshold", type=float, default=0.6)
    parser.add_argument("--labels", type=int, default=75)
    parser.add_argument("--version", default="1")
    parser.add_argument("--licence", default="see MODEL_CARD.md")
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    parser.add_argument("--threads", type=int, default=3)
    return parser.parse_args()


def export(options, student, photos, thesis):
    path = options.model / "model.onnx"
    write_onnx(student, path, options.side)
    network = Network(path, options.mirror)
    names = read_labels(options.data, options.labels)

    view = (options.side, options.resize, options.crop)
    logits = {name: network.logits(photos.views(name, *view)) for name in photos.sets}
    labels = photos.labels("val")
    temperature = round(best_temperature(logits["val"], labels), 3)
    sure = {name: softmax(value, temperature) for name, value in logits.items()}
    rows = threshold_table(sure["val"], labels, sure["unseen"])
    for threshold, row in rows.items():
        print(f"threshold {threshold:.2f}: " + ", ".join(f"{name} {value:.3f}" for name, value in row.items()))
    accuracy = figures(logits["val"], labels, thesis, temperature) | rows[options.threshold]
    print(f"temperature {temperature}, val {accuracy}")
    print(f"unknown breed taken for a dog: {(dog_mass(sure['unknown']) > 0.5).mean():.3f} of {len(sure['unknown'])}; "
          f"unseen breeds: {(dog_mass(sure['unseen']) > 0.5).mean():.3f} of {len(sure['unseen'])}")
    by_label(logits["val"], labels, names)

    test_image = made_up_image(options.side)
    mine = network.once(test_image)
    with torch.no_grad():
        its = student(torch.from_numpy(normalised(test_image[None]))).numpy()[0]
    print(f"OpenCV {cv2.__version__} against torch: {np.abs(mine - its).max():.2e}; {path.stat().st_size} bytes; "
          "median %.1f ms, 95th percentile %.1f ms, all views, one thread" % network.milliseconds(test_image))
    manifest = manifest_of(options, names, temperature, options.threshold, accuracy, path, mine)
    (options.model / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")


def main():
    options = read_options()
    torch.set_num_threads(options.threads)
    student = load_student(options.work / f"{options.name}.pt", options.labels)
    photos, thesis = Photos(options), read_thesis(options.data)
    if options.model:
        export(options, student, photos, thesis)
    else:
        try_views(student, photos, thesis)


if __name__ == "__main__":
    main()
