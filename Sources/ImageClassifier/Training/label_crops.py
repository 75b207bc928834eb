"""Makes random crops of every training photo and stores the teachers' features of each crop as float16.

The crops are made in rounds, so that an interrupted run leaves complete rounds (rounds-*.txt contains their number).
"""
import argparse
import multiprocessing
import pathlib
import time

import numpy as np
from PIL import Image

# The teachers, each with the tensor of its features, which is the input of its last layer.
TEACHERS = (("mobilenet_v2_1.0_224_quant.tflite", 169), ("tf2_mobilenet_v2_1.0_224_ptq.tflite", 172))
TEACHER_SIDE = 224
FEATURES = 1280


class Teacher:
    def __init__(self, path, tensor):
        from ai_edge_litert.interpreter import Interpreter
        self.interpreter = Interpreter(str(path), num_threads=1, experimental_preserve_all_tensors=True)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]["index"]
        self.tensor = tensor
        details = {detail["index"]: detail for detail in self.interpreter.get_tensor_details()}
        self.scale, self.zero = details[tensor]["quantization"]

    def features(self, image):
        self.interpreter.set_tensor(self.input, image[None])
        self.interpreter.invoke()
        return (self.interpreter.get_tensor(self.tensor).reshape(FEATURES).astype(np.float32) - self.zero) * self.scale


def random_box(random, width, height):
    """Return left, top, right, bottom as fractions of the photo: 20 to 100 % of its area, with a side ratio of up to
    1.4 relative to a square.
    """
    area = random.uniform(0.2, 1)
    shape = np.exp(random.uniform(-0.35, 0.35))
    wide = min(1, np.sqrt(area * shape * height / width))
    high = min(1, np.sqrt(area / shape * width / height))
    left, top = random.uniform(0, 1 - wide), random.uniform(0, 1 - high)
    return left, top, left + wide, top + high


def box_of_round(round_, random, width, height):
    if round_ == 0:
        return 0, 0, 1, 1
    if round_ == 1:
        side = min(width, height)
        wide, high = side / width, side / height
        return (1 - wide) / 2, (1 - high) / 2, (1 + wide) / 2, (1 + high) / 2
    return random_box(random, width, height)


def label_part(options, indices, files, worker):
    boxes = np.load(options.work / "boxes.npy", mmap_mode="r+")
    features = np.load(options.work / "features.npy", mmap_mode="r+")
    teachers = [Teacher(options.teachers / name, tensor) for name, tensor in TEACHERS]
    photos = [Image.open(options.data / file).convert("RGB") for file in files]
    random = np.random.default_rng((options.seed, worker))
    start = time.time()
    for round_ in range(options.crops):
        for index, photo in zip(indices, photos):
            box = box_of_round(round_, random, *photo.size)
            pixels = tuple(part * size for part, size in zip(box, photo.size * 2))
            crop = np.asarray(photo.resize((TEACHER_SIDE, TEACHER_SIDE), Image.BICUBIC, box=pixels))
            boxes[index, round_] = box
            features[index, round_] = np.concatenate([teacher.features(crop) for teacher in teachers])
        (options.work / f"rounds-{worker}.txt").write_text(f"{round_ + 1}\n")
        print(f"worker {worker}: {round_ + 1} rounds in {time.time() - start:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--teachers", type=pathlib.Path, required=True, help="folder of the .tflite files")
    parser.add_argument("--crops", type=int, default=16)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    table = np.load(options.work / "table.npz")
    indices = np.flatnonzero(table["helps"])
    np.save(options.work / "crop_owner.npy", indices)
    for name, width, kind in (("boxes", 4, np.float32), ("features", FEATURES * len(TEACHERS), np.float16)):
        np.lib.format.open_memmap(options.work / f"{name}.npy", "w+", kind, (len(indices), options.crops, width)).flush()
    files = table["path"][indices]
    parts = np.array_split(np.arange(len(indices)), options.workers)
    workers = [
        multiprocessing.Process(target=label_part, args=(options, part, files[part], number))
        for number, part in enumerate(parts)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
