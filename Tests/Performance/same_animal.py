#!/usr/bin/env python3
"""Measures the comparison of posts of one side: is the dog of this post the one that somebody else saw two days before?

    same_animal.py PROGRAM DATA_FOLDER [--weights FILE | --write-weights FILE] [--second 0.2] [--steps 1|2] [--layers 1]
                   [--sighted] [--seed 1]

DATA_FOLDER has make.py, offsets.csv, cities.csv and real/ with found.csv, lost.csv and truth.csv. Nobody has published two
posts of one stray by two people, so they are made:

- The dogs are those of real/found.csv, in epochs of 84 days, four a year, each epoch in a city of its own. An earlier post has
  the words of the pound's officer and lies where the pattern of offsets.csv says.
- The later post of a dog has the words of another describer. They are drawn from the real links of truth.csv (chance below 0.01),
  in which an officer and an owner described one dog: a random link whose officer wrote the same breed, or else the same set of
  words, or else the same first word, and then what the owner of that link wrote. Where there is none, the words are kept. The
  same is done for the colour, with another link.
- The later post lies off the earlier one by a distance drawn as `longbeach` of make.py, in any direction (`--steps 2`: by two
  such distances), on the same day (50 %) or 1 to 14 days later (geometric, 30 % a day).
- Sex is left out in 40 % of the posts; where both say it, it is the same in 98 %. Later posts say no weight, age or neutering;
  half of the earlier ones do, of animals that somebody holds.
- Half of the dogs of an epoch have an earlier post. A fifth of all (`--second`) have an earlier and a later one. The other half
  have only a later post, by the second describer too, so that their right answer is "none of these".
- `--layers 4` lays four epochs into one city. `--sighted` takes 40 % of the breeds, 80 % of the sexes and all weights, ages and
  facts: a guess at what people tell who only saw a dog.

Dogs and links of years that can be divided by four (2000, 2004, ...) are for training, those of the other years are held out:
no dog, link or city is in both. Weights are counted and their probabilities calibrated with the former, and measured with the latter.
`--weights` measures a table as it is. Weights of size, age, marks, microchip and photo stay those of the program, as do those of
more than 14 days; those of neutering are set by hand. These posts cannot tell them.
"""

import argparse
import collections
import csv
import datetime
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import textwrap

# The shares of posts without a breed and without a sex, and of earlier posts that say weight, age and neutering.
USUAL = argparse.Namespace(no_breed=0, no_sex=0.4, held=0.5)
SIGHTED = argparse.Namespace(no_breed=0.4, no_sex=0.8, held=0)
SEX_SAME = 0.98
FIRST_DAY = datetime.date(2026, 1, 1)  # of each epoch: only the days between posts matter
SAME_DAY, STOP, LONGEST = 0.5, 0.3, 14
COLUMNS = "reference status species breed sex size colour age description last_seen_at lon lat role".split()
# Posts are at most 14 days apart: for later days the weights are those of lost and found listings. Where only one of two posts
# says that an animal is neutered, it depends on the writer alone.
BY_HAND = {("days", "15_to_30_days_after"): -2.74, ("days", "over_30_days_after"): -5, ("neutered", "neither_says"): 0,
           ("neutered", "found_says"): 0, ("neutered", "lost_says"): 0, ("neutered", "both_say"): 0.14,
           ("neutered", "contradiction"): -2.5}
HEADER = """\
Weights for two listings of one side: lost and lost, or found or sighted and the like. That whose animal was seen first stands
for the lost one. In bits: the binary logarithm of how many times likelier a result is for listings of one animal than of two.
distance, days up to 14, breed, colour, sex and weight are counted by Tests/Performance/same_animal.py from {same:,} pairs of
posts of one dog and {other:,} other pairs. The dogs are of the register of impounded dogs of the City of Vancouver, 2000, 2004,
... 2024; what a second person writes of a dog is drawn from {links} real links between this register and lost reports of the
same years (Open Government Licence - Vancouver). Places are drawn from the pattern of Long Beach, and the days between two
posts are assumed: half on one day, none after more than 14; weights of later days are those of weights.tsv. neutered, size,
age, marks, microchip and photo are estimates: no data tell them. Probabilities hold where {prior:.0f} % of new posts have an
earlier one of the same dog.
"""


def words(text):
    return re.findall(r"[^\W_]+", text.lower())


class Describers:
    """What a second person writes of a dog of which the first one wrote something."""

    def __init__(self, pairs, generator):
        self.generator, self.used = generator, collections.Counter()
        self.tables = [collections.defaultdict(list) for _ in self.keys("")]
        for first, second in pairs:
            for table, key in zip(self.tables, self.keys(first)):
                table[key].append(second)

    @staticmethod
    def keys(text):
        some = words(text)
        return " ".join(some), " ".join(sorted(set(some))), "".join(some[:1])

    def describe(self, text):
        for name, table, key in zip(("same words", "same set", "same first word"), self.tables, self.keys(text)):
            if key in table:
                self.used[name] += 1
                return self.generator.choice(table[key])
        self.used["words kept"] += 1
        return text


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def day_of_year(date):
    return datetime.date.fromisoformat(date).timetuple().tm_yday - 1


class Posts:
    """The files of one set of posts."""

    def __init__(self, data, make, folder, isTraining, arguments):
        self.make, self.folder, self.steps = make, folder, arguments.steps
        self.shares = SIGHTED if arguments.sighted else USUAL
        seed = 2 * arguments.seed - (1 if isTraining else 0)
        self.generator = generator = random.Random(seed)
        belongs = lambda date: (int(date[:4]) % 4 == 0) == isTraining  # noqa: E731
        found, lost = ({row["reference"]: row for row in read(data / "real" / name)} for name in ("found.csv", "lost.csv"))
        links = [(found[row["found_reference"]], lost[row["lost_reference"]]) for row in read(data / "real/truth.csv")
                 if float(row["chance"]) < 0.01 and belongs(found[row["found_reference"]]["date"])]
        self.links = len(links)
        self.describers = {name: Describers([(a[name], b[name]) for a, b in links if a[name]], generator) for name in ("breed", "colour")}
        self.real_share = {name: share((a[name], b[name]) for a, b in links) for name in self.describers}
        self.offsets = [(float(row["east"]), float(row["north"])) for row in read(data / "offsets.csv")]
        cities = [(float(row["lon"]), float(row["lat"])) for row in read(data / "cities.csv")][0 if isTraining else 1::2]
        self.earlier, self.later, self.truth, self.said = [], [], [], []
        epochs = collections.defaultdict(list)
        for row in found.values():
            number = day_of_year(row["date"]) // make.SPAN
            if belongs(row["date"]) and number < 4:
                epochs[row["date"][:4], number].append(row)
        epochs = [epochs[key] for key in sorted(epochs) if len(epochs[key]) >= make.FEWEST]
        assert len(epochs) <= len(cities), "more epochs than cities"
        turns = [generator.random() * 2 * math.pi for _ in epochs]
        for number, dogs in enumerate(epochs):
            city = number // arguments.layers
            self.lay(number, dogs, cities[city], turns[city], arguments.second)
        self.epochs, self.linked = len(epochs), len(self.truth)
        self.write()

    def lay(self, number, dogs, city, turn, second):
        generator = self.generator
        generator.shuffle(dogs)
        half = len(dogs) // 2
        for index, dog in enumerate(dogs):
            east, north = generator.choice(self.offsets)
            place = self.make.moved(*city, east * math.cos(turn) - north * math.sin(turn), east * math.sin(turn) + north * math.cos(turn))
            day = FIRST_DAY + datetime.timedelta(day_of_year(dog["date"]) % self.make.SPAN)
            name = f"E{number}-{dog['reference']}"
            if index < half:
                self.earlier.append(self.first_post(name, dog, day, place))
            if index < second * len(dogs) or index >= half:
                self.later.append(self.second_post(f"{name}-2", dog, day, place, index < half))
            if index < min(half, second * len(dogs)):
                self.truth.append((f"{name}-2", name))

    def first_post(self, name, dog, day, place):
        isHeld = self.generator.random() < self.shares.held
        weight = dog["kg"] if isHeld else ""
        facts = ["Neutered or spayed." if isHeld and dog["neutered"] else "", f"About {float(weight):.0f} kg." if weight else ""]
        return self.post(name, self.breed(dog["breed"]), self.sex(dog["sex"]), dog["colour"], day, place, "earlier post",
                         self.make.size(weight), dog["age"] if isHeld else "", " ".join(filter(None, facts)))

    def second_post(self, name, dog, day, place, isPaired):
        breed, colour = (self.describers[kind].describe(dog[kind]) if dog[kind] else "" for kind in ("breed", "colour"))
        if isPaired:
            self.said.append((dog, {"breed": breed, "colour": colour}))
        sex = dog["sex"]
        if sex in ("male", "female") and self.generator.random() >= SEX_SAME:
            sex = "female" if sex == "male" else "male"
        if self.generator.random() >= SAME_DAY:
            days = 1
            while days < LONGEST and self.generator.random() >= STOP:
                days += 1
            day += datetime.timedelta(days)
        for _ in range(self.steps):
            metres, angle = self.make.displacement(self.generator, "longbeach")
            place = self.make.moved(*place, metres * math.cos(angle), metres * math.sin(angle))
        return self.post(name, self.breed(breed), self.sex(sex), colour, day, place, "later post")

    def sex(self, sex):
        return "" if self.generator.random() < self.shares.no_sex else sex

    def breed(self, breed):
        return "" if self.generator.random() < self.shares.no_breed else breed

    def post(self, name, breed, sex, colour, day, place, role, size="", age="", description=""):
        line = self.make.line
        return [name, "found", "dog", line(breed), sex, size, line(colour), line(age, 40), description, day.isoformat(),
                f"{place[0]:.6f}", f"{place[1]:.6f}", role]

    def write(self):
        self.folder.mkdir(exist_ok=True)
        for name, columns, rows in (("lost", COLUMNS, self.earlier), ("found", COLUMNS, self.later),
                                    ("truth", ["found_reference", "lost_reference"], self.truth)):
            with open(self.folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(columns)
                writer.writerows(rows)

    def describe(self, title):
        print(f"{title}: {self.epochs} epochs, {len(self.earlier):,} earlier and {len(self.later):,} later posts, "
              f"{self.linked:,} pairs of one dog; words of {self.links} links")
        for kind, describer in self.describers.items():
            total = sum(describer.used.values())
            made = share((first[kind], second[kind]) for first, second in self.said)
            print(f"  {kind}: " + ", ".join(f"{name} {100 * count / total:.0f} %" for name, count in describer.used.most_common())
                  + f"; equal words in {100 * made:.0f} % of pairs, in {100 * self.real_share[kind]:.0f} % of links")


def share(pairs):
    """The share of pairs that are written with the same words."""
    equal = [words(first) == words(second) for first, second in pairs if first and second]
    return sum(equal) / max(1, len(equal))


def evaluate(program, folder, *options):
    files = [str(folder / f"{name}.csv") for name in ("lost", "found", "truth")]
    return json.loads(subprocess.run([program, "matches", "evaluate", "--json", *options, *files], stdout=subprocess.PIPE, check=True).stdout)


class Table:
    """A table of weights, in the order of its rows."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and line[0] != "#" and not line.startswith("kind\t")]
        self.rows = {(kind, level): bits for kind, level, bits in rows}

    def set(self, kind, level, value):
        self.rows[kind, level] = f"{value:.3f}" if kind == "parameter" else f"{value:.2f}"

    def write(self, path, header=""):
        with open(path, "w", encoding="utf-8") as file:
            file.write(header + "kind\tlevel\tbits\n")
            file.writelines(f"{kind}\t{level}\t{bits}\n" for (kind, level), bits in self.rows.items())


def calibrate(program, posts, table, path, start):
    """Goes from a scale and a logit of none to better ones until no step makes the probabilities of training better."""
    errors = {}

    def error(point):
        if point not in errors:
            table.set("parameter", "scale", point[0])
            table.set("parameter", "none", point[1])
            table.write(path)
            found = evaluate(program, posts.folder, "--weights", str(path))
            errors[point] = found["ece"] + found["ece_likely"]
            print(f"  scale {point[0]:.3f}, none {point[1]:.2f}: ece {found['ece']:.4f}, of likely pairs {found['ece_likely']:.4f}",
                  file=sys.stderr, flush=True)
        return errors[point]

    best = start
    for step in (1.0, 0.5, 0.25):
        while True:
            near = [(round(best[0] + a * step * 0.1, 3), round(best[1] + b * step, 3)) for a, b in ((0, 0), (0, -1), (0, 1), (-1, 0), (1, 0))]
            chosen = min((point for point in near if point[0] > 0), key=error)
            if chosen == best:
                break
            best = chosen
    table.set("parameter", "scale", best[0])
    table.set("parameter", "none", best[1])


def fit(program, posts, path, start):
    evaluated = evaluate(program, posts.folder, "--write-weights", str(path))
    table = Table(path)
    for (kind, level), bits in BY_HAND.items():
        table.set(kind, level, bits)
    calibrate(program, posts, table, path, start)
    header = HEADER.format(same=posts.linked, other=evaluated["pairs"] - posts.linked, links=posts.links,
                           prior=100 * posts.linked / len(posts.later))
    lines = textwrap.wrap(header, 130, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
    table.write(path, "\n".join(lines) + "\n")


def report(title, found):
    print(f"\n{title}: {found['linked']:,} of {found['found']:,} later posts have an earlier one of the same dog; {found['pairs']:,} pairs compared")
    print(f"first {100 * found['first']:.1f} %, among the first five {100 * found['top_5']:.1f} %; calibration error of the first answer "
          f"{found['ece']:.4f}, of pairs of 5 % and more {found['ece_likely']:.4f}\n")
    print("| asked from | asked | wrong | right % | asked per dog with another post (reach) % | wrong per right | wrong per 1,000 pairs |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for row in found["alerts"]:
        right = round(row["precision"] * row["count"])
        wrong = row["count"] - right
        print(f"| {row['threshold']:.2f} | {row['count']:,} | {wrong:,} | {100 * row['precision']:.1f} | {100 * row['reach']:.1f} "
              f"| {wrong / max(1, right):.2f} | {1000 * wrong / found['pairs']:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--weights", type=pathlib.Path, help="measure this table and count none")
    parser.add_argument("--write-weights", type=pathlib.Path)
    parser.add_argument("--second", type=float, default=0.2, help="the share of dogs with an earlier and a later post")
    parser.add_argument("--steps", type=int, choices=(1, 2), default=1)
    parser.add_argument("--layers", type=int, default=1, help="the number of epochs in one city")
    parser.add_argument("--sighted", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=float, nargs=2, default=(0.85, 5.25), metavar=("SCALE", "NONE"), help="where the calibration begins")
    parser.add_argument("--folder", type=pathlib.Path, help="keep the posts here")
    arguments = parser.parse_args()
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(arguments.data))
    import make
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        held_out = Posts(arguments.data, make, folder / "held-out", False, arguments)
        held_out.describe("held out")
        weights = arguments.weights
        if not weights:
            training = Posts(arguments.data, make, folder / "training", True, arguments)
            training.describe("training")
            weights = arguments.write_weights or folder / "weights.tsv"
            fit(arguments.program, training, weights, tuple(arguments.start))
            report("Training, weights counted from it", evaluate(arguments.program, training.folder, "--weights", str(weights)))
        report("Held out, the program's weights for lost and found", evaluate(arguments.program, held_out.folder))
        report(f"Held out, {arguments.weights or 'weights counted from training'}",
               evaluate(arguments.program, held_out.folder, "--weights", str(weights)))


if __name__ == "__main__":
    main()
