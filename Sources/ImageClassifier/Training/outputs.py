"""The outputs of the network. Each of the 75 labels has one. Dogs of other breeds have an output for each ImageNet breed
that is not a label, and things have further outputs, so that the last layer can begin with what ImageNet taught about
them. The probabilities of all outputs of a class are added.
"""
import csv
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.cluster import KMeans

from network import SIDE, imagenet
from photos import CLASSES, DOGS, LABELS, OTHER_BREED

LABEL_MAP = pathlib.Path(__file__).parents[2] / "BreedModel/LabelMaps/imagenet-1k.tsv"
DOG_CLASSES = slice(151, 269)
THINGS = 32
# The first bias of the outputs that are the mean of many ImageNet classes.
RARE = -3.0
THING = -2.0


def imagenet_classes():
    """Return the ImageNet classes of each label of the label map."""
    classes = {}
    with open(LABEL_MAP, newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["outputs"] != "background":
                ends = [int(end) for end in row["outputs"].split("-")]
                classes.setdefault(row["label"], []).extend(range(ends[0], ends[-1] + 1))
    return classes


class Outputs:
    """The class of each output, and the weights and biases with which the last layer begins.

    A label without a class in ImageNet begins at the mean of all dogs.
    """

    def __init__(self, data):
        layer = imagenet(SIDE)._fc
        self.rows, self.biases = layer.weight.detach(), layer.bias.detach()
        with open(data / "taxonomy.csv", newline="") as file:
            ids = {row["label"]: int(row["label_id"]) for row in csv.DictReader(file)}
        found = imagenet_classes()
        things = found["not_dog"]
        own = {ids[label]: classes for label, classes in found.items() if label in ids and label != "not_dog"}
        others = [classes for label, classes in found.items() if label not in ids]
        groups = [own.get(label, DOG_CLASSES if label < DOGS else slice(None)) for label in range(LABELS)]
        groups += others + self.clusters(np.array(things))
        self.weight = torch.stack([self.rows[group].mean(0) for group in groups])
        self.bias = torch.tensor(
            [self.biases[own[label]].mean() if label in own else RARE for label in range(LABELS)]
            + [self.biases[classes].mean() for classes in others] + [THING] * THINGS)
        self.classes = np.array([*range(LABELS), *[OTHER_BREED] * len(others), *[ids["not_dog"]] * THINGS])

    def clusters(self, things):
        """Divide the ImageNet classes that are no dogs into groups of similar ones."""
        found = KMeans(THINGS, n_init=2, random_state=0).fit_predict(F.normalize(self.rows[things]).numpy())
        return [things[found == cluster] for cluster in range(THINGS)]


def log_probabilities(logits, classes):
    """Return the logarithm of the probability of each class. Differentiable."""
    sums = F.softmax(logits, 1) @ F.one_hot(torch.from_numpy(classes), CLASSES).to(logits.dtype)
    return sums.clamp_min(1e-12).log()
