"""What the comparisons with PyTorch share: headroom's files, its program and its recipe."""
import json
import math
import struct
import subprocess

import numpy as np
import torch

STEPS, WARMUP, RATE = 50, 5, 2e-3


def read_tensors(path):
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    types = {"F32": np.float32, "F64": np.float64, "I32": np.int32}
    return {name: torch.from_numpy(np.frombuffer(
                data, types[t["dtype"]], count=int(np.prod(t["shape"])),
                offset=8 + size + t["data_offsets"][0]).reshape(t["shape"]).copy())
            for name, t in header.items() if name != "__metadata__"}


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def train_twice(program, folder, job, steps=STEPS, warmup=WARMUP):
    """Zero steps, for the first weights, whose file is returned; then `steps` from these."""
    (folder / "start.json").write_text(json.dumps(job))
    run(program, "train", "--job", folder / "start.json", "--out", folder / "start")
    first = folder / "start/checkpoints/step-00000000.safetensors"
    job["train"].update(steps=steps, warmup_steps=warmup, init_from=str(first))
    (folder / "job.json").write_text(json.dumps(job))
    run(program, "train", "--job", folder / "job.json", "--out", folder / "run")
    return first


def logged_losses(program, folder):
    rows = json.loads(run(program, "log", "dump", folder / "run", "--series", "train/loss", "--json"))
    return rows["series"]["train/loss"]


def rate(i, steps=STEPS, warmup=WARMUP):
    """nanoGPT's, to a tenth at the end."""
    if i < warmup:
        return RATE * (i + 1) / (warmup + 1)
    least = RATE / 10
    return least + (RATE - least) / 2 * (1 + math.cos(math.pi * (i - warmup) / (steps - warmup)))


def relative(a, b):
    return ((a.double() - b.double()).abs().max() / b.double().abs().max().clamp_min(1e-30)).item()
