#!/usr/bin/env python3
"""Fits points.bin to the comune boundaries: fit.py CANDIDATE_DIR ITALY_DIR COMUNI.geojson [OUTPUT_DIR [EXTRA]].

Every comune gets EXTRA more points besides its seat and hamlets, and the countries around Italy share ABROAD points.
Gradient descent moves all points and changes their weights until "the comune of the point with the smallest
log(distance) - weight" is the true one for points sampled in the polygons. Run build.py first. The script needs
numpy, scipy, shapely and torch (CPU), and took five minutes on four cores; README.md has the results. Threads add
floating-point numbers in any order, so another run differs in the last digits.

The GeoJSON has one feature per comune with its cadastral code in the property `catasto`. Three samples are drawn
with different seeds: one to fit, one to calibrate the confidence, one to validate.
"""

import json
import pathlib
import sys
import time

import numpy as np
import shapely
import torch
from scipy.spatial import cKDTree
from shapely.geometry import shape

import build
import layout
from points import KM_PER_LAT, KM_PER_LON, SOFTENING_KM, Point, exclaves, pack, plain

EXTRA = int(sys.argv[5]) if len(sys.argv) > 5 else 12
FITTED, CALIBRATED, VALIDATED = 600, 40, 40
CANDIDATES = 24
EPOCHS = 18
BATCH = 32_768
# The width in degrees of the belt around Italy in which other countries take part, and the number of their points.
BELT, ABROAD = 0.07, 4_000
NEIGHBOURS = {"AT", "CH", "FR", "MC", "SI", "SM"}
# In square degrees: about a tenth of a square kilometre. Smaller pieces result from differences between the borders of
# the two sources.
SLIVER = 1e-5
SEATS = 8
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


def read_polygons(path, gazetteer):
    """Return (owner, polygon) of every existing comune, and the belt of other countries around them."""
    features = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["features"]
    shapes = [(feature["properties"]["catasto"], shape(feature["geometry"])) for feature in features]
    known = [(gazetteer.comune_index[code], polygon) for code, polygon in shapes if code in gazetteer.comune_index]
    return known, belt(gazetteer, shapely.coverage_union_all([polygon for _, polygon in shapes]))


def belt(gazetteer, italy):
    """Return the land of other countries within BELT degrees of Italy; Natural Earth's coarse border is buffered to
    close gaps.
    """
    neighbours = [shape(feature["geometry"]).buffer(0.02)
                  for feature in build.outlines.read(gazetteer.source / "layers" / "world_admin1_0.02.geojson")
                  if feature["properties"]["cc"] in NEIGHBOURS]
    near = italy.simplify(0.01).buffer(BELT)
    enclaves = [shapely.Polygon(ring) for part in italy.geoms for ring in part.interiors]
    land = shapely.union_all([polygon for polygon in neighbours if polygon.intersects(near)])
    return land.intersection(near).union(shapely.union_all(enclaves)).difference(italy)


def sample_all(gazetteer, polygons, abroad, seed, count):
    """Sample points of the comuni and, at the same mean density, of the belt abroad."""
    owner, lon, lat = sample(polygons, seed, count)
    density = len(owner) / sum(polygon.area for _, polygon in polygons)
    parts = [(owner, lon, lat)]
    for number, part in enumerate(shapely.get_parts(abroad)):
        if part.area < SLIVER:
            continue
        # Enclaves are small, so without a minimum the Vatican would have one or two points.
        wanted = max(100, round(density * part.area))
        parts.append(sample([(len(gazetteer.comuni), part)], seed * 1000 + number, wanted))
    return tuple(np.concatenate(columns) for columns in zip(*parts))


def with_seats(gazetteer, samples):
    """Add each seat several times, because the coordinates of a comune's seat must resolve to that comune."""
    seats = [i for i, located in enumerate(gazetteer.located) if located]
    lon, lat = (np.array([getattr(gazetteer.comuni[i], name) for i in seats]) for name in ("lon", "lat"))
    random = np.random.default_rng(4)
    jitter = random.normal(0, 0.0005, (2, SEATS * len(seats)))
    extra = np.repeat(np.array(seats), SEATS), np.repeat(lon, SEATS) + jitter[0], np.repeat(lat, SEATS) + jitter[1]
    return tuple(np.concatenate(pair) for pair in zip(samples, extra))


def plane(lon, lat):
    """Return kilometres on a plane that is accurate enough to look up candidates; scores use the latitude of the query.
    """
    return np.column_stack([lon * KM_PER_LON * np.cos(np.radians(42.5)), lat * KM_PER_LAT])


def spread(points, samples, abroad):
    """Return more points for each owner; each is the sample farthest from all points of the owner so far."""
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
        for _ in range(ABROAD if own == abroad else EXTRA):
            far = int(nearest.argmax())
            extra.append(Point(own, lon[rows[far]], lat[rows[far]], 0.0))
            nearest = np.minimum(nearest, np.hypot(*(spots - spots[far]).T))
    return extra


class Model(torch.nn.Module):
    def __init__(self, points):
        super().__init__()
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
        points = plane(self.lon.detach().double().numpy(), self.lat.detach().double().numpy())
        _, found = cKDTree(points).query(plane(lon, lat), k=CANDIDATES, workers=-1)
        return torch.tensor(found.astype(np.int32))


def loss(model, candidates, owner, lon, lat):
    """Return the cross entropy of the owners, over samples with a candidate of the true owner."""
    scores = -model.scores(candidates, lon, lat) * torch.exp(model.sharpness)
    own = model.owner[candidates] == owner[:, None]
    reached = own.any(1)
    right = torch.logsumexp(torch.where(own, scores, torch.tensor(-1e9)), 1)
    return (torch.logsumexp(scores, 1) - right)[reached].mean()


def fit(model, fitted, validated):
    owner, lon, lat = (torch.tensor(values) for values in fitted)
    lon, lat = lon.float(), lat.float()
    optimiser = torch.optim.Adam([
        {"params": [model.lon, model.lat], "lr": 0.0008}, {"params": [model.weight, model.sharpness], "lr": 0.012}])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, EPOCHS, eta_min=0)
    start = time.time()
    for epoch in range(EPOCHS):
        if epoch in REFRESHED:
            candidates = model.candidates(*fitted[1:])
        order = torch.randperm(len(owner))
        total = 0.0
        for first in range(0, len(owner), BATCH):
            rows = order[first:first + BATCH]
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


def main():
    source, italy, polygons_path = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    output = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else build.HERE
    torch.manual_seed(1)
    gazetteer = build.Gazetteer(source, italy)
    polygons, abroad = read_polygons(polygons_path, gazetteer)
    sampled = sample_all(gazetteer, polygons, abroad, 1, FITTED)
    calibrated, validated = sample(polygons, 2, CALIBRATED), sample(polygons, 3, VALIDATED)
    points = plain(gazetteer)
    fitted = with_seats(gazetteer, sampled)
    print(f"{len(fitted[0])} samples, {(sampled[0] == len(gazetteer.comuni)).sum()} of them abroad", flush=True)
    model = Model(points + spread(points, sampled, len(gazetteer.comuni)))
    fit(model, fitted, validated)
    values = zip(model.owner.tolist(), model.lon.tolist(), model.lat.tolist(), model.weight.tolist())
    tables = layout.pack(gazetteer.sections())
    curve = calibrate(*judge(model, calibrated))
    packed = pack(tables, [Point(*value) for value in values], curve, exclaves(gazetteer))
    (output / "points.bin").write_bytes(packed)
    print(f"{len(model.owner)} points, {len(packed)} bytes")


if __name__ == "__main__":
    main()
