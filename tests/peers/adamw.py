"""A GPT-2 in PyTorch with our first weights, trained beside ours for 100 steps by torch.optim.AdamW with
the tensors that train.decay_groups names: losses and every tensor in the end.

    python tests/peers/adamw.py build/release/bin/headroom [float32|float64]

Needs PyTorch and NumPy. The data are as long as one window, so that the order that ours draws windows in does
not matter.
"""
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

from headroom_files import RATE, logged_losses, rate, read_tensors, relative, train_twice

STEPS, WARMUP, DECAY = 100, 10, 0.1
LAYERS, HEADS, WIDTH, VOCABULARY, LENGTH = 2, 4, 48, 61, 33

DECAYED = {
    "matrices": lambda name, tensor: tensor.dim() > 1,
    "no_embeddings": lambda name, tensor: tensor.dim() > 1 and name not in ("wte.weight", "wpe.weight"),
    "all": lambda name, tensor: True,
}


def logits(w, tokens):
    linear = lambda name, t: t @ w[name + ".weight"] + w[name + ".bias"]
    norm = lambda name, t: F.layer_norm(t, (WIDTH,), w[name + ".weight"], w[name + ".bias"])
    x = w["wte.weight"][tokens] + w["wpe.weight"][:len(tokens)]
    for i in range(LAYERS):
        u = norm(f"h.{i}.ln_1", x)
        q, k, v = (linear(f"h.{i}.attn.{m}", u).unflatten(-1, (HEADS, -1)).transpose(0, 1) for m in "qkv")
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(f"h.{i}.attn.o", y.transpose(0, 1).flatten(1))
        x = x + linear(f"h.{i}.mlp.down", F.gelu(linear(f"h.{i}.mlp.up", norm(f"h.{i}.ln_2", x))))
    return norm("ln_f", x) @ w["wte.weight"].t()


def compare(program, precision, groups):
    folder = pathlib.Path(tempfile.mkdtemp())
    window = np.random.default_rng(1).integers(0, VOCABULARY, LENGTH + 1).astype(np.uint16)
    window.tofile(folder / "window.bin")
    job = {"name": "adamw", "precision": precision, "device": "cpu",
           "model": {"n_layer": LAYERS, "n_head": HEADS, "d_model": WIDTH, "vocab_size": VOCABULARY,
                     "block_size": LENGTH, "init_std": 0.1, "bias": True},
           "data": {"train": f"tokens:{folder}/window.bin", "val": f"tokens:{folder}/window.bin"},
           "train": {"steps": 0, "batch_size": 1, "seq_len": LENGTH, "lr": RATE, "weight_decay": DECAY,
                     "decay_groups": groups, "warmup_steps": 0, "grad_clip": 1.0, "eval_every": 0,
                     "checkpoint_every": 100}}
    first = train_twice(program, folder, job, STEPS, WARMUP)
    w = {n: t.to(torch.get_default_dtype()).requires_grad_() for n, t in read_tensors(first).items()}
    decayed = [t for n, t in w.items() if DECAYED[groups](n, t)]
    rest = [t for n, t in w.items() if not DECAYED[groups](n, t)]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": DECAY},
                                   {"params": rest, "weight_decay": 0.0}],
                                  lr=RATE, betas=(0.9, 0.95), eps=1e-8)
    tokens, losses = torch.from_numpy(window.astype(int)), []
    for i in range(STEPS):
        loss = F.cross_entropy(logits(w, tokens[:-1]), tokens[1:])
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_(list(w.values()), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate(i, STEPS, WARMUP)
        optimizer.step()
    ours = logged_losses(program, folder)
    end = read_tensors(folder / f"run/checkpoints/step-{STEPS:08d}.safetensors")
    assert set(end) == set(w) and len(ours) == STEPS
    # Softmax does not see the bias of keys: its gradient is rounding alone, in both.
    worst = max(relative(end[n], t.detach()) for n, t in w.items() if not n.endswith("attn.k.bias"))
    print(f"{groups}: {len(decayed)} of {len(w)} tensors decay; losses {ours[0]:.6f} to {ours[-1]:.6f}, "
          f"largest difference {max(abs(a - b) for a, b in zip(ours, losses)):.1e}; "
          f"tensors after {STEPS} steps {worst:.1e}")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    precision = sys.argv[2] if len(sys.argv) > 2 else "float64"
    torch.set_default_dtype(getattr(torch, precision))
    for groups in DECAYED:
        compare(program, precision, groups)


main()
