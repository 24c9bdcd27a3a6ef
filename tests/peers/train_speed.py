#!/usr/bin/env python3
"""Times training steps of headroom and of eager PyTorch with a GPT-2 of nanoGPT's shape, side by side.

    tests/peers/train_speed.py build/release/bin/headroom [--steps 5] [--rounds 2]

Both run on the same cores in the same call, in turn (A B A B), so that their ratio holds on a machine
whose speed drifts. Needs PyTorch for the CPU (Debian: python3-torch); without it, it says so and ends
with status 77, which ctest counts as skipped.
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
    print("skipped: PyTorch is not installed (apt-get install python3-torch)")
    sys.exit(77)

# name, n_layer, n_head, d_model, vocab_size, batch_size, seq_len
SHAPES = [
    ("d384-l6", 6, 6, 384, 256, 8, 256),
    ("gpt2-124m", 12, 12, 768, 50304, 2, 256),
]


class TorchPeer:
    def __init__(self, n_layer, n_head, d_model, vocab_size, batch_size, seq_len):
        torch.manual_seed(1)
        self.model = Model(n_layer, n_head, d_model, vocab_size, seq_len)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.95))
        self.tokens = torch.randint(vocab_size, (batch_size, seq_len))
        self.targets = torch.randint(vocab_size, (batch_size, seq_len))

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.model(self.tokens, self.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def tokens_per_second(self, steps):
        self.step()
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            self.step()
            seconds.append(time.perf_counter() - start)
        return self.tokens.numel() / sorted(seconds)[len(seconds) // 2]


def headroom_tokens_per_second(program, steps, shape):
    name, n_layer, n_head, d_model, vocab_size, batch_size, seq_len = shape
    keys = {"model.n_layer": n_layer, "model.n_head": n_head, "model.d_model": d_model,
            "model.vocab_size": vocab_size, "model.block_size": seq_len,
            "train.batch_size": batch_size, "train.seq_len": seq_len}
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
    arguments = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads")
    for shape in SHAPES:
        peer = TorchPeer(*shape[1:])
        for _ in range(arguments.rounds):
            theirs = peer.tokens_per_second(arguments.steps)
            ours, gflops, share = headroom_tokens_per_second(
                arguments.program, arguments.steps, shape)
            print(f"{shape[0]}: headroom {ours:.0f} tokens/s ({gflops:.0f} GFLOP/s, {share:.0%} of the "
                  f"product rate), PyTorch {theirs:.0f} tokens/s, ratio {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
    main()
