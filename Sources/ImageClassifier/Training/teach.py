"""Makes the soft labels: features of the whole photos by the ImageNet network, and linear probes on top.

Each fold of photos gets its labels from a probe that is fitted on the other folds, so that no photo influences its own
soft label. The labels of the data's own teachers, which are other networks, make up the other half. Prints how right the
probes are, by origin: this is what the trained network has to beat.
"""
import argparse
import pathlib

import numpy as np
import openvino
import torch
import torch.nn.functional as F

from evaluate import negative_log_likelihood, normalised, probabilities_of, view
from network import SIDE, imagenet
from outputs import Outputs, log_probabilities
from photos import CLASSES, FOLDS, LABELS, OTHER_BREED, Table

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


def fit(outputs, inputs, labels, weights, steps=300, pull=0.003, smoothing=0.05):
    """Fit a probe on the features, which is pulled towards the ImageNet head, and return its weights and bias.

    The pull (L2-SP, Li et al. 2018) keeps what ImageNet's thousands of photos a breed have taught.
    """
    targets = F.one_hot(labels, CLASSES).float()
    named = labels < LABELS
    targets[named] *= 1 - smoothing
    targets[named, :LABELS] += smoothing / LABELS
    change = torch.zeros_like(outputs.weight, requires_grad=True)
    bias, scale = outputs.bias.clone().requires_grad_(True), torch.ones((), requires_grad=True)
    optimiser = torch.optim.Adam([{"params": [change], "lr": 3e-3}, {"params": [bias, scale], "lr": 1e-2}])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    for _ in range(steps):
        batch, mirror = torch.multinomial(weights, 1024, replacement=True), torch.randint(0, 2, (1024,))
        answers = F.linear(F.dropout(inputs[batch, mirror], 0.2), scale * outputs.weight + change, bias)
        loss = -(targets[batch] * log_probabilities(answers, outputs.classes)).sum(1).mean() + pull * change.square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return (scale * outputs.weight + change).detach(), bias.detach()


def training_weights(table, rows):
    """Return how often each photo is drawn: rare labels and rare origins more often than common ones. All other breeds
    together count as one label.
    """
    shares = np.ones(len(rows))
    for values, power in ((table.label[rows], 0.5), (table.origin[rows], 0.3)):
        _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
        shares *= counts[inverse] ** -power
    return torch.from_numpy(shares)


class Probes:
    """Linear probes on the features of each photo and of its mirror image."""

    def __init__(self, table, found, outputs):
        self.table, self.outputs = table, outputs
        self.inputs = torch.from_numpy(found.astype(np.float32))

    def fit(self, rows):
        labels = torch.from_numpy(self.table.label[rows])
        return fit(self.outputs, self.inputs[rows], labels, training_weights(self.table, rows))

    def logits(self, probe, rows):
        return F.linear(self.inputs[rows].mean(1), *probe).numpy()

    def probabilities(self, probe, rows):
        return probabilities_of(self.logits(probe, rows), self.outputs.classes)


def by_origin(table, probabilities, rows):
    """Return the share of right answers of each origin, every label counting alike. There is a row for each of `rows`."""
    shares = {}
    right = probabilities[:, :LABELS].argmax(1) == table.label[rows]
    for origin in np.unique(table.origin[rows]):
        mine = table.origin[rows] == origin
        labels = table.label[rows][mine]
        shares[origin] = (np.mean([right[mine][labels == label].mean() for label in np.unique(labels)]), mine.sum())
    return shares


def cross_fitted(table, probes, known):
    """Return the logits of all photos, of probes that have not seen them."""
    usable = known & table.trains
    logits = np.zeros((len(table), len(probes.outputs.classes)), np.float32)
    for fold in range(FOLDS):
        probe = probes.fit(np.flatnonzero(usable & (table.fold != fold)))
        rows = np.flatnonzero(known & (table.fold == fold))
        logits[rows] = probes.logits(probe, rows)
        others = np.flatnonzero(~known)
        logits[others] += probes.logits(probe, others) / FOLDS
    return logits


def origins_out(table, probes, known):
    """Return the probabilities of all labelled photos, of probes that have seen no photo of their origin."""
    found = np.zeros((len(table), CLASSES), np.float32)
    for origin in np.unique(table.origin[known]):
        rows = np.flatnonzero(known & (table.origin == origin))
        probe = probes.fit(np.flatnonzero(known & table.trains & (table.origin != origin)))
        found[rows] = probes.probabilities(probe, rows)
    return found


def report(name, shares):
    print(name + ": " + ", ".join(f"{origin} {share:.3f} ({count})" for origin, (share, count) in shares.items()), flush=True)
    print(f"{name}: mean over origins {np.mean([share for share, _ in shares.values()]):.4f}", flush=True)


def with_teachers(path, table, probe):
    """Return the mean of the probe's answers and of the soft labels that came with the data. Those know no other breeds,
    so the probe alone decides about these.
    """
    stored = np.load(path)
    place = {str(file): index for index, file in enumerate(stored["files"])}
    theirs = stored["probs"][[place[file] for file in table.file]].astype(np.float32)
    other = probe[:, OTHER_BREED:]
    return (probe + np.concatenate([theirs * (1 - other), other], 1)) / 2


def temperature_of(logits, classes, labels):
    def loss(temperature):
        return negative_log_likelihood(probabilities_of(logits, classes, temperature), labels)
    return float(min(np.arange(0.4, 2.01, 0.05), key=loss))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--teachers", type=pathlib.Path, required=True, help="soft_labels.npz")
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
    outputs = Outputs(options.data)
    probes = Probes(table, stored_features(table, options.work, options.threads), outputs)
    logits = cross_fitted(table, probes, known)
    rows = np.flatnonzero(table.named & table.trains)
    temperature = temperature_of(logits[rows], outputs.classes, table.label[rows])
    answers = probabilities_of(logits, outputs.classes, temperature)
    soft = with_teachers(options.teachers, table, answers)
    for name, found in (("probe", answers), ("probe and teachers", soft)):
        right = found[rows, :LABELS].argmax(1) == table.label[rows]
        print(f"{name}, out of fold: {right.mean():.4f}, temperature {temperature:.2f}")
    probe = probes.fit(np.flatnonzero(known & table.trains))
    for name, rows in table.sets.items():
        if len(rows) and table.named[rows].all():
            report(f"probe, {name}", by_origin(table, probes.probabilities(probe, rows), rows))
    if options.origins:
        rows = np.flatnonzero(table.named)
        report("probe, each origin unseen", by_origin(table, origins_out(table, probes, known)[rows], rows))
    weight, bias = probe
    np.savez(options.work / f"{options.name}.npz", soft=soft.astype(np.float16), weight=weight.numpy(), bias=bias.numpy(),
             classes=outputs.classes)


if __name__ == "__main__":
    main()
