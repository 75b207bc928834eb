"""Preprocesses photos in the same way as the program, and computes the figures for judging a model."""
import cv2
import numpy as np

from network import DEVIATION, MEAN
from photos import CLASSES, DOGS, LABELS, OTHER_BREED


def scaled(image, width, height):
    shrinks = width <= image.shape[1] and height <= image.shape[0]
    return cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)


def view(image, side, resize, crop=1.0):
    """Return a square view: "stretch" resizes the whole photo to it; "cover" covers side / crop and cuts out the
    centre.
    """
    if resize == "stretch":
        return scaled(image, side, side)
    height, width = image.shape[:2]
    factor = side / crop / min(width, height)
    image = scaled(image, max(side, round(width * factor)), max(side, round(height * factor)))
    top, left = (image.shape[0] - side) // 2, (image.shape[1] - side) // 2
    return image[top:top + side, left:left + side]


def normalised(images):
    """Convert RGB bytes (height x width x 3) to float planes."""
    images = (images.astype(np.float32) / 255 - np.float32(MEAN)) / np.float32(DEVIATION)
    return np.ascontiguousarray(np.moveaxis(images, -1, -3))


def softmax(logits, temperature=1.0):
    powers = np.exp((logits - logits.max(1, keepdims=True)) / temperature)
    return powers / powers.sum(1, keepdims=True)


def probabilities_of(logits, classes, temperature=1.0):
    """Return the probability of each class, the sum over its outputs."""
    return softmax(logits, temperature) @ np.eye(CLASSES, dtype=np.float32)[classes]


def calibration_error(probabilities, labels, bins=15):
    named = probabilities[:, :LABELS]
    sure, right = named.max(1), named.argmax(1) == labels
    slot = np.minimum((sure * bins).astype(int), bins - 1)
    return sum(abs(right[slot == b].mean() - sure[slot == b].mean()) * (slot == b).mean() for b in np.unique(slot))


def negative_log_likelihood(probabilities, labels):
    return -np.log(probabilities[np.arange(len(labels)), labels] + 1e-12).mean()


def dog_mass(probabilities):
    return probabilities[:, :DOGS].sum(1) + probabilities[:, OTHER_BREED]


def figures(probabilities, labels, thesis):
    order = np.argsort(-probabilities[:, :LABELS], 1)
    first = order[:, 0]
    thesis_rows = np.isin(labels, thesis)
    return {
        "top1": float((first == labels).mean()),
        "top5": float((order[:, :5] == labels[:, None]).any(1).mean()),
        "thesis": float((first == labels)[thesis_rows].mean()),
        "dog": float(((dog_mass(probabilities) > 0.5) == (labels < DOGS)).mean()),
        "ece": float(calibration_error(probabilities, labels)),
    }
