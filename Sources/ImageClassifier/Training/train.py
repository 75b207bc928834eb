"""Trains the student on labelled crops. Writes student.pt (averaged weights) and prints the figures on val during
training.
"""
import argparse
import copy
import csv
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F

from evaluate import DEVIATION, DOGS, MEAN, figures, normalised, views
from model import Student
from prepare import UNSEEN_BREED

THESIS_COLUMN = "thesis_breed"


class Crops:
    """Labelled crops, sampled by label so that rare labels are overrepresented and common ones underrepresented."""

    def __init__(self, work, options):
        table = np.load(work / "table.npz")
        self.owner = np.load(work / "crop_owner.npy")
        self.photos = np.load(work / "photos.npy", mmap_mode="r")[self.owner]
        self.boxes = np.load(work / "boxes.npy")
        self.soft = np.load(work / "soft.npy")
        self.guide = np.load(work / "guide.npy")
        self.labels = torch.from_numpy(table["label"][self.owner])
        self.truth_share = options.truth
        _, index, counts = np.unique(self.labels, return_inverse=True, return_counts=True)
        self.weights = torch.from_numpy(counts[index] ** -options.balance)
        self.weights[(self.labels >= DOGS) | (self.labels == UNSEEN_BREED)] *= options.others

    def __len__(self):
        return len(self.owner)

    def order(self):
        return torch.multinomial(self.weights, len(self), replacement=True)

    def targets(self, rows, rounds):
        soft = torch.from_numpy(self.soft[rows, rounds].astype(np.float32))
        labels = self.labels[rows]
        share = torch.where(labels >= 0, self.truth_share, torch.where(labels == UNSEEN_BREED, 0.5, 0.0))[:, None]
        any_dog = F.pad(torch.full((DOGS,), 1 / DOGS), (0, soft.shape[1] - DOGS)).expand_as(soft)
        truth = torch.where(labels[:, None] >= 0, F.one_hot(labels.clamp(min=0), soft.shape[1]).float(), any_dog)
        return soft * (1 - share) + truth * share

    def batch(self, rows, side):
        rounds = np.random.randint(0, self.soft.shape[1], len(rows))
        rows = rows.numpy()
        images = cut(torch.from_numpy(self.photos[rows]), torch.from_numpy(self.boxes[rows, rounds]), side)
        return coloured(images), self.targets(rows, rounds), torch.from_numpy(self.guide[rows, rounds].astype(np.float32))


def cut(photos, boxes, side):
    """Cut out the box of each photo with slightly jittered edges, and mirror half of the crops."""
    count = len(photos)
    left, top, right, bottom = boxes.unbind(1)
    wide, high = right - left, bottom - top
    left, right = (edge + wide * torch.randn(count) * 0.02 for edge in (left, right))
    top, bottom = (edge + high * torch.randn(count) * 0.02 for edge in (top, bottom))
    mirror = (torch.rand(count) < 0.5).float() * 2 - 1
    steps = torch.linspace(-1 + 1 / side, 1 - 1 / side, side)
    across = (steps * ((right - left) * mirror)[:, None] + (left + right - 1)[:, None])[:, None, :]
    down = (steps * (bottom - top)[:, None] + (top + bottom - 1)[:, None])[:, :, None]
    grid = torch.stack([across.expand(-1, side, -1), down.expand(-1, -1, side)], 3)
    images = photos.permute(0, 3, 1, 2).float()
    return F.grid_sample(images, grid, padding_mode="reflection", align_corners=False)


def uniform(count, low, high):
    return torch.empty(count, 1, 1).uniform_(low, high)


def coloured(images):
    """Change saturation, contrast, brightness and tint randomly, and normalise, with one 3x3 matrix per image."""
    count, _, high, wide = images.shape
    saturation = uniform(count, 0.6, 1.4)
    matrix = saturation * torch.eye(3) + (1 - saturation) / 3
    contrast, brightness = uniform(count, 0.7, 1.3), uniform(count, 0.7, 1.3)
    middle = images[:, :, ::4, ::4].mean((1, 2, 3)).view(count, 1, 1)
    tint = brightness * (1 + 0.05 * torch.randn(count, 3, 1))
    deviation = torch.tensor(DEVIATION).view(3, 1)
    matrix = matrix * contrast * tint / 255 / deviation
    shift = (middle * (1 - contrast) * tint / 255 - torch.tensor(MEAN).view(3, 1)) / deviation
    images = torch.baddbmm(shift, matrix, images.reshape(count, 3, -1)).view(count, 3, high, wide)
    return images.contiguous(memory_format=torch.channels_last)


def patched(images, targets, guide):
    """Paste a patch of another image into each image, and mix the labels in proportion."""
    side = images.shape[-1]
    edge = int(side * math.sqrt(np.random.uniform(0.1, 0.5)))
    top, left = np.random.randint(0, side - edge + 1, 2)
    other = torch.randperm(len(images))
    images[:, :, top:top + edge, left:left + edge] = images[other, :, top:top + edge, left:left + edge]
    share = (edge / side) ** 2
    return images, targets.lerp(targets[other], share), guide.lerp(guide[other], share)


class Average:
    """A moving average of weights and statistics."""

    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).eval()
        self.decay = decay
        self.steps = 0

    @torch.no_grad()
    def follow(self, model):
        self.steps += 1
        share = max(1 - self.decay, 1 / self.steps)
        mine, its = self.model.state_dict(), model.state_dict()
        floats = [name for name in mine if mine[name].is_floating_point()]
        torch._foreach_lerp_([mine[name] for name in floats], [its[name] for name in floats], share)


@torch.no_grad()
def logits_of(model, images, batch=64):
    parts = [torch.from_numpy(normalised(images[start:start + batch])) for start in range(0, len(images), batch)]
    return torch.cat([model(part.contiguous(memory_format=torch.channels_last)) for part in parts]).float().numpy()


def parameter_groups(model, decay):
    decayed = [p for p in model.parameters() if p.ndim > 1]
    return [{"params": decayed, "weight_decay": decay}, {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0}]


def rate_at(progress, peak, warm=0.04):
    if progress < warm:
        return peak * max(progress / warm, 0.01)
    return peak * max(0.5 * (1 + math.cos(math.pi * (progress - warm) / (1 - warm))), 0.002)


def read_thesis(data):
    with open(data / "taxonomy.csv", newline="") as file:
        return [int(row["label_id"]) for row in csv.DictReader(file) if row[THESIS_COLUMN]]


class Examiner:
    def __init__(self, options):
        table = np.load(options.work / "table.npz")
        rows = (table["split"] == "val") & (table["label"] >= 0)
        self.labels = table["label"][rows]
        self.thesis = read_thesis(options.data)
        self.views = {side: views(options.data, table["path"][rows], side, "stretch") for side in (128, 160)}

    def judge(self, model):
        return "  ".join(
            f"{side} px: " + " ".join(f"{name} {value:.4f}" for name, value in
                                      figures(logits_of(model, images), self.labels, self.thesis).items())
            for side, images in self.views.items())


def read_options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--name", default="student")
    parser.add_argument("--epochs", type=float, default=99)
    parser.add_argument("--minutes", type=float, help="ends by the clock instead; then the run is not repeatable to the bit")
    parser.add_argument("--batch", type=int, default=96)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--decay", type=float, default=0.05)
    parser.add_argument("--average", type=float, default=0.999)
    parser.add_argument("--balance", type=float, default=0.4)
    parser.add_argument("--others", type=float, default=1, help="how much oftener what is no dog, or a breed without a label, comes")
    parser.add_argument("--truth", type=float, default=0.25, help="share of the true label in the target")
    parser.add_argument("--guidance", type=float, default=1.5, help="weight of telling the teachers' features")
    parser.add_argument("--patches", type=float, default=0.5, help="share of the batches that get patches, until --calm")
    parser.add_argument("--calm", type=float, default=0.85)
    parser.add_argument("--small", type=float, default=0.4, help="share of the training at 96 px; then 128")
    parser.add_argument("--start", help="name of a trained student to go on from")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=3)
    return parser.parse_args()


def main():
    options = read_options()
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)
    torch.set_num_threads(options.threads)
    crops = Crops(options.work, options)
    examiner = Examiner(options)
    student = Student(crops.soft.shape[2], guide=crops.guide.shape[2]).to(memory_format=torch.channels_last)
    if options.start:
        student.load_state_dict(torch.load(options.work / f"{options.start}.pt"))
    average = Average(student, options.average)
    optimiser = torch.optim.AdamW(parameter_groups(student, options.decay), fused=True)
    print(f"{sum(p.numel() for p in student.parameters())} parameters, {len(crops)} photos", flush=True)

    start, seen, progress, epoch = time.time(), 0, 0.0, 0
    while progress < 1:
        told, explained, batches = 0.0, 0.0, 0
        for rows in crops.order().split(options.batch):
            minutes, epochs = (time.time() - start) / 60, seen / len(crops)
            progress = minutes / options.minutes if options.minutes else epochs / options.epochs
            if progress >= 1:
                break
            for group in optimiser.param_groups:
                group["lr"] = rate_at(progress, options.rate)
            images, targets, guide = crops.batch(rows, 96 if progress < options.small else 128)
            if progress < options.calm and np.random.rand() < options.patches:
                images, targets, guide = patched(images, targets, guide)
            with torch.autocast("cpu", torch.bfloat16):
                features = student.features(images)
                answers, guesses = student.head(features), student.guide(features)
            distillation = -(targets * F.log_softmax(answers.float(), 1)).sum(1).mean()
            distance = (guesses.float() - guide).square().sum(1).mean()
            optimiser.zero_grad()
            (distillation + options.guidance * distance).backward()
            optimiser.step()
            average.follow(student)
            seen += len(rows)
            told, explained, batches = told + distillation.item(), explained + distance.item(), batches + 1
        epoch += 1
        if epoch % 6 == 0 or progress >= 1:
            torch.save(average.model.state_dict(), options.work / f"{options.name}.pt")
            print(f"epoch {epoch} {time.time() - start:.0f} s progress {progress:.3f} loss {told / max(batches, 1):.3f} "
                  f"guide {explained / max(batches, 1):.3f}  {examiner.judge(average.model)}", flush=True)


if __name__ == "__main__":
    main()
