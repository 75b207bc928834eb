"""Fits weighted points to the areas of municipalities: "the municipality of the point with the smallest log(distance) - weight" shall be
the true one. Gradient descent moves all points and changes their weights; fit.py and fit_italy.py use it.

Needs numpy, scipy, shapely and torch (CPU). Threads add floating-point numbers in any order, so another run differs in the last digits.
"""

import time

import numpy as np
import shapely
import torch
from scipy.spatial import cKDTree

from points import KM_PER_LAT, KM_PER_LON, SOFTENING_KM, Point

CANDIDATES = 24
# Samples of a step: at least so many, and so many of each owner. With fewer, points of small municipalities wander.
BATCH, BATCH_OF_EACH = 32_768, 6
# The nearest candidates change as the points move; in these epochs they are looked up again.
REFRESHED = {0, 1, 3, 6, 9, 12, 15}
# The reader softens distances in the same way: points within 100 m count as equally near.
SOFTENING = SOFTENING_KM ** 2


def sample(polygons, seed, count):
    """Return uniformly distributed points of each polygon as (owner, lon, lat)."""
    random, parts = np.random.default_rng(seed), []
    for owner, polygon in polygons:
        shapely.prepare(polygon)
        west, south, east, north = polygon.bounds
        kept = np.empty((0, 2))
        while len(kept) < count:
            points = random.uniform((west, south), (east, north), (3 * count, 2))
            kept = np.vstack([kept, points[shapely.contains_xy(polygon, points[:, 0], points[:, 1])]])
        parts.append(np.column_stack([np.full(count, owner), kept[:count]]))
    joined = np.concatenate(parts)
    return joined[:, 0].astype(np.int64), joined[:, 1], joined[:, 2]


class Plane:
    """Kilometres on a plane that is accurate enough to look up candidates; scores use the latitude of the query."""

    def __init__(self, latitude):
        self.scale = KM_PER_LON * np.cos(np.radians(latitude)), KM_PER_LAT

    def __call__(self, lon, lat):
        return np.column_stack([lon * self.scale[0], lat * self.scale[1]])


def spread(points, samples, plane, count):
    """Return `count(owner)` more points for each owner; each is the sample farthest from all points of the owner so far."""
    owner, lon, lat = samples
    known = {}
    for point in points:
        known.setdefault(point.owner, []).append((point.lon, point.lat))
    extra = []
    order = np.argsort(owner, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        own = int(owner[rows[0]])
        spots = plane(lon[rows], lat[rows])
        nearest = np.full(len(rows), 1e9)
        for spot in known.get(own, []):
            nearest = np.minimum(nearest, np.hypot(*(spots - plane(*np.array([spot]).T)).T))
        for _ in range(count(own)):
            far = int(nearest.argmax())
            extra.append(Point(own, lon[rows[far]], lat[rows[far]], 0.0))
            nearest = np.minimum(nearest, np.hypot(*(spots - spots[far]).T))
    return extra


class Model(torch.nn.Module):
    def __init__(self, points, plane):
        super().__init__()
        self.plane = plane
        self.owner = torch.tensor([point.owner for point in points])
        self.lon = torch.nn.Parameter(torch.tensor([p.lon for p in points], dtype=torch.float32))
        self.lat = torch.nn.Parameter(torch.tensor([p.lat for p in points], dtype=torch.float32))
        self.weight = torch.nn.Parameter(torch.tensor([p.weight for p in points], dtype=torch.float32))
        self.sharpness = torch.nn.Parameter(torch.tensor(1.5))

    def scores(self, candidates, lon, lat):
        """Return log(distance) - weight of each candidate of each sample."""
        dx = (self.lon[candidates] - lon[:, None]) * (KM_PER_LON * torch.cos(torch.deg2rad(lat)))[:, None]
        dy = (self.lat[candidates] - lat[:, None]) * KM_PER_LAT
        return torch.log(dx * dx + dy * dy + SOFTENING) / 2 - self.weight[candidates]

    def candidates(self, lon, lat):
        points = self.plane(self.lon.detach().double().numpy(), self.lat.detach().double().numpy())
        _, found = cKDTree(points).query(self.plane(lon, lat), k=CANDIDATES, workers=-1)
        return torch.tensor(found.astype(np.int32))


def loss(model, candidates, owner, lon, lat):
    """Return the cross entropy of the owners, over samples with a candidate of the true owner."""
    scores = -model.scores(candidates, lon, lat) * torch.exp(model.sharpness)
    own = model.owner[candidates] == owner[:, None]
    reached = own.any(1)
    right = torch.logsumexp(torch.where(own, scores, torch.tensor(-1e9)), 1)
    return (torch.logsumexp(scores, 1) - right)[reached].mean()


def fit(model, fitted, validated, epochs):
    owner, lon, lat = (torch.tensor(values) for values in fitted)
    lon, lat = lon.float(), lat.float()
    optimiser = torch.optim.Adam([
        {"params": [model.lon, model.lat], "lr": 0.0008}, {"params": [model.weight, model.sharpness], "lr": 0.012}])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs, eta_min=0)
    start = time.time()
    batch = max(BATCH, BATCH_OF_EACH * (int(owner.max()) + 1))
    for epoch in range(epochs):
        if epoch in REFRESHED:
            candidates = model.candidates(*fitted[1:])
        order = torch.randperm(len(owner))
        total = 0.0
        for first in range(0, len(owner), batch):
            rows = order[first:first + batch]
            value = loss(model, candidates[rows].long(), owner[rows], lon[rows], lat[rows])
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            total += value.item() * len(rows)
        schedule.step()
        right, _ = judge(model, validated)
        print(f"epoch {epoch}: loss {total / len(owner):.4f}, right on unseen points {right.mean():.4f}, "
              f"{time.time() - start:.0f} s", flush=True)


@torch.no_grad()
def judge(model, samples):
    """Return whether each sample's best owner is right, and its margin over the second-best owner."""
    owner, lon, lat = samples
    candidates = model.candidates(lon, lat).long()
    scores = model.scores(candidates, torch.tensor(lon).float(), torch.tensor(lat).float()).numpy()
    owners = model.owner[candidates].numpy()
    rows = np.arange(len(owner))
    best = scores.argmin(1)
    found = owners[rows, best]
    others = np.where(owners == found[:, None], np.inf, scores)
    return found == owner, others.min(1) - scores[rows, best]


def points_of(model):
    values = zip(model.owner.tolist(), model.lon.tolist(), model.lat.tolist(), model.weight.tolist())
    return [Point(*value) for value in values]


def calibrate(right, margin):
    """Return knots of the share of right answers by margin, never decreasing; each part of the sample is twice the
    previous one.
    """
    order = np.argsort(margin)
    edges = [0] + [len(order) >> shift for shift in range(9, -1, -1)]
    knots, highest = [], 0.0
    for low, high in zip(edges, edges[1:]):
        part = order[low:high]
        finite = margin[part][np.isfinite(margin[part])]
        highest = max(highest, float(right[part].mean()))
        knots.append((float(np.median(finite)), highest))
    return knots
