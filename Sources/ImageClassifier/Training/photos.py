"""Reads the training photos, their labels and their origins."""
import csv
import zlib

import cv2
import numpy as np

LABELS = 75
DOGS = 69  # labels 0..68 are dogs; wild canids, cats and the rest follow
OTHER_BREED = LABELS  # a dog of a breed that is not a label; the model never names it
CLASSES = LABELS + 1
FOLDS = 5
UNKNOWN_DOG = -1  # a dog of unknown or doubtful breed

# The three origins whose photos ImageNet has probably not seen. They are held out to choose everything that can be chosen.
EVERYDAY = ("datarobot-community", "ajayreddyfsd", "LTSACH")


def label_of(row):
    if row["split"] == "few":
        return OTHER_BREED
    if row["split"] == "suspect" or int(row["label_id"]) >= LABELS:
        return UNKNOWN_DOG
    return int(row["label_id"])


class Table:
    """One row per photo: file, label, split, origin, fold, and whether the photo may be used in training.

    The rare breeds are used in training as dogs of other breeds. Where origins are held out, so is half of these breeds
    (by name): they measure how often a breed that the network has never seen gets a name.
    """

    def __init__(self, data, held_out=()):
        with open(data / "manifest_train_val.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.data = data
        self.file = np.array([row["file"] for row in rows])
        self.label = np.array([label_of(row) for row in rows])
        self.split = np.array([row["split"] for row in rows])
        self.origin = np.array([row["source_repo"].split("/")[0] for row in rows])
        self.fold = np.array([zlib.crc32(row["near_group"].encode()) % FOLDS for row in rows])
        unseen = np.array([len(held_out) > 0 and row["split"] == "few" and zlib.crc32(row["label"].encode()) % 2 == 1
                           for row in rows])
        self.named = (self.label >= 0) & (self.label < LABELS)
        held = np.isin(self.origin, held_out)
        self.trains = (self.split != "val") & ~unseen & ~held
        self.sets = {
            "val": np.flatnonzero((self.split == "val") & self.named & ~held),
            "held out": np.flatnonzero(held & self.named),
            "unseen breeds": np.flatnonzero(unseen),
        }

    def __len__(self):
        return len(self.file)

    def photo(self, index):
        """Return a photo as RGB bytes."""
        return cv2.cvtColor(cv2.imread(str(self.data / self.file[index]), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def thesis_labels(data):
    with open(data / "taxonomy.csv", newline="") as file:
        return [int(row["label_id"]) for row in csv.DictReader(file) if row["thesis_breed"]]
