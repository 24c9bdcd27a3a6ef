"""GPT-NeoX of Hugging Face's transformers beside ours: checkpoints that it wrote (logits, also token by
token, and greedy text), one that it reads from us, and 50 steps of AdamW from there.

    python tests/peers/neox.py build/release/bin/headroom

Needs PyTorch, NumPy, transformers and safetensors. All in float64, the angles, too, which transformers has
in float32 whatever the model's type; as it comes, logits agree to 8e-8. The data are as long as one window, so
that the order that ours draws windows in does not matter.
"""
import json
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM
from transformers.models.gpt_neox import modeling_gpt_neox

from headroom_files import RATE, STEPS, logged_losses, rate, read_tensors, relative, run, train_twice

SIZES = dict(num_hidden_layers=3, num_attention_heads=4, hidden_size=48, intermediate_size=80,
             vocab_size=256, max_position_embeddings=40, attn_implementation="sdpa")
KINDS = {
    "Pythia's": dict(),
    "serial": dict(use_parallel_residual=False),
    "half of each head, tied": dict(rotary_pct=0.5, tie_word_embeddings=True),
    "whole heads, other base, tanh": dict(rotary_pct=1.0, rotary_emb_base=500, hidden_act="gelu_new"),
    "no attention biases": dict(attention_bias=False, layer_norm_eps=1e-3),
}


def double_angles(rotary, x, position_ids):
    pairs = rotary.inv_freq.numel()
    rope = rotary.config.rope_parameters
    turns = rope["rope_theta"] ** -(torch.arange(pairs, dtype=torch.float64) / pairs)
    angles = position_ids[..., None] * torch.cat([turns, turns])
    return angles.cos(), angles.sin()


def of_transformers(kind):
    config = GPTNeoXConfig(**SIZES, **{"rotary_pct": 1 / 3, **kind})
    model = GPTNeoXForCausalLM(config).double().eval()
    with torch.no_grad():
        for p in model.parameters():  # biases and gains, too
            p.add_(0.15 * torch.randn_like(p))
    return model


def compare_checkpoints(program, name, kind):
    torch.manual_seed(1)
    folder = pathlib.Path(tempfile.mkdtemp())
    model = of_transformers(kind)
    model.save_pretrained(folder / "theirs")
    run(program, "convert", "import", "--from", folder / "theirs", "--out", folder / "ours.safetensors")
    run(program, "convert", "export", "--checkpoint", folder / "ours.safetensors", "--format", "hf-neox",
        "--out", folder / "back")
    tokens = torch.randint(0, SIZES["vocab_size"], (1, 40))
    listed = ",".join(map(str, tokens[0].tolist()))
    with torch.no_grad():
        theirs = model(tokens).logits[0]
        again = GPTNeoXForCausalLM.from_pretrained(folder / "back", dtype=torch.float64,
                                                   attn_implementation="sdpa")(tokens).logits[0]
    worst = []
    for more in [], ["--decode"]:
        run(program, "logits", "--checkpoint", folder / "theirs", "--tokens", listed, "--dtype", "f64", *more,
            "--out", folder / "logits.safetensors")
        worst.append(relative(read_tensors(folder / "logits.safetensors")["logits"], theirs))
    prompt = "A prompt"
    told = json.loads(run(program, "generate", "--checkpoint", folder / "theirs", "--tokenizer", "byte",
                          "--prompt", prompt, "--max-new", "30", "--temperature", "0", "--dtype", "f64", "--json"))
    greedy = model.generate(torch.tensor([list(prompt.encode())]), max_new_tokens=30, do_sample=False,
                            pad_token_id=0, eos_token_id=None)[0, len(prompt):].tolist()
    print(f"{name}: logits {worst[0]:.1e}, token by token {worst[1]:.1e}, exported again "
          f"{relative(again, theirs):.1e}; 30 greedy tokens equal: {told['tokens'] == greedy}")


def compare_training(program, keys):
    folder = pathlib.Path(tempfile.mkdtemp())
    length, vocabulary = 33, 61
    window = np.random.default_rng(1).integers(0, vocabulary, length + 1).astype(np.uint16)
    window.tofile(folder / "window.bin")
    job = {"name": "neox", "precision": "float64", "device": "cpu",
           "model": {"topology": "parallel", "parallel_norm": "separate", "pos": "rope", "bias": True,
                     "tie": False, "n_layer": 3, "n_head": 4, "d_model": 48, "rope_dim": 4,
                     "vocab_size": vocabulary, "block_size": length, "init_std": 0.1, **keys},
           "data": {"train": f"tokens:{folder}/window.bin", "val": f"tokens:{folder}/window.bin"},
           "train": {"steps": 0, "batch_size": 1, "seq_len": length, "lr": RATE, "warmup_steps": 0,
                     "grad_clip": 1.0, "eval_every": 0, "checkpoint_every": STEPS}}
    first = train_twice(program, folder, job)
    run(program, "convert", "export", "--checkpoint", first, "--format", "hf-neox", "--out", folder / "start-hf")
    model = GPTNeoXForCausalLM.from_pretrained(folder / "start-hf", dtype=torch.float64,
                                               attn_implementation="sdpa").train()
    optimizer = torch.optim.AdamW(
        [{"params": [p for p in model.parameters() if p.dim() > 1], "weight_decay": 0.1},
         {"params": [p for p in model.parameters() if p.dim() == 1], "weight_decay": 0.0}],
        lr=RATE, betas=(0.9, 0.95), eps=1e-8)
    tokens, losses = torch.from_numpy(window.astype(int)), []
    for i in range(STEPS):
        loss = F.cross_entropy(model(tokens[None, :-1]).logits[0], tokens[1:])
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate(i)
        optimizer.step()
    ours = logged_losses(program, folder)
    assert len(ours) == STEPS
    with torch.no_grad():
        theirs = model.eval()(tokens[None, :-1]).logits[0]
    run(program, "logits", "--checkpoint", folder / f"run/checkpoints/step-{STEPS:08d}.safetensors",
        "--tokens", ",".join(map(str, window[:-1])), "--dtype", "f64", "--out", folder / "end.safetensors")
    end = read_tensors(folder / "end.safetensors")["logits"]
    print(f"{keys}: losses {ours[0]:.6f} to {ours[-1]:.6f}, largest difference "
          f"{max(abs(a - b) for a, b in zip(ours, losses)):.1e}; logits after {STEPS} steps "
          f"{relative(end, theirs):.1e}")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    torch.set_default_dtype(torch.float64)
    modeling_gpt_neox.GPTNeoXRotaryEmbedding.forward = double_angles
    for name, kind in KINDS.items():
        compare_checkpoints(program, name, kind)
    for keys in {}, {"topology": "serial"}, {"rope_style": "interleaved", "rope_dim": 8}:
        compare_training(program, keys)


main()
