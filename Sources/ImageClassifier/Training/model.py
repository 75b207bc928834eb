"""The student: a shallow residual network of plain 3x3 convolutions, which OpenCV's dnn runs efficiently."""
import torch.nn as nn


def norm_conv(inputs, outputs, side, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, side, stride, side // 2, bias=False),
        nn.BatchNorm2d(outputs),
    )


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = norm_conv(inputs, outputs, 3, stride)
        self.second = norm_conv(outputs, outputs, 3)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            pool = nn.AvgPool2d(stride) if stride != 1 else nn.Identity()
            self.shortcut = nn.Sequential(pool, norm_conv(inputs, outputs, 1))
        self.relu = nn.ReLU(inplace=True)
        nn.init.constant_(self.second[1].weight, 0.2)

    def forward(self, x):
        inner = self.second(self.relu(self.first(x)))
        return self.relu(inner + self.shortcut(x))


class Student(nn.Module):
    def __init__(self, labels, stem=24, widths=(32, 80, 192, 304), depths=(1, 1, 2, 1), guide=0):
        super().__init__()
        self.stem = nn.Sequential(norm_conv(3, stem, 3, 2), nn.ReLU(inplace=True))
        blocks, inputs = [], stem
        for width, depth in zip(widths, depths):
            for index in range(depth):
                blocks.append(Block(inputs, width, 1 if index else 2))
                inputs = width
        self.body = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(inputs, labels)
        self.guide = nn.Linear(inputs, guide) if guide else None
        if guide:
            nn.init.zeros_(self.guide.weight)

    def features(self, x):
        return self.pool(self.body(self.stem(x))).flatten(1)

    def forward(self, x):
        return self.head(self.features(x))
