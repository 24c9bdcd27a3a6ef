"""A vision transformer in PyTorch with our weights, compared with ours: log-probabilities, every
gradient and 50 steps of AdamW.

    python tests/peers/vit.py build/release/bin/headroom [float32|float64] [class_token|mean]

Needs PyTorch and NumPy. Pictures are made up; a batch is the whole training set, so that the order
that ours takes them in does not matter.
"""
import json
import math
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from headroom_files import RATE, STEPS, logged_losses, rate, read_tensors, relative, run, train_twice

COUNT, CLASSES, SIDE, PATCH = 24, 10, 32, 4
LAYERS, HEADS, WIDTH = 3, 3, 48


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.o = nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        u = self.ln_1(x)
        split = lambda t: t.unflatten(-1, (HEADS, -1)).transpose(1, 2)
        q, k, v = split(self.q(u)), split(self.k(u)), split(self.v(u))
        p = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-1)
        x = x + self.o((p @ v).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))


class ViT(nn.Module):
    def __init__(self, pooling):
        super().__init__()
        self.pooling = pooling
        self.patch = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        places = (SIDE // PATCH) ** 2 + (pooling == "class_token")
        self.cls_token = nn.Parameter(torch.zeros(1, WIDTH)) if pooling == "class_token" else None
        self.wpe = nn.Parameter(torch.zeros(places, WIDTH))
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, images):
        x = self.patch(images).flatten(2).transpose(1, 2)
        if self.cls_token is not None:
            x = torch.cat([self.cls_token.expand(len(x), 1, -1), x], dim=1)
        x = x + self.wpe
        for block in self.h:
            x = block(x)
        x = self.ln_f(x)
        return self.head(x[:, 0] if self.pooling == "class_token" else x.mean(1))

    def ours(self):
        """Our name, the parameter, and how a tensor of its shape becomes one of ours."""
        same, turned = (lambda t: t), (lambda t: t.t())
        yield "patch.weight", self.patch.weight, lambda t: t.flatten(1).t()
        yield "patch.bias", self.patch.bias, same
        if self.cls_token is not None:
            yield "cls_token.weight", self.cls_token, same
        yield "wpe.weight", self.wpe, same
        for i, block in enumerate(self.h):
            parts = {"ln_1": block.ln_1, "ln_2": block.ln_2, "attn.q": block.q, "attn.k": block.k,
                     "attn.v": block.v, "attn.o": block.o, "mlp.up": block.up,
                     "mlp.down": block.down}
            for name, part in parts.items():
                yield f"h.{i}.{name}.weight", part.weight, turned if part.weight.dim() > 1 else same
                yield f"h.{i}.{name}.bias", part.bias, same
        for name, part in {"ln_f": self.ln_f, "head": self.head}.items():
            yield f"{name}.weight", part.weight, turned if part.weight.dim() > 1 else same
            yield f"{name}.bias", part.bias, same


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    precision = sys.argv[2] if len(sys.argv) > 2 else "float64"
    pooling = sys.argv[3] if len(sys.argv) > 3 else "class_token"
    torch.set_default_dtype(getattr(torch, precision))
    folder = pathlib.Path(tempfile.mkdtemp())
    rng = np.random.default_rng(1)
    pictures = rng.integers(0, 256, (COUNT, 3, SIDE, SIDE), dtype=np.uint8)
    labels = rng.integers(0, CLASSES, COUNT, dtype=np.uint8)

    def write(name, chosen, with_labels):
        (folder / name).write_bytes(b"".join(bytes([label]) + pictures[i].tobytes()
                                             for i, label in zip(chosen, with_labels)))

    write("data_batch_1.bin", range(COUNT), labels)
    write("test_batch.bin", range(COUNT), labels)
    job = {"name": "vit", "precision": precision, "device": "cpu",
           "model": {"input": "images", "n_layer": LAYERS, "n_head": HEADS, "d_model": WIDTH,
                     "bias": True, "pooling": pooling, "init_std": 0.1},
           "data": {"train": f"images:{folder}", "val": f"images:{folder}", "augment": "none"},
           "train": {"steps": 0, "batch_size": COUNT, "lr": RATE, "warmup_steps": 0,
                     "grad_clip": 0, "beta2": 0.999, "eval_every": 0, "checkpoint_every": 1}}
    first = train_twice(program, folder, job)

    model = ViT(pooling)
    start = read_tensors(first)
    names = {name for name, _, _ in model.ours()}
    assert names == set(start), names ^ set(start)
    with torch.no_grad():
        for name, parameter, _ in model.ours():
            value = start[name].to(parameter.dtype)
            if name == "patch.weight":
                value = value.t().reshape(parameter.shape)
            elif parameter.dim() > 1 and name not in ("wpe.weight", "cls_token.weight"):
                value = value.t()
            parameter.copy_(value)
    images = torch.from_numpy(pictures.astype(np.float32) / np.float32(127.5) - np.float32(1))
    images, targets = images.to(torch.get_default_dtype()), torch.from_numpy(labels.astype(int))

    worst = 0
    for i in range(2):  # a test set of one picture, called by each class in turn
        theirs = F.log_softmax(model(images[i:i + 1]), dim=1)[0]
        for label in range(CLASSES):
            write("test_batch.bin", [i], [label])
            said = json.loads(run(program, "eval", "--checkpoint", first, "--data",
                                  f"images:{folder}", "--precision", precision, "--json"))
            worst = max(worst, abs(said["loss"] + theirs[label].item()))
    print(f"largest difference of log-probabilities: {worst:.2e}")

    decayed = [p for _, p, _ in model.ours() if p.dim() > 1]
    rest = [p for _, p, _ in model.ours() if p.dim() == 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1},
                                   {"params": rest, "weight_decay": 0.0}],
                                  lr=RATE, betas=(0.9, 0.999), eps=1e-8)
    losses, gradients = [], 0
    for i in range(STEPS):
        loss = F.cross_entropy(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if i == 0:  # the first moment is a tenth of the gradient
            moments = read_tensors(folder / "run/checkpoints/step-00000001.optim.safetensors")
            for name, parameter, turn in model.ours():
                ours = moments[name + ".m"] / 0.1
                # Softmax does not see the bias of keys: its gradient is rounding alone, in both.
                if not name.endswith("attn.k.bias"):
                    gradients = max(gradients, relative(ours, turn(parameter.grad)))
        for group in optimizer.param_groups:
            group["lr"] = rate(i)
        optimizer.step()
    print(f"largest relative difference of a gradient: {gradients:.2e}")
    ours = logged_losses(program, folder)
    print(f"losses: {ours[0]:.6f} to {ours[-1]:.6f}, theirs {losses[0]:.6f} to {losses[-1]:.6f}; "
          f"largest difference {max(abs(a - b) for a, b in zip(ours, losses)):.2e}")
    end = read_tensors(folder / f"run/checkpoints/step-{STEPS:08d}.safetensors")
    worst = max(relative(end[name], turn(parameter.detach()))
                for name, parameter, turn in model.ours() if not name.endswith("attn.k.bias"))
    print(f"largest relative difference of a tensor after {STEPS} steps: {worst:.2e}")


main()
