#!/usr/bin/env python3
"""Times training steps of headroom and of PyTorch with a GPT-2 of nanoGPT's shape, side by side.

    tests/peers/train_speed.py build/release/bin/headroom [--compile] [--precision bfloat16] [--steps 5] [--rounds 2]

Both run on the same cores in the same call, in turn (A B A B), so that their ratio holds on a machine
whose speed drifts. PyTorch gets nanoGPT's initial weights, decay groups and fused AdamW, its autocast in
bfloat16, fresh tokens every step, and with --compile torch.compile (which needs a C++ compiler). Needs
PyTorch for the CPU (pip install torch); without it, it says so and ends with status 77, which ctest counts as
skipped.
"""
import argparse
import json
import os
import subprocess
import sys
import time

try:
    import torch
    from nanogpt import Model
except ImportError:
    print("skipped: PyTorch is not installed (pip install torch)")
    sys.exit(77)

# name, n_layer, n_head, d_model, vocab_size, batch_size, seq_len
SHAPES = [
    ("d384-l6", 6, 6, 384, 256, 8, 256),
    ("d768-l6", 6, 12, 768, 256, 8, 256),
    ("gpt2-124m", 12, 12, 768, 50304, 2, 256),
]


class TorchPeer:
    def __init__(self, shape, precision, compiled):
        name, n_layer, n_head, d_model, self.vocab_size, batch_size, seq_len = shape
        torch.manual_seed(1)
        self.tokens_shape = (batch_size, seq_len + 1)
        model = Model(n_layer, n_head, d_model, self.vocab_size, seq_len)
        self.parameters = list(model.parameters())
        groups = [{"params": [p for p in self.parameters if p.dim() == 2], "weight_decay": 0.1},
                  {"params": [p for p in self.parameters if p.dim() < 2], "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=6e-4, betas=(0.9, 0.95), fused=True)
        self.model = torch.compile(model) if compiled else model
        self.autocast = torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16")

    def step(self):
        tokens = torch.randint(self.vocab_size, self.tokens_shape)
        self.optimizer.zero_grad(set_to_none=True)
        with self.autocast:
            loss = self.model(tokens[:, :-1], tokens[:, 1:].contiguous())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()

    def tokens_per_second(self, steps):
        for _ in range(2):
            self.step()
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            seconds.append(time.perf_counter() - start)
        batch_size, length = self.tokens_shape
        return batch_size * (length - 1) / sorted(seconds)[len(seconds) // 2]


def headroom_tokens_per_second(program, steps, shape, precision):
    name, n_layer, n_head, d_model, vocab_size, batch_size, seq_len = shape
    keys = {"model.n_layer": n_layer, "model.n_head": n_head, "model.d_model": d_model,
            "model.vocab_size": vocab_size, "model.block_size": seq_len,
            "train.batch_size": batch_size, "train.seq_len": seq_len, "precision": precision}
    command = [program, "bench", "train", "--steps", str(steps), "--json"]
    for key, value in keys.items():
        command += ["--set", f"{key}={value}"]
    case = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["cases"][0]
    return case["tokens_per_second"], case["gflops_per_second"], case["share_of_product_rate"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of headroom")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--compile", action="store_true", help="PyTorch through torch.compile")
    parser.add_argument("--shape", choices=[shape[0] for shape in SHAPES], action="append")
    arguments = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    way = "torch.compile" if arguments.compile else "eager"
    print(f"PyTorch {torch.__version__}, {way}, {arguments.precision}, {torch.get_num_threads()} threads")
    for shape in SHAPES:
        if arguments.shape and shape[0] not in arguments.shape:
            continue
        peer = TorchPeer(shape, arguments.precision, arguments.compile)
        for _ in range(arguments.rounds):
            theirs = peer.tokens_per_second(arguments.steps)
            ours, gflops, share = headroom_tokens_per_second(
                arguments.program, arguments.steps, shape, arguments.precision)
            print(f"{shape[0]}: headroom {ours:.0f} tokens/s ({gflops:.0f} GFLOP/s, {share:.0%} of the "
                  f"product rate), PyTorch {theirs:.0f} tokens/s, ratio {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
    main()
