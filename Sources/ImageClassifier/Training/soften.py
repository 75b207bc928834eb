"""Converts teachers' features of crops to soft labels, and to the components that the student's features should
predict.

Each fold has one linear probe, which is fitted on the crops of the other folds' photos and labels the crops of its
own fold. A photo thus never influences its own soft labels, and they are as uncertain as the teachers are about
unseen photos. Photos without a label get the mean of all probes.
"""
import argparse
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

from prepare import FOLDS

BATCH = 2048


def standardised(features, rows, mean, deviation):
    return (torch.from_numpy(features[rows].astype(np.float32)) - mean) / deviation


def fit_probes(features, labels, folds, mean, deviation, options):
    """Fit the probes of all folds in one matrix, so that one pass over the features is enough."""
    probes = torch.nn.Linear(features.shape[1], FOLDS * options.labels)
    torch.nn.init.zeros_(probes.weight)
    rows = np.flatnonzero(labels >= 0)
    steps = options.epochs * (len(rows) // BATCH)
    optimiser = torch.optim.AdamW(probes.parameters(), lr=options.rate, weight_decay=options.decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    random = np.random.default_rng(options.seed)
    for epoch in range(options.epochs):
        total = 0
        for batch in np.array_split(random.permutation(rows), len(rows) // BATCH):
            batch = np.sort(batch)
            answer = probes(standardised(features, batch, mean, deviation)).view(-1, FOLDS, options.labels)
            truth = torch.from_numpy(labels[batch])[:, None].expand(-1, FOLDS)
            loss = F.cross_entropy(answer.flatten(0, 1), truth.flatten(), reduction="none").view(-1, FOLDS)
            others = torch.arange(FOLDS)[None] != torch.from_numpy(folds[batch])[:, None]
            loss = (loss * others).sum() / others.sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total * BATCH / len(rows):.3f}", flush=True)
    return probes


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--labels", type=int, default=75)
    parser.add_argument("--guide", type=int, default=512, help="how many principal components the student shall tell")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=3)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)

    table = np.load(options.work / "table.npz")
    owner = np.load(options.work / "crop_owner.npy")
    rounds = min(int(path.read_text()) for path in options.work.glob("rounds-*.txt"))
    features = np.load(options.work / "features.npy", mmap_mode="r")[:, :rounds]
    photos, width = features.shape[0], features.shape[2]
    features = np.ascontiguousarray(features).reshape(-1, width)
    labels = table["label"][owner].repeat(rounds).astype(np.int64)
    folds = table["fold"][owner].repeat(rounds)

    sample = torch.from_numpy(features[::4].astype(np.float32))
    mean, deviation = sample.mean(0), sample.std(0) + 1e-3
    sample = (sample - mean) / deviation
    spread, directions = torch.linalg.eigh(sample.T @ sample / len(sample))
    directions = directions[:, -options.guide:].flip(1)
    spread = spread[-options.guide:].flip(0)
    print(f"{rounds} rounds, {options.guide} components hold {spread.sum() / width:.3f} of the variance", flush=True)
    del sample

    with torch.enable_grad():
        probes = fit_probes(features, labels, folds, mean, deviation, options)

    answers = np.empty((len(features), options.labels), np.float32)
    guide = np.empty((len(features), options.guide), np.float16)
    for start in range(0, len(features), BATCH):
        rows = np.arange(start, min(start + BATCH, len(features)))
        batch = standardised(features, rows, mean, deviation)
        every = probes(batch).view(-1, FOLDS, options.labels)
        own = every[torch.arange(len(rows)), torch.from_numpy(folds[rows])]
        nobodys = torch.from_numpy(labels[rows] < 0)[:, None]
        answers[rows] = torch.where(nobodys, every.mean(1), own).numpy()
        guide[rows] = (batch @ directions / spread.sum().sqrt()).numpy()

    known = labels >= 0
    losses = {t: F.cross_entropy(torch.from_numpy(answers[known]) / t, torch.from_numpy(labels[known])).item()
              for t in np.arange(0.6, 2.01, 0.1)}
    temperature = min(losses, key=losses.get)
    whole = known & (np.arange(len(features)) % rounds == 0)
    print(f"temperature {temperature:.1f}, loss {losses[temperature]:.3f}; out of fold, top-1 of crops "
          f"{(answers.argmax(1) == labels)[known].mean():.4f}, of whole photos {(answers.argmax(1) == labels)[whole].mean():.4f}")
    soft = torch.softmax(torch.from_numpy(answers) / temperature, 1).numpy()
    np.save(options.work / "soft.npy", soft.reshape(photos, rounds, -1).astype(np.float16))
    np.save(options.work / "guide.npy", guide.reshape(photos, rounds, -1))


if __name__ == "__main__":
    main()
