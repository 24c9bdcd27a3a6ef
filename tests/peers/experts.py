"""Mixtures of experts in PyTorch with our weights, compared with ours: logits, every gradient and 50
steps of AdamW.

    python tests/peers/experts.py build/release/bin/headroom [float32|float64]

Needs PyTorch and NumPy. The data are as long as one window, so that the order that ours draws
windows in does not matter; a batch has it several times, and places in experts run out.
"""
import math
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F

from headroom_files import RATE, STEPS, logged_losses, rate, read_tensors, relative, run, train_twice

LAYERS, HEADS, WIDTH, HIDDEN, VOCABULARY, LENGTH, ROWS = 3, 3, 48, 80, 61, 33, 3

MODELS = {
    "two of four": {"mlp_experts": 4, "mlp_top_k": 2},
    "one of five, gated, z loss": {"mlp_experts": 5, "mlp_top_k": 1, "mlp": "swiglu",
                                   "mlp_balance": 0.1, "mlp_z": 0.05},
    "by layer, with places": {"mlp_experts": [1, 3, 4], "mlp_top_k": [1, 1, 3],
                              "mlp_capacity": 0.7, "mlp_balance": 0.2},
    "biases, places": {"mlp_experts": 4, "mlp_top_k": 2, "mlp_capacity": 0.6, "bias": True},
}


def expert(w, name, x, gated):
    up = x @ w[name + "up.weight"] + w.get(name + "up.bias", 0)
    if gated:
        up = F.silu(x @ w[name + "gate.weight"] + w.get(name + "gate.bias", 0)) * up
    else:
        up = F.gelu(up)
    return up @ w[name + "down.weight"] + w.get(name + "down.bias", 0)


def mixture(w, name, u, keys, experts, top_k):
    """The output, and the two losses."""
    x = u.flatten(0, 1)
    logits = x @ w[name + "router.weight"]
    p = torch.softmax(logits, dim=-1)
    best, chosen = p.topk(top_k, dim=-1)
    weights = best / best.sum(-1, keepdim=True)
    n = len(x)
    capacity = keys.get("mlp_capacity", 0)
    places = math.ceil(capacity * top_k * n / experts) if capacity > 0 else n
    y = torch.zeros_like(x)
    shares = []
    for e in range(experts):
        tokens, place = torch.where(chosen == e)  # in the order of the tokens
        shares.append(len(tokens) / (top_k * n))
        tokens, place = tokens[:places], place[:places]
        out = expert(w, f"{name}experts.{e}.", x[tokens], keys.get("mlp") == "swiglu")
        y = y.index_add(0, tokens, weights[tokens, place].unsqueeze(-1) * out)
    balance = experts * sum(f * q for f, q in zip(shares, p.mean(0)))
    return y.view_as(u), balance, logits.logsumexp(-1).square().mean()


def of_layer(value, layer):
    return value[layer] if isinstance(value, list) else value


def forward(w, keys, tokens):
    """Logits, and what is added to the loss."""
    x = w["wte.weight"][tokens] + w["wpe.weight"][:tokens.size(1)]
    norm = lambda name, t: F.layer_norm(t, (WIDTH,), w[name + ".weight"], w.get(name + ".bias"))
    balances, squares = [], []
    for i in range(LAYERS):
        linear = lambda name, t: t @ w[f"h.{i}.{name}.weight"] + w.get(f"h.{i}.{name}.bias", 0)
        u = norm(f"h.{i}.ln_1", x)
        q, k, v = (linear("attn." + m, u).unflatten(-1, (HEADS, -1)).transpose(1, 2) for m in "qkv")
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear("attn.o", y.transpose(1, 2).flatten(2))
        u = norm(f"h.{i}.ln_2", x)
        experts = of_layer(keys["mlp_experts"], i)
        if experts == 1:
            x = x + expert(w, f"h.{i}.mlp.", u, keys.get("mlp") == "swiglu")
            continue
        y, balance, z = mixture(w, f"h.{i}.mlp.", u, keys, experts, of_layer(keys["mlp_top_k"], i))
        x = x + y
        balances.append(balance)
        squares.append(z)
    added = (keys.get("mlp_balance", 0.01) * sum(balances) + keys.get("mlp_z", 0) * sum(squares))
    return norm("ln_f", x) @ w["wte.weight"].t(), added / len(balances)


def compare(program, precision, name, keys):
    folder = pathlib.Path(tempfile.mkdtemp())
    window = np.random.default_rng(1).integers(0, VOCABULARY, LENGTH + 1).astype(np.uint16)
    window.tofile(folder / "window.bin")
    job = {"name": "experts", "precision": precision, "device": "cpu",
           "model": {"n_layer": LAYERS, "n_head": HEADS, "d_model": WIDTH, "d_ff": HIDDEN,
                     "vocab_size": VOCABULARY, "block_size": LENGTH, "init_std": 0.15, **keys},
           "data": {"train": f"tokens:{folder}/window.bin", "val": f"tokens:{folder}/window.bin"},
           "train": {"steps": 0, "batch_size": ROWS, "seq_len": LENGTH, "lr": RATE,
                     "warmup_steps": 0, "grad_clip": 0, "eval_every": 0, "checkpoint_every": 1}}
    first = train_twice(program, folder, job)

    w = {n: t.to(torch.get_default_dtype()).requires_grad_() for n, t in read_tensors(first).items()}
    tokens = torch.from_numpy(window.astype(int)).unsqueeze(0)
    listed = ",".join(map(str, window[:-1]))
    kind = {"float64": "f64", "float32": "f32"}[precision]
    print(f"{name}:")
    with torch.no_grad():
        theirs = forward(w, keys, tokens[:, :-1])[0][0]
    for decode in [], ["--decode"]:
        run(program, "logits", "--checkpoint", first, "--tokens", listed, "--dtype", kind, *decode,
            "--out", folder / "logits.safetensors")
        ours = read_tensors(folder / "logits.safetensors")["logits"]
        if not decode or not keys.get("mlp_capacity"):  # decoding drops nothing
            print(f"  logits{' one by one' if decode else ''}: {relative(ours, theirs):.1e}")

    optimizer = torch.optim.AdamW(
        [{"params": [p for p in w.values() if p.dim() > 1], "weight_decay": 0.1},
         {"params": [p for p in w.values() if p.dim() == 1], "weight_decay": 0.0}],
        lr=RATE, betas=(0.9, 0.95), eps=1e-8)
    batch, losses, worst = tokens.expand(ROWS, -1), [], 0
    for i in range(STEPS):
        logits, added = forward(w, keys, batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        (loss + added).backward()
        losses.append(loss.item())
        if i == 0:  # the first moment is a tenth of the gradient
            moments = read_tensors(folder / "run/checkpoints/step-00000001.optim.safetensors")
            # Softmax does not see the bias of keys: its gradient is rounding alone, in both.
            worst = max(relative(moments[n + ".m"] / 0.1, p.grad) for n, p in w.items()
                        if not n.endswith("attn.k.bias"))
        for group in optimizer.param_groups:
            group["lr"] = rate(i)
        optimizer.step()
    print(f"  gradients: {worst:.1e}")
    ours = logged_losses(program, folder)
    print(f"  losses {ours[0]:.6f} to {ours[-1]:.6f}, theirs {losses[0]:.6f} to {losses[-1]:.6f}: "
          f"{max(abs(a - b) for a, b in zip(ours, losses)):.1e}")
    end = read_tensors(folder / f"run/checkpoints/step-{STEPS:08d}.safetensors")
    assert set(end) == set(w), set(end) ^ set(w)
    worst = max(relative(end[n], p.detach()) for n, p in w.items() if not n.endswith("attn.k.bias"))
    print(f"  tensors after {STEPS} steps: {worst:.1e}")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    precision = sys.argv[2] if len(sys.argv) > 2 else "float64"
    torch.set_default_dtype(getattr(torch, precision))
    for name, keys in MODELS.items():
        compare(program, precision, name, keys)


main()
