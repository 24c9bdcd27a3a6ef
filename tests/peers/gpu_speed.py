#!/usr/bin/env python3
"""Times training steps of a GPT-2 of nanoGPT's shape in PyTorch on a GPU: torch.compile, flash
attention, bfloat16 autocast, fused AdamW. Prints one JSON document.

    tests/peers/gpu_speed.py --batch 8,16,32 [--steps 20] [--device cuda]

Asked for by tests/gpu/check.py, which runs headroom in turn with it. Without PyTorch it says so and
ends with status 77.
"""
import argparse
import contextlib
import json
import statistics
import sys
import time

try:
    import torch
    from nanogpt import Model
except ImportError as error:
    print(f"skipped: PyTorch cannot be loaded ({error})", file=sys.stderr)
    sys.exit(77)


def wait(device):
    if device == "cuda":
        torch.cuda.synchronize()


def median_seconds(work, repeats, device):
    """Of single calls, each waited for."""
    seconds = []
    for _ in range(repeats):
        wait(device)
        start = time.perf_counter()
        work()
        wait(device)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def product_tflops(device, size):
    """The rate of a square product of bfloat16 random numbers: the ceiling that shares are of."""
    a = torch.randn(size, size, device=device).bfloat16()
    b = torch.randn(size, size, device=device).bfloat16()
    for _ in range(3):
        a @ b
    return 2 * size**3 / median_seconds(lambda: a @ b, 20, device) * 1e-12


def copy_gbytes(device, count):
    """The rate of a copy, bytes read and written."""
    a = torch.zeros(count, device=device)
    b = torch.empty_like(a)
    for _ in range(3):
        b.copy_(a)
    return 2 * 4 * count / median_seconds(lambda: b.copy_(a), 20, device) * 1e-9


@contextlib.contextmanager
def flash_attention(device):
    """On a GPU flash attention alone, so that nothing slower is taken in silence."""
    if device != "cuda":
        yield
        return
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        yield


class Peer:
    def __init__(self, arguments, batch_size):
        torch.manual_seed(1)
        self.device = arguments.device
        shape = (batch_size, arguments.seq_len)
        model = Model(arguments.n_layer, arguments.n_head, arguments.d_model, arguments.vocab_size,
                      arguments.seq_len).to(self.device)
        self.parameters = list(model.parameters())
        # On the host only where asked for: it has no use for compiled kernels of this kind.
        self.model = torch.compile(model) if arguments.compile else model
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-4, betas=(0.9, 0.95),
                                           weight_decay=0.1, fused=self.device == "cuda")
        self.tokens = torch.randint(arguments.vocab_size, shape, device=self.device)
        self.targets = torch.randint(arguments.vocab_size, shape, device=self.device)

    def step(self):
        with flash_attention(self.device), torch.autocast(self.device, torch.bfloat16):
            loss = self.model(self.tokens, self.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss

    def tokens_per_second(self, steps):
        """From the median of groups of steps that are not waited for one by one, as in training."""
        for _ in range(3):
            self.step()
        group = max(1, steps // 4)
        seconds = median_seconds(lambda: [self.step() for _ in range(group)], 4, self.device)
        return self.tokens.numel() * group / seconds


def measure(arguments, batch_size):
    case = {"batch_size": batch_size, "seq_len": arguments.seq_len}
    try:
        peer = Peer(arguments, batch_size)
        case["tokens_per_second"] = peer.tokens_per_second(arguments.steps)
    except torch.OutOfMemoryError if hasattr(torch, "OutOfMemoryError") else RuntimeError as error:
        case["failed"] = str(error).splitlines()[0]
    if arguments.device == "cuda":
        case["memory_bytes"] = torch.cuda.max_memory_allocated()
        peer = None
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    return case


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batch", default="8,16,32", help="batch sizes, separated by commas")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    parser.add_argument("--no-rates", dest="rates", action="store_false",
                        help="leave the rates of products and copies out")
    for name, value in (("n_layer", 12), ("n_head", 12), ("d_model", 768), ("vocab_size", 50304),
                        ("seq_len", 1024), ("product_size", 8192)):
        parser.add_argument(f"--{name}", type=int, default=value)
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.device == "cuda" and not torch.cuda.is_available():
        print("skipped: PyTorch sees no GPU", file=sys.stderr)
        sys.exit(77)
    torch.set_float32_matmul_precision("high")
    document = {"torch": torch.__version__,
                "device": torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU"}
    if arguments.rates:
        document["product_tflops"] = product_tflops(arguments.device, arguments.product_size)
        document["copy_gbytes_per_second"] = copy_gbytes(arguments.device,
                                                         arguments.product_size**2)
    document["cases"] = [measure(arguments, int(size)) for size in arguments.batch.split(",")]
    print(json.dumps(document))


if __name__ == "__main__":
    main()
