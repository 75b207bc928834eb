"""Averages the trained weights with those of the start, chooses temperature and threshold on origins that were held out,
writes model.onnx and manifest.json, and verifies them with OpenCV's dnn.
"""
import argparse
import csv
import hashlib
import json
import pathlib
import time

import cv2
import numpy as np
import torch

from evaluate import best_temperature, dog_mass, figures, normalised, softmax, view
from network import DEVIATION, MEAN, Classifier
from photos import DOGS, EVERYDAY, LABELS, Table, thesis_labels
from teach import by_origin
from train import logits_of

TOLERANCE = 0.01


def averaged(work, name, share, side):
    """Return the network between the start of a training and its end (WiSE-FT, Wortsman et al. 2022)."""
    start, end = (torch.load(work / f"{stem}.pt") for stem in (f"{name}-start", name))
    model = Classifier(LABELS, side)
    model.load_state_dict({key: start[key].lerp(end[key], share) for key in start})
    return model.to(memory_format=torch.channels_last).eval()


def views(table, rows, side):
    return np.stack([view(table.photo(index), side, "cover") for index in rows])


def mirrored_logits(model, images):
    return (logits_of(model, images) + logits_of(model, np.ascontiguousarray(images[:, :, ::-1]))) / 2


def write_onnx(model, path, side):
    # Opset 10 has the bounds of Clip as attributes. OpenCV 4.6 reads no others.
    model = model.to(memory_format=torch.contiguous_format)
    torch.onnx.export(model, torch.zeros(1, 3, side, side), str(path), opset_version=10, dynamo=False,
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

    def milliseconds(self, image, times=30):
        """Return the median of the time of the processor, which other work on the machine does not change much."""
        taken = []
        for _ in range(times):
            start = time.process_time()
            self.logits([image])
            taken.append(time.process_time() - start)
        return np.median(taken) * 1e3


def made_up_image(side):
    y, x, channel = np.indices((side, side, 3))
    return ((x * 7 + y * 13 + channel * 29) % 256).astype(np.uint8)


def accepted(probabilities, threshold):
    """Require a dog probability above one half, a breed as the best label, and its probability strictly above the
    threshold.
    """
    return (dog_mass(probabilities) > 0.5) & (probabilities.argmax(1) < DOGS) & (probabilities.max(1) > threshold)


def read_labels(data):
    with open(data / "taxonomy.csv", newline="") as file:
        rows = {int(row["label_id"]): row for row in csv.DictReader(file)}
    labels = []
    for index in range(LABELS):
        row = rows[index]
        # The breeds have the same ids as in the project's table of breeds.
        key = {"key": row["label"]} if index < DOGS else {}
        names = {"names": {"en": row["name_en"], "it": row["name_it"]}}
        labels.append({"id": row["label"], **key, **names, "subject": index < DOGS})
    return labels


def by_label(logits, labels, names):
    right = logits.argmax(1) == labels
    parts = {names[index]["id"]: f"{right[labels == index].sum()}/{(labels == index).sum()}" for index in np.unique(labels)}
    print("by label:", ", ".join(f"{name} {part}" for name, part in parts.items()))


def manifest_of(options, labels, temperature, accuracy, path, test_logits):
    best = np.argsort(-test_logits)[:5]
    return {
        "id": "dog-breeds", "version": options.version, "name": "DoggoFinder dog breeds", "licence": "see MODEL_CARD.md",
        "input": {"width": options.side, "height": options.side, "resize": "cover", "crop": 1,
                  "mean": MEAN, "std": DEVIATION, "mirror": True},
        "output": "logits", "temperature": temperature, "threshold": options.threshold, "subject": "dog", "labels": labels,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "test_vector": {"top": [[int(index), round(float(test_logits[index]), 5)] for index in best], "tolerance": TOLERANCE},
        "dataset": "ImageNet, then 11,951 photos of 67 dog breeds, 2 crosses, 4 wild canids, cats and other things, gathered "
                   "from public repositories; none is included (see MODEL_CARD.md)",
        "accuracy": accuracy, "date": options.date,
    }


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--name", default="trained")
    parser.add_argument("--held", required=True, help="name of the training without the everyday origins")
    parser.add_argument("--share", type=float, default=0.5, help="0 is the start, 1 the end of the training")
    parser.add_argument("--model", type=pathlib.Path, required=True, help="folder for model.onnx and manifest.json")
    parser.add_argument("--side", type=int, default=240)
    parser.add_argument("--threshold", type=float, default=0.75)
    parser.add_argument("--version", default="3")
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def tell(name, table, rows, logits, temperature, thesis):
    labels, sure = table.label[rows], softmax(logits, temperature)
    found = figures(logits, labels, thesis, temperature)
    every = np.zeros((len(table), LABELS), np.float32)
    every[rows] = logits
    found["by_origin"] = float(np.mean([share for share, _ in by_origin(table, every, rows).values()]))
    for threshold in (0.5, 0.6, 0.7, 0.75, 0.8, 0.9):
        taken = accepted(sure, threshold)
        print(f"{name} at {threshold}: {taken[labels < DOGS].mean():.3f} of the dogs accepted, "
              f"{(sure.argmax(1) == labels)[taken].mean():.3f} of the accepted right")
    print(f"{name}: " + ", ".join(f"{key} {value:.4f}" for key, value in found.items()), flush=True)
    return {key: round(value, 4) for key, value in found.items()}


def calibrated(options, thesis):
    """Return the temperature that fits the photos of origins that the network has not seen, and the figures there."""
    table = Table(options.data, EVERYDAY)
    model = averaged(options.work, options.held, options.share, options.side)
    rows = table.sets["held out"]
    logits = mirrored_logits(model, views(table, rows, options.side))
    temperature = round(best_temperature(logits, table.label[rows]), 3)
    unseen = mirrored_logits(model, views(table, table.sets["unseen breeds"], options.side))
    for threshold in (0.75, 0.9):
        print(f"unseen breeds named at {threshold}: {accepted(softmax(unseen, temperature), threshold).mean():.3f}")
    return temperature, tell("held out", table, rows, logits, temperature, thesis)


def main():
    options = read_options()
    torch.set_num_threads(options.threads)
    thesis, table = thesis_labels(options.data), Table(options.data)
    temperature, held_out = calibrated(options, thesis)
    print(f"temperature {temperature}")
    path, model = options.model / "model.onnx", averaged(options.work, options.name, options.share, options.side)
    write_onnx(model, path, options.side)
    network, rows = Network(path, True), table.sets["val"]
    logits = network.logits(views(table, rows, options.side))
    accuracy = {"held_out": held_out, "val": tell("val", table, rows, logits, temperature, thesis)}
    labels = read_labels(options.data)
    by_label(logits, table.label[rows], labels)
    test_image = made_up_image(options.side)
    mine = network.once(test_image)
    with torch.no_grad():
        its = model(torch.from_numpy(normalised(test_image[None]))).numpy()[0]
    print(f"OpenCV {cv2.__version__} against torch: {np.abs(mine - its).max():.2e}; {path.stat().st_size} bytes; "
          f"{network.milliseconds(test_image):.1f} ms of one thread, both views")
    manifest = manifest_of(options, labels, temperature, accuracy, path, mine)
    (options.model / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
