"""Changes photos at random, as cameras, hands and light do."""
import cv2
import numpy as np


def affine(random, width, height, side):
    """Return the matrix from the view to the photo: a turned and mirrored box of a third to all of its area."""
    area, shape = random.uniform(0.33, 1), np.exp(random.uniform(-0.3, 0.3))
    wide = min(width, np.sqrt(area * width * height * shape))
    high = min(height, np.sqrt(area * width * height / shape))
    if random.random() < 0.8:  # most views keep the proportions of the photo
        wide = high = min(wide, high) * random.uniform(1, max(wide, high) / min(wide, high)) ** 0.5
        wide, high = min(wide, width), min(high, height)
    left, top = random.uniform(0, width - wide), random.uniform(0, height - high)
    angle = np.radians(random.normal(0, 12)) if random.random() < 0.4 else 0
    across, down = wide / side * (-1 if random.random() < 0.5 else 1), high / side
    turn = np.array([[np.cos(angle) * across, -np.sin(angle) * down], [np.sin(angle) * across, np.cos(angle) * down]])
    middle = np.array([left + wide / 2, top + high / 2]) - 0.5
    return np.column_stack([turn, middle - turn @ np.full(2, (side - 1) / 2)])


def coloured(random, image):
    """Change saturation, contrast, brightness and tint with one 3x3 matrix."""
    saturation, contrast = random.uniform(0.4, 1.5), random.uniform(0.6, 1.4)
    if random.random() < 0.05:
        saturation = 0
    tint = random.uniform(0.6, 1.4) * (1 + 0.06 * random.standard_normal(3))
    matrix = (saturation * np.eye(3) + (1 - saturation) / 3) * contrast * tint[:, None]
    shift = image.mean() * (1 - contrast) * tint
    return np.clip(cv2.transform(image, np.column_stack([matrix, shift])), 0, 255).astype(np.uint8)


def dark(random, image):
    """Imitate a photo in low light: dark tones, noise."""
    light = (image / 255.0) ** random.uniform(1.3, 2.5) * random.uniform(0.3, 0.9)
    noise = cv2.resize(random.normal(0, random.uniform(0.01, 0.06), image.shape).astype(np.float32), image.shape[1::-1])
    return np.clip((light + noise) * 255, 0, 255).astype(np.uint8)


def blurred(random, image):
    return cv2.GaussianBlur(image, (0, 0), random.uniform(0.5, 2.5))


def sharpened(random, image):
    """Photos of phones are sharper than the enlarged photos of the training."""
    strength = random.uniform(0.5, 2)
    return cv2.addWeighted(image, 1 + strength, cv2.GaussianBlur(image, (0, 0), random.uniform(0.8, 1.6)), -strength, 0)


def coarse(random, image):
    side = image.shape[0]
    small = cv2.resize(image, (max(int(side * random.uniform(0.25, 0.7)), 32),) * 2, interpolation=cv2.INTER_AREA)
    return cv2.resize(small, (side, side), interpolation=cv2.INTER_LINEAR)


def compressed(random, image):
    quality = int(random.uniform(15, 80))
    return cv2.imdecode(cv2.imencode(".jpg", image, (cv2.IMWRITE_JPEG_QUALITY, quality))[1], cv2.IMREAD_COLOR)


def hidden(random, image):
    """Cover a part of the dog."""
    side = image.shape[0]
    wide, high = (int(side * random.uniform(0.15, 0.5)) for _ in range(2))
    left, top = random.integers(0, side - wide), random.integers(0, side - high)
    image = image.copy()
    image[top:top + high, left:left + wide] = random.integers(0, 256, 3)
    return image


STEPS = ((coloured, 0.8), (dark, 0.12), (blurred, 0.12), (sharpened, 0.2), (coarse, 0.15), (compressed, 0.3), (hidden, 0.2))


def augmented(random, photo, side):
    """Return a random view of the photo: side x side RGB bytes."""
    height, width = photo.shape[:2]
    image = cv2.warpAffine(photo, affine(random, width, height, side), (side, side), borderMode=cv2.BORDER_REFLECT_101,
                           flags=cv2.WARP_INVERSE_MAP | (cv2.INTER_CUBIC if random.random() < 0.5 else cv2.INTER_LINEAR))
    for step, share in STEPS:
        if random.random() < share:
            image = step(random, image)
    return image
