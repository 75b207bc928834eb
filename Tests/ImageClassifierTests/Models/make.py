#!/usr/bin/env python3
"""Writes the models of these tests into its own folder. Needs the package onnx (1.16): python3 make.py

food.onnx           3 x 32 x 24 (height x width) -> 5 logits, a linear function of the mean colour of each half
food-softmax.onnx   the same with a final softmax
imagenet-1000.onnx  3 x 8 x 8 -> 1000 logits: red is output 162, green 263 and 264, blue 285
imagenet-1001.onnx  the same with a background class before them
layers.onnx         3 x 32 x 24 -> 5 logits: the layer types of larger networks, with random weights
logarithm.onnx      3 x 8 x 8 -> 2 logits, the logarithm of the mean colour: not a number below 0
"""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Weights for the left and right half of red, green and blue.
FOOD = np.array(
    [[2, 1, -1, 0, 0, 0], [-1, 0, 2, 1, 0, 0], [0, 0, 0, 0, 2, 1], [1, 0, 1, 0, -1, 0], [0, 0, 0, 0, 0, 0]], np.float32
)
FOOD_BIAS = np.array([0, 0, 0, 0, 0.5], np.float32)


def write(name, height, width, nodes, weights, bias, values=()):
    graph = helper.make_graph(
        [*nodes, helper.make_node("Gemm", ["features", "weights", "bias"], ["outputs"], transB=1)],
        name,
        [helper.make_tensor_value_info("input", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor_value_info("outputs", TensorProto.FLOAT, [1, len(bias)])],
        [numpy_helper.from_array(weights, "weights"), numpy_helper.from_array(bias, "bias"), *values],
    )
    if name == "food-softmax":
        graph.node[-1].output[0] = "logits"
        graph.node.append(helper.make_node("Softmax", ["logits"], ["outputs"], axis=1))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=6)
    onnx.checker.check_model(model)
    onnx.save(model, Path(__file__).with_name(name + ".onnx"))


def layers():
    random = np.random.default_rng(1)
    shapes = {
        "w1": (8, 3, 3, 3), "b1": (8,), "w2": (8, 1, 3, 3), "b2": (8,), "scale": (8,), "shift": (8,), "mean": (8,),
        "variance": (8,),
    }
    values = [numpy_helper.from_array(random.random(shape, np.float32), name) for name, shape in shapes.items()]
    values.append(numpy_helper.from_array(np.array([1, -1], np.int64), "shape"))
    square = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "dilations": [1, 1]}
    nodes = [
        helper.make_node("Conv", ["input", "w1", "b1"], ["conv1"], strides=[2, 2], group=1, **square),
        node("Relu", "conv1", "relu1"),
        helper.make_node("Conv", ["relu1", "w2", "b2"], ["conv2"], strides=[1, 1], group=8, **square),
        helper.make_node("BatchNormalization", ["conv2", "scale", "shift", "mean", "variance"], ["norm"]),
        helper.make_node("Add", ["norm", "relu1"], ["sum"]),
        node("MaxPool", "sum", "most", kernel_shape=[2, 2], strides=[2, 2]),
        node("GlobalAveragePool", "most", "means"),
        helper.make_node("Reshape", ["means", "shape"], ["features"]),
    ]
    write("layers", 32, 24, nodes, random.random((5, 8), np.float32), np.zeros(5, np.float32), values)


def node(kind, source, target, **attributes):
    return helper.make_node(kind, [source], [target], **attributes)


flatten = node("Flatten", "pooled", "features", axis=1)
halves = node("AveragePool", "input", "pooled", kernel_shape=[32, 12], strides=[32, 12])
whole = node("GlobalAveragePool", "input", "pooled")

write("food", 32, 24, [halves, flatten], FOOD, FOOD_BIAS)
layers()
write("food-softmax", 32, 24, [halves, flatten], FOOD, FOOD_BIAS)
for count in 1000, 1001:
    weights = np.zeros((count, 3), np.float32)
    for output, colour in (162, 0), (263, 1), (264, 1), (285, 2):
        weights[output + count - 1000, colour] = 16
    write(f"imagenet-{count}", 8, 8, [whole, flatten], weights, np.zeros(count, np.float32))
logarithm = [node("GlobalAveragePool", "input", "means"), node("Log", "means", "pooled"), flatten]
write("logarithm", 8, 8, logarithm, np.ones((2, 3), np.float32), np.zeros(2, np.float32))
