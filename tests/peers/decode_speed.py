#!/usr/bin/env python3
"""Times decoding of headroom and of Hugging Face transformers with a GPT-2 of random weights, side by side.

    tests/peers/decode_speed.py build/release/bin/headroom [--dtype bf16] [--batch 1,8] [--context 64] [--new 32]

Both decode greedily with a cache, on the same cores in the same call, in turn (A B A B). transformers' time is that
of its longer generation less that of its prompt alone. Needs PyTorch and transformers (pip install torch
transformers); without them, it says so and ends with status 77, which ctest counts as skipped.
"""
import argparse
import json
import os
import subprocess
import sys
import time

try:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel
except ImportError:
    print("skipped: PyTorch or transformers is not installed (pip install torch transformers)")
    sys.exit(77)

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def generate_seconds(model, prompt, new_tokens):
    start = time.perf_counter()
    with torch.no_grad():
        model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=new_tokens,
                       min_new_tokens=new_tokens, do_sample=False, pad_token_id=0)
    return time.perf_counter() - start


def peer_tokens_per_second(model, batch_size, context, new_tokens):
    prompt = torch.randint(model.config.vocab_size, (batch_size, context))
    first = min(generate_seconds(model, prompt, 1) for _ in range(2))
    return batch_size * (new_tokens - 1) / (generate_seconds(model, prompt, new_tokens) - first)


def headroom_row(arguments, batch_size):
    command = [arguments.program, "bench", "decode", "--preset", "gpt2-124m", "--arch", "gpt2", "--batch",
               str(batch_size), "--context", str(arguments.context), "--new", str(arguments.new),
               "--rounds", "1", "--dtype", arguments.dtype, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["cases"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of headroom")
    parser.add_argument("--dtype", choices=DTYPES, default="f32")
    parser.add_argument("--batch", default="1,8")
    parser.add_argument("--context", type=int, default=64)
    parser.add_argument("--new", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(1)
    model = GPT2LMHeadModel(GPT2Config()).to(DTYPES[arguments.dtype]).eval()
    print(f"PyTorch {torch.__version__}, {arguments.dtype}, {torch.get_num_threads()} threads")
    for batch_size in map(int, arguments.batch.split(",")):
        for _ in range(arguments.rounds):
            theirs = peer_tokens_per_second(model, batch_size, arguments.context, arguments.new)
            row = headroom_row(arguments, batch_size)
            ours = row["tokens_per_second"]
            print(f"batch {batch_size}: headroom {ours:.0f} tokens/s ({row['share_of_memory_rate']:.0%} of the "
                  f"memory's {row['memory_gbytes_per_second']:.0f} GB/s), transformers {theirs:.0f} tokens/s, "
                  f"ratio {ours / theirs:.2f}", flush=True)


if __name__ == "__main__":
    main()
