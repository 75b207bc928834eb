"""Makes the soft labels: features of the whole photos by the ImageNet network, and linear probes on top.

Each fold of photos gets its labels from a probe that is fitted on the other folds, so that no photo influences its own
soft label. The labels of the data's own teachers, which are other networks, make up the other half. Prints how right the
probes are, by origin: this is what the trained network has to beat.
"""
import argparse
import csv
import pathlib

import numpy as np
import openvino
import torch
import torch.nn.functional as F

from evaluate import normalised, softmax, view
from network import DEVIATION, MEAN, SIDE, imagenet
from photos import DOGS, FOLDS, LABELS, Table

BATCH = 8


class Features(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = imagenet(SIDE)

    def forward(self, images):
        return self.network.extract_features(images).mean((2, 3))


def compiled(threads):
    model = openvino.convert_model(Features().eval(), example_input=torch.rand(1, 3, SIDE, SIDE))
    model.reshape([BATCH, 3, SIDE, SIDE])
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "bf16"}
    return openvino.Core().compile_model(model, "CPU", settings)


def features(table, threads):
    """Return the features of each photo and of its mirror image."""
    network = compiled(threads)
    found = np.zeros((len(table), 2, 1280), np.float16)
    for start in range(0, len(table), BATCH):
        images = np.zeros((BATCH, SIDE, SIDE, 3), np.float32)
        indices = np.arange(start, min(start + BATCH, len(table)))
        for slot, index in enumerate(indices):
            images[slot] = view(table.photo(index), SIDE, "cover")
        for mirror in (0, 1):
            found[indices, mirror] = network(normalised(images[:, :, ::-1 if mirror else 1]))[0][:len(indices)]
        if start % 1600 == 0:
            print(f"{start} of {len(table)} photos", flush=True)
    return found


def stored_features(table, work, threads):
    path = work / "features.npy"
    if not path.exists():
        np.save(path, features(table, threads))
    return np.load(path)


class ImageNetHead:
    """The last layer of the ImageNet network as a first probe: the mean of the classes that a label map gives a label.

    Some breeds have no class of their own. They begin at the mean of all dogs.
    """

    DOG_CLASSES = slice(151, 269)

    def __init__(self, data, label_map):
        layer = imagenet(SIDE)._fc
        weight, bias = layer.weight.detach(), layer.bias.detach()
        classes = label_classes(data, label_map)
        self.weight = torch.stack([weight[classes.get(label, self.DOG_CLASSES if label < DOGS else slice(None))].mean(0)
                                   for label in range(LABELS)])
        self.bias = torch.tensor([bias[classes[label]].mean() if label in classes else -3.0 for label in range(LABELS)])


def label_classes(data, label_map):
    """Return the ImageNet classes of each label that has some. Hundreds of classes are "not a dog", which says nothing."""
    with open(data / "taxonomy.csv", newline="") as file:
        ids = {row["label"]: int(row["label_id"]) for row in csv.DictReader(file)}
    classes = {}
    with open(label_map, newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["outputs"] != "background" and row["label"] in ids:
                ends = [int(end) for end in row["outputs"].split("-")]
                classes.setdefault(ids[row["label"]], []).extend(range(ends[0], ends[-1] + 1))
    return {label: found for label, found in classes.items() if len(found) < 10}


def fit(head, inputs, labels, weights, steps=300, pull=0.003):
    """Fit a probe on the features, which is pulled towards the ImageNet head, and return its weights and bias.

    The pull (L2-SP, Li et al. 2018) keeps what ImageNet's thousands of photos a breed have taught.
    """
    change = torch.zeros_like(head.weight, requires_grad=True)
    bias, scale = head.bias.clone().requires_grad_(True), torch.ones((), requires_grad=True)
    optimiser = torch.optim.Adam([{"params": [change], "lr": 3e-3}, {"params": [bias, scale], "lr": 1e-2}])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        batch, mirror = torch.multinomial(weights, 1024, replacement=True), torch.randint(0, 2, (1024,))
        answers = F.linear(F.dropout(inputs[batch, mirror], 0.2), scale * head.weight + change, bias)
        loss = F.cross_entropy(answers, labels[batch], label_smoothing=0.05) + pull * change.square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return (scale * head.weight + change).detach(), bias.detach()


def training_weights(table, rows):
    """Return how often each photo is drawn: rare labels and rare origins more often than common ones."""
    shares = np.ones(len(rows))
    for values, power in ((table.label[rows], 0.5), (table.origin[rows], 0.3)):
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        shares *= counts[inverse] ** -power
    return torch.from_numpy(shares)


class Probes:
    """Linear probes on the features of each photo and of its mirror image."""

    def __init__(self, table, found, head):
        self.table, self.head = table, head
        self.inputs = torch.from_numpy(found.astype(np.float32))

    def fit(self, rows):
        labels = torch.from_numpy(self.table.label[rows])
        return fit(self.head, self.inputs[rows], labels, training_weights(self.table, rows))

    def logits(self, probe, rows):
        return F.linear(self.inputs[rows].mean(1), *probe).numpy()


def by_origin(table, logits, rows):
    """Return the share of right answers of each origin, every label counting alike."""
    shares = {}
    right = logits[rows].argmax(1) == table.label[rows]
    for origin in np.unique(table.origin[rows]):
        mine = table.origin[rows] == origin
        labels = table.label[rows][mine]
        shares[origin] = (np.mean([right[mine][labels == label].mean() for label in np.unique(labels)]), mine.sum())
    return shares


def cross_fitted(table, probes, known):
    """Return the logits of all photos, of probes that have not seen them."""
    usable = known & table.trains
    logits = np.zeros((len(table), LABELS), np.float32)
    for fold in range(FOLDS):
        probe = probes.fit(np.flatnonzero(usable & (table.fold != fold)))
        rows = np.flatnonzero(known & (table.fold == fold))
        logits[rows] = probes.logits(probe, rows)
        others = np.flatnonzero(~known)
        logits[others] += probes.logits(probe, others) / FOLDS
    return logits


def origins_out(table, probes, known):
    """Return the logits of all labelled photos, of probes that have seen no photo of their origin."""
    logits = np.zeros((len(table), LABELS), np.float32)
    for origin in np.unique(table.origin[known]):
        rows = np.flatnonzero(known & (table.origin == origin))
        logits[rows] = probes.logits(probes.fit(np.flatnonzero(known & table.trains & (table.origin != origin))), rows)
    return logits


def report(name, shares):
    print(name + ": " + ", ".join(f"{origin} {share:.3f} ({count})" for origin, (share, count) in shares.items()), flush=True)
    print(f"{name}: mean over origins {np.mean([share for share, _ in shares.values()]):.4f}", flush=True)


def teachers(path, table):
    """Return the soft labels that came with the data, in the order of the table."""
    stored = np.load(path)
    place = {str(file): index for index, file in enumerate(stored["files"])}
    return stored["probs"][[place[file] for file in table.file]].astype(np.float32)


def temperature_of(logits, labels):
    def loss(temperature):
        return -np.log(softmax(logits, temperature)[np.arange(len(labels)), labels] + 1e-9).mean()
    return float(min(np.arange(0.4, 2.01, 0.05), key=loss))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--teachers", type=pathlib.Path, required=True, help="soft_labels.npz")
    parser.add_argument("--label-map", type=pathlib.Path, required=True, help="imagenet-1k.tsv")
    parser.add_argument("--hold-out", nargs="*", default=(), help="origins that take no part")
    parser.add_argument("--name", default="soft")
    parser.add_argument("--origins", action="store_true", help="also hold out each origin in turn, and print the figures")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)

    table = Table(options.data, options.hold_out)
    known = table.label >= 0
    head = ImageNetHead(options.data, options.label_map)
    probes = Probes(table, stored_features(table, options.work, options.threads), head)
    logits = cross_fitted(table, probes, known)
    rows = np.flatnonzero(known & table.trains)
    temperature = temperature_of(logits[rows], table.label[rows])
    soft = (softmax(logits, temperature) + teachers(options.teachers, table)) / 2
    for name, answers in (("probe", logits), ("probe and teachers", soft)):
        print(f"{name}, out of fold: {(answers[rows].argmax(1) == table.label[rows]).mean():.4f}, temperature {temperature:.2f}")
    probe = probes.fit(rows)
    everything = probes.logits(probe, np.arange(len(table)))
    for name, rows in table.sets.items():
        if len(rows) and known[rows].all():
            report(f"probe, {name}", by_origin(table, everything, rows))
    if options.origins:
        report("probe, each origin unseen", by_origin(table, origins_out(table, probes, known), np.flatnonzero(known)))
    weight, bias = probe
    np.savez(options.work / f"{options.name}.npz", soft=soft.astype(np.float16), weight=weight.numpy(), bias=bias.numpy())


if __name__ == "__main__":
    main()
