#!/usr/bin/env python3
"""Times training steps of headroom and of eager PyTorch with a GPT-2 of nanoGPT's shape, side by side.

    tests/peers/train_speed.py build/release/bin/headroom [--steps 5] [--rounds 2]

Both run on the same cores in the same call, in turn (A B A B), so that their ratio holds on a machine
whose speed drifts. Needs PyTorch for the CPU (Debian: python3-torch); without it, it says so and ends
with status 77, which ctest counts as skipped.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import time

try:
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
except ImportError:
    print("skipped: PyTorch is not installed (apt-get install python3-torch)")
    sys.exit(77)

# name, n_layer, n_head, d_model, vocab_size, batch_size, seq_len
SHAPES = [
    ("d384-l6", 6, 6, 384, 256, 8, 256),
    ("gpt2-124m", 12, 12, 768, 50304, 2, 256),
]


class Block(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.ln_1 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.ln_2 = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, 4 * d_model, bias=False)
        self.down = nn.Linear(4 * d_model, d_model, bias=False)

    def forward(self, x, mask):
        batch, length, d_model = x.shape
        heads = [t.view(batch, length, self.n_head, -1).transpose(1, 2)
                 for t in self.qkv(self.ln_1(x)).split(d_model, dim=2)]
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(*heads, is_causal=True)
        else:
            scores = heads[0] @ heads[1].transpose(-2, -1) / math.sqrt(heads[0].size(-1))
            y = F.softmax(scores.masked_fill(mask, float("-inf")), dim=-1) @ heads[2]
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, d_model))
        return x + self.down(F.gelu(self.up(self.ln_2(x))))


class Model(nn.Module):
    def __init__(self, n_layer, n_head, d_model, vocab_size, seq_len):
        super().__init__()
        self.wte = nn.Embedding(vocab_size, d_model)
        self.wpe = nn.Embedding(seq_len, d_model)
        self.blocks = nn.ModuleList(Block(d_model, n_head) for _ in range(n_layer))
        self.ln_f = nn.LayerNorm(d_model)
        self.register_buffer("mask", torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool), 1))

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe.weight
        for block in self.blocks:
            x = block(x, self.mask)
        logits = self.ln_f(x) @ self.wte.weight.t()
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


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
