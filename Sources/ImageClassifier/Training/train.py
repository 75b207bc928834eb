"""Trains the last blocks of the network on random views of the photos. Writes NAME.pt (averaged weights) and prints the
figures during training.
"""
import argparse
import copy
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F

from augment import augmented
from evaluate import figures, normalised, probabilities_of, view
from network import DEVIATION, MEAN, Classifier
from outputs import log_probabilities
from photos import CLASSES, OTHER_BREED, Table, thesis_labels
from teach import by_origin, training_weights


class Views(torch.utils.data.Dataset):
    """Random views of the training photos. All photos are kept decoded (1.2 GB)."""

    def __init__(self, table, soft, options):
        self.rows = np.flatnonzero(table.trains)
        self.photos = [table.photo(index) for index in self.rows]
        self.targets = torch.stack([target(table.label[index], soft[index], options.truth) for index in self.rows])
        self.side = options.side
        self.weights = training_weights(table, self.rows)
        self.seed = options.seed

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, place):
        random = np.random.default_rng(torch.randint(2**31, ()).item())
        return augmented(random, self.photos[place], self.side), self.targets[place]


def target(label, soft, truth):
    """Mix the soft label with the true one. Another breed is certain: its soft label knows the probe's doubts alone."""
    soft = torch.from_numpy(soft.astype(np.float32))
    if label < 0:
        return soft
    truth = 0.8 if label == OTHER_BREED else truth
    return soft * (1 - truth) + F.one_hot(torch.tensor(label), CLASSES) * truth


def planes(images):
    images = images.permute(0, 3, 1, 2).float().div_(255)
    images.sub_(torch.tensor(MEAN).view(3, 1, 1)).div_(torch.tensor(DEVIATION).view(3, 1, 1))
    return images.contiguous(memory_format=torch.channels_last)


def mixed(images, targets):
    """Paste a patch of another image into each image (CutMix), or blend two images (mixup), in some of the batches."""
    choice, other = np.random.rand(), torch.randperm(len(images))
    if choice < 0.2:
        side = images.shape[-1]
        edge = int(side * math.sqrt(np.random.uniform(0.1, 0.5)))
        top, left = np.random.randint(0, side - edge + 1, 2)
        images[:, :, top:top + edge, left:left + edge] = images[other, :, top:top + edge, left:left + edge]
        return images, targets.lerp(targets[other], (edge / side) ** 2)
    if choice < 0.3:
        share = np.random.uniform(0.05, 0.4)
        return images.lerp(images[other], share), targets.lerp(targets[other], share)
    return images, targets


class Average:
    """A moving average of the trained weights."""

    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).eval()
        self.decay, self.steps = decay, 0

    @torch.no_grad()
    def follow(self, model):
        self.steps += 1
        share = max(1 - self.decay, 1 / (1 + self.steps))
        pairs = [(mine, its) for mine, its in zip(self.model.parameters(), model.parameters()) if its.requires_grad]
        torch._foreach_lerp_([mine for mine, _ in pairs], [its for _, its in pairs], share)


@torch.no_grad()
def logits_of(model, images, batch=32):
    parts = [torch.from_numpy(normalised(images[start:start + batch])) for start in range(0, len(images), batch)]
    with torch.autocast("cpu", torch.bfloat16):
        return torch.cat([model(part.contiguous(memory_format=torch.channels_last)).float() for part in parts]).numpy()


class Examiner:
    """Prints the figures of a model on the photos that it is not trained on."""

    def __init__(self, table, classes, options):
        self.table, self.classes = table, classes
        self.thesis = thesis_labels(options.data)
        self.sets = {name: rows for name, rows in table.sets.items() if len(rows) and table.named[rows].all()}
        self.views = {name: np.stack([view(table.photo(index), options.test_side, "cover") for index in rows])
                      for name, rows in self.sets.items()}

    def judge(self, model):
        parts = []
        for name, rows in self.sets.items():
            answers = probabilities_of(logits_of(model, self.views[name]), self.classes)
            found = figures(answers, self.table.label[rows], self.thesis)
            origins = by_origin(self.table, answers, rows)
            parts.append(f"{name}: " + " ".join(f"{key} {value:.4f}" for key, value in found.items())
                         + f" by origin {np.mean([share for share, _ in origins.values()]):.4f}")
            if len(origins) < 6:
                parts.append(" ".join(f"{origin} {share:.3f}" for origin, (share, _) in origins.items()))
        return "  ".join(parts)


def rate_at(progress, warm=0.05):
    if progress < warm:
        return max(progress / warm, 0.01)
    return max(0.5 * (1 + math.cos(math.pi * (progress - warm) / (1 - warm))), 0.002)


def optimiser_of(model, options):
    head = set(model.network._fc.parameters())
    groups = []
    for parameter in filter(lambda parameter: parameter.requires_grad, model.parameters()):
        groups.append({"params": [parameter], "peak": options.head_rate if parameter in head else options.rate,
                       "weight_decay": options.decay if parameter.ndim > 1 else 0})
    return torch.optim.AdamW(groups, lr=options.rate)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--name", default="trained")
    parser.add_argument("--soft", default="soft", help="name of the soft labels")
    parser.add_argument("--hold-out", nargs="*", default=(), help="origins that take no part")
    parser.add_argument("--side", type=int, default=240, help="pixels of a training view")
    parser.add_argument("--test-side", type=int, default=260)
    parser.add_argument("--frozen", type=int, default=7, help="number of blocks that keep their weights")
    parser.add_argument("--epochs", type=float, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--head-rate", type=float, default=1e-4)
    parser.add_argument("--decay", type=float, default=0.02)
    parser.add_argument("--average", type=float, default=0.99)
    parser.add_argument("--truth", type=float, default=0.5, help="share of the true label in the target")
    parser.add_argument("--tell", type=int, default=200, help="steps between two reports")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def started(options, soft):
    """Return the ImageNet network with the linear probe as its head."""
    model = Classifier(len(soft["classes"]), frozen=options.frozen)
    with torch.no_grad():
        model.network._fc.weight.copy_(torch.from_numpy(soft["weight"]))
        model.network._fc.bias.copy_(torch.from_numpy(soft["bias"]))
    return model.to(memory_format=torch.channels_last)


def main():
    options = read_options()
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)
    torch.set_num_threads(options.threads)
    table = Table(options.data, options.hold_out)
    soft = np.load(options.work / f"{options.soft}.npz")
    views = Views(table, soft["soft"], options)
    classes = soft["classes"]
    examiner = Examiner(table, classes, options)
    model = started(options, soft)
    torch.save(model.state_dict(), options.work / f"{options.name}-start.pt")
    print(f"{len(views)} photos; start: {examiner.judge(model.eval())}", flush=True)
    average, optimiser = Average(model, options.average), optimiser_of(model, options)

    steps = int(options.epochs * len(views) / options.batch)
    sampler = torch.utils.data.WeightedRandomSampler(views.weights, steps * options.batch)
    loader = torch.utils.data.DataLoader(views, options.batch, sampler=sampler, num_workers=options.workers)
    begun, told = time.time(), 0.0
    model.train()
    for step, (images, targets) in enumerate(loader):
        for group in optimiser.param_groups:
            group["lr"] = group["peak"] * rate_at(step / steps)
        images, targets = mixed(planes(images), targets)
        with torch.autocast("cpu", torch.bfloat16):
            answers = model(images)
        loss = -(targets * log_probabilities(answers.float(), classes)).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        average.follow(model)
        told += loss.item()
        if (step + 1) % 25 == 0:
            print(f"step {step + 1} of {steps}, {time.time() - begun:.0f} s, loss {told / 25:.3f}", flush=True)
            told = 0.0
        if (step + 1) % options.tell == 0 or step + 1 == steps:
            torch.save(average.model.state_dict(), options.work / f"{options.name}.pt")
            print(f"step {step + 1}: {examiner.judge(average.model)}", flush=True)


if __name__ == "__main__":
    main()
