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

from evaluate import dog_mass, figures, negative_log_likelihood, normalised, probabilities_of, view
from network import DEVIATION, MEAN, Classifier
from photos import DOGS, EVERYDAY, LABELS, OTHER_BREED, Table, thesis_labels
from teach import by_origin
from train import logits_of

TOLERANCE = 0.01
# Weights keep 12 of the 23 bits of their mantissas. Compressed, the network is 7.5 MB smaller; no probability of the 873
# photos of val changes by more than 0.0024, and no best label.
MANTISSA_BITS = 12
# The share of all photos that do not come from the largest origin. The temperature is a compromise in this proportion.
EVERYDAY_SHARE = 0.4


def averaged(options, name, classes, caution):
    """Return the network between the start of a training and its end (WiSE-FT, Wortsman et al. 2022), with the biases of
    other breeds raised by `caution`.
    """
    start, end = (torch.load(options.work / f"{stem}.pt") for stem in (f"{name}-start", name))
    model = Classifier(len(classes), options.side)
    model.load_state_dict({key: start[key].lerp(end[key], options.share) for key in start})
    with torch.no_grad():
        model.network._fc.bias[torch.from_numpy(classes == OTHER_BREED)] += caution
    return model.to(memory_format=torch.channels_last).eval()


def round_weights(model):
    dropped = 23 - MANTISSA_BITS
    with torch.no_grad():
        for weights in model.parameters():
            bits = weights.contiguous().view(torch.int32)
            weights.copy_(((bits + (1 << dropped - 1)) >> dropped << dropped).view(torch.float32))


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
    named = probabilities[:, :LABELS]
    return (dog_mass(probabilities) > 0.5) & (probabilities.argmax(1) < DOGS) & (named.max(1) > threshold)


def read_labels(data, classes):
    """Return the label of each output."""
    with open(data / "taxonomy.csv", newline="") as file:
        rows = {int(row["label_id"]): row for row in csv.DictReader(file)}
    labels = []
    for index in range(LABELS):
        row = rows[index]
        # The breeds have the same ids as in the project's table of breeds.
        key = {"key": row["label"]} if index < DOGS else {}
        names = {"names": {"en": row["name_en"], "it": row["name_it"]}}
        labels.append({"id": row["label"], **key, **names, "subject": index < DOGS})
    names = {"en": "Dog of another breed", "it": "Cane di un'altra razza"}
    labels.append({"id": "other_breed", "names": names, "subject": True, "named": False})
    return [labels[index] for index in classes]


def by_label(probabilities, labels, names):
    right = probabilities[:, :LABELS].argmax(1) == labels
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
        "dataset": "ImageNet, then 12,357 photos of 67 dog breeds, 2 crosses, 4 wild canids, cats and other things, gathered "
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
    parser.add_argument("--side", type=int, default=252)
    parser.add_argument("--caution", type=float, default=1.0, help="what the outputs of other breeds get on top")
    parser.add_argument("--held-caution", type=float, default=2.0,
                        help="the same for the held-out network, which has seen half as many other breeds")
    parser.add_argument("--threshold", type=float, default=0.75)
    parser.add_argument("--version", default="5")
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"))
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def tell(name, table, rows, sure, thesis):
    labels = table.label[rows]
    found = figures(sure, labels, thesis)
    found["by_origin"] = float(np.mean([share for share, _ in by_origin(table, sure, rows).values()]))
    for threshold in (0.5, 0.6, 0.7, 0.75, 0.8, 0.9):
        taken = accepted(sure, threshold)
        print(f"{name} at {threshold}: {taken[labels < DOGS].mean():.3f} of the dogs accepted, "
              f"{(sure.argmax(1) == labels)[taken].mean():.3f} of the accepted right")
    print(f"{name}: " + ", ".join(f"{key} {value:.4f}" for key, value in found.items()), flush=True)
    return {key: round(value, 4) for key, value in found.items()}


def calibrated(options, classes, thesis):
    """Return the temperature that fits photos of which a part has origins that the network has not seen, and the figures."""
    table = Table(options.data, EVERYDAY)
    model = averaged(options, options.held, classes, options.held_caution)
    logits = {name: mirrored_logits(model, views(table, rows, options.side)) for name, rows in table.sets.items()}

    def loss(temperature):
        held_out, val = (negative_log_likelihood(probabilities_of(logits[name], classes, temperature),
                                                 table.label[table.sets[name]]) for name in ("held out", "val"))
        return held_out * EVERYDAY_SHARE + val * (1 - EVERYDAY_SHARE)
    temperature = round(float(min(np.arange(0.3, 2.5, 0.01), key=loss)), 3)
    sure = {name: probabilities_of(logits[name], classes, temperature) for name in logits}
    for threshold in (0.75, 0.9):
        print(f"unseen breeds named at {threshold}: {accepted(sure['unseen breeds'], threshold).mean():.3f}")
    return temperature, {name: tell(f"held-out network, {name}", table, table.sets[name], sure[name], thesis)
                         for name in ("held out", "val")}


def main():
    options = read_options()
    torch.set_num_threads(options.threads)
    thesis, table = thesis_labels(options.data), Table(options.data)
    classes = np.load(options.work / "soft.npz")["classes"]
    temperature, accuracy = calibrated(options, classes, thesis)
    print(f"temperature {temperature}")
    path, model = options.model / "model.onnx", averaged(options, options.name, classes, options.caution)
    round_weights(model)
    write_onnx(model, path, options.side)
    network, rows = Network(path, True), table.sets["val"]
    sure = probabilities_of(network.logits(views(table, rows, options.side)), classes, temperature)
    accuracy = {"held_out": accuracy["held out"], "val": tell("val", table, rows, sure, thesis)}
    labels = read_labels(options.data, classes)
    by_label(sure, table.label[rows], labels)
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
