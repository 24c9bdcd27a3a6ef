"""A GPT-2 as nanoGPT makes it in PyTorch, for comparison with ours: no biases, tied embeddings, its initial weights."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.ln_1 = nn.LayerNorm(d_model, bias=False)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.ln_2 = nn.LayerNorm(d_model, bias=False)
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
        self.ln_f = nn.LayerNorm(d_model, bias=False)
        # PyTorch's own scale of embeddings, 1, saturates the softmax: denormal gradients, and seven times the time.
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                residual = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(weight, 0.0, 0.02 / math.sqrt(2 * n_layer) if residual else 0.02)
        self.register_buffer("mask", torch.triu(torch.ones(seq_len, seq_len, dtype=torch.bool), 1))

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe.weight
        for block in self.blocks:
            x = block(x, self.mask)
        logits = F.linear(self.ln_f(x), self.wte.weight)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
