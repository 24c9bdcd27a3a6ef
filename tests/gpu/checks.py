"""What a machine with a GPU is asked: is it right, and how fast is it? One function a stage; each
returns lines of Markdown and raises Failed where a claim does not hold."""
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import Failed, run

# Every operator in three types, decoding of a long context, a few whole models.
SMALL_TESTS = "*Ops*:*CachedAttention*TheFirstToken*:*CachedAttention*GroupedHeads*:*/Gpt2:*/SkipV1:*/Latent"


def job(tiny, **train):
    """A small model on text that the program makes up; the rate does not depend on the steps."""
    model = {"preset": "demo"}
    if tiny:
        model.update(n_layer=1, d_model=32, n_head=2)
    keys = {"steps": 20, "batch_size": 2 if tiny else 16, "seq_len": 16 if tiny else 128,
            "lr": 1e-3, "min_lr": 1e-3, "warmup_steps": 0, "eval_every": 0}
    return {"name": "check", "model": model,
            "data": {"train": "task:grammar", "val": "split:0.1", "tokenizer": "byte"},
            "train": {**keys, **train}}


def furthest(a, b):
    """The largest relative difference of two curves."""
    if len(a) != len(b) or not a:
        raise Failed(f"curves of {len(a)} and {len(b)} steps")
    return max(abs(x - y) / abs(y) for x, y in zip(a, b))


def tests(c):
    """Every operator and architecture against the CPU device."""
    if (c.build / "CTestTestfile.cmake").exists():
        run(["ctest", "--test-dir", c.build, "-L", "cuda", "--output-on-failure", "--no-tests=error"],
            c.environment)
    else:
        run_shards(c)
    return ["all of `ctest -L cuda` pass"]


def run_shards(c):
    """cuda_device_tests in several processes at once: time on a lent GPU is short."""
    count = max(1, min(8, (os.cpu_count() or 1) // 2))

    def shard(index):
        # Trials of algorithms would wait for those of the other processes.
        environment = {**c.environment, "GTEST_TOTAL_SHARDS": str(count), "GTEST_SHARD_INDEX":
                       str(index), "OMP_NUM_THREADS": "2", "HEADROOM_CUDA_TUNING": "off"}
        done = subprocess.run([c.bin / "cuda_device_tests", "--gtest_brief=1"], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    with ThreadPoolExecutor(count) as threads:
        for status, output in threads.map(shard, range(count)):
            if status != 0:
                print(output, file=sys.stderr)
                raise Failed(f"cuda_device_tests ended with status {status}; see above")


def sanitizer(c):
    """compute-sanitizer over small cases."""
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not Path(tool).exists():
        return ["skipped: compute-sanitizer is not installed"]
    # Trials of algorithms try what the library refuses, and take long under the sanitizer.
    environment = {**c.environment, "HEADROOM_CUDA_TUNING": "off"}
    lines = []
    for kind in ("memcheck", "racecheck", "synccheck"):
        options = sanitizer_options(tool, kind)
        run([tool, "--tool", kind, "--error-exitcode", "9", *options, c.bin / "cuda_device_tests",
             "--gtest_brief=1", f"--gtest_filter={c.small_tests}"], environment)
        lines.append(f"{kind}: clean" + (" (our kernels)" if "kns=headroom" in options else ""))
    return lines


def sanitizer_options(tool, kind):
    """memcheck: no calls that failed and were handled, such as asking for memory that is not there.
    The others: our kernels alone, where the tool can choose, since the library's have reports of
    their own."""
    if kind == "memcheck":
        return ["--report-api-errors", "no"]
    try:
        known = run([tool, "--help"], capture=True)
    except Failed:
        known = ""
    return ["--kernel-name", "kns=headroom"] if "--kernel-name" in known else []


def losses(c):
    """The same job twice, and beside the CPU."""
    first = c.program.train(job(c.tiny), c.folder / "first")
    second = c.program.train(job(c.tiny), c.folder / "second")
    if first != second:
        raise Failed("the same job gave other losses the second time")
    cpu = c.program.train(job(c.tiny), c.folder / "cpu", device="cpu")
    apart = furthest(first, cpu)
    if apart > 1e-5:
        raise Failed(f"float32 losses are {apart:.1e} from the CPU's, more than 1e-5")
    return ["the same job twice: equal bit for bit over 20 steps",
            f"float32 beside the CPU's: {apart:.1e} apart at most (1e-5 allowed)"]


def curve(c):
    """200 steps in bfloat16 beside float32 on the CPU."""
    steps, together = (20, 5) if c.tiny else (200, 50)
    wide = c.program.train(job(c.tiny, steps=steps), c.folder / "curve-float32", device="cpu")
    narrow = c.program.train({**job(c.tiny, steps=steps), "precision": "bfloat16"},
                             c.folder / "curve-bfloat16")
    # Roundings grow with the steps, in the CPU's bfloat16 as well: what a kernel does wrong shows
    # at first, or on average.
    first, mean = furthest(narrow[:20], wide[:20]), furthest(means(narrow, together),
                                                             means(wide, together))
    apart = f"{first:.2%} apart over the first 20, means of {together} {mean:.2%}"
    if max(first, mean) > 5e-3:
        raise Failed(f"the bfloat16 losses are {apart} from the CPU's float32, more than 0.5 %")
    return [f"{steps} steps in bfloat16 beside float32 on the CPU: {apart} (0.5 % allowed); the "
            f"furthest single step {furthest(narrow, wide):.2%}"]


def means(losses, count):
    """Of every `count` steps."""
    return [sum(losses[i:i + count]) / count for i in range(0, len(losses), count)]


def resume(c):
    """A run of 20 steps against one that ends after 10 and is resumed."""
    whole = c.program.train(job(c.tiny), c.folder / "whole")
    half = c.folder / "half"
    c.program.train(job(c.tiny, steps=10), half)
    resumed = c.program.train(job(c.tiny, steps=20), half, resume=True)
    if resumed != whole:
        raise Failed(f"a resumed run differs from step {differ_at(resumed, whole)} on")
    return ["a run that ends after 10 steps and is resumed: the same bits as one of 20"]


def differ_at(a, b):
    return next((n + 1 for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)) + 1)


def processes(c):
    """Two processes with a GPU each, where there are two."""
    count = c.device_count()
    if count < 2 or not shutil.which("mpirun"):
        return [f"skipped: {count} device(s), mpirun {'is' if shutil.which('mpirun') else 'is not'} "
                "installed"]
    together = job(c.tiny, grad_accum=2)
    alone = c.program.train(together, c.folder / "alone")
    file = c.folder / "together.json"
    file.write_text(json.dumps(together))
    # In the environment, since other MPIs than Open MPI refuse the option.
    environment = {**c.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    run(["mpirun", "-n", "2", c.program.path, "train", "--job", file, "--out", c.folder / "together",
         "--device", "cuda"], environment, capture=True)
    apart = furthest(c.program.losses(c.folder / "together"), alone)
    if apart > 1e-5:
        raise Failed(f"losses of two processes are {apart:.1e} from those of one")
    return [f"two processes, a GPU each: losses {apart:.1e} from those of one"]


def speed(c):
    """Training steps, ours and PyTorch's in turn."""
    rows, best = [], {}
    for preset in c.presets:
        for batch in c.batches:
            try:
                case = c.program.bench_train(c.sets(batch), c.steps, preset)["cases"][0]
            except Failed as failure:
                rows.append(f"| {preset} | {batch} | {failure} | | | |")
                continue
            theirs = c.peer(batch) if preset == c.presets[0] else None
            best[preset] = max(best.get(preset, case), case, key=lambda x: x["tokens_per_second"])
            if theirs:
                best["PyTorch"] = max(best.get("PyTorch", 0), theirs)
            rows.append(row_of(preset, batch, case, theirs, c.product_tflops))
    lines = ["| preset | batch_size | tokens/s | PyTorch, tokens/s | share of our product rate | "
             "share of PyTorch's product rate |", "| --- | --- | --- | --- | --- | --- |", *rows, ""]
    if c.product_tflops:
        lines.append(f"PyTorch multiplies bfloat16 matrices at {c.product_tflops:.0f} TFLOP/s and "
                     f"copies {c.copy_gbytes:.0f} GB/s in the same go.")
    if "share_of_sustained_product_rate" in best.get(c.presets[0], {}):
        lines.append(f"Of the product rate that the device sustains for a second, the best of "
                     f"{c.presets[0]} is {best[c.presets[0]]['share_of_sustained_product_rate']:.2f}; "
                     "the shares above and below are of the best single product.")
    judged, ok = claims(best, c.presets, c.peer_problem)
    lines += judged + by_operator(best.get(c.presets[0]))
    if not ok and not c.tiny:  # models that train in a second show nothing
        raise Failed("the speed is not as asked", lines)
    return lines


def row_of(preset, batch, case, theirs, product_tflops):
    share = f"{share_of(case, product_tflops):.2f}" if product_tflops else ""
    return (f"| {preset} | {batch} | {case['tokens_per_second']:,.0f} | "
            f"{f'{theirs:,.0f}' if theirs else ''} | {case['share_of_product_rate']:.2f} | {share} |")


def share_of(case, product_tflops):
    return case["gflops_per_second"] / product_tflops * 1e-3


def claims(best, presets, peer_problem):
    """What is asked of the best batch sizes: lines, and whether all of it is so. Nothing is asked
    where PyTorch gave no number to compare with."""
    missing = [f"- {name}: **did not run**" for name in presets if name not in best]
    if presets[0] not in best:
        return missing, False
    base, asked, lines = best[presets[0]], [], []
    if "PyTorch" in best:
        asked.append((f"{presets[0]} / PyTorch", base["tokens_per_second"] / best["PyTorch"], 1.0))
    else:
        lines.append(f"- PyTorch: not compared ({peer_problem or 'no reason given'})")
    asked.append(("share of our product rate", base["share_of_product_rate"], 0.5))
    asked += [(f"{name} / {presets[0]}", best[name]["tokens_per_second"] / base["tokens_per_second"],
               1.0) for name in presets[1:] if name in best]
    lines += [f"- {what}: {value:.2f}, {'as' if value >= least else '**not** as'} asked "
              f"(at least {least})" for what, value, least in asked]
    return lines + missing, not missing and all(value >= least for _, value, least in asked)


def by_operator(case):
    if case is None:
        return []
    lines = ["", f"Where a step of {case['name']} at batch_size {case['batch_size']} goes:", "",
             "| operator | ms | share | GFLOP/s | GB/s |", "| --- | --- | --- | --- | --- |"]
    return lines + [f"| {op['op']} | {op['ms_per_step']:.3f} | {op['share']:.1%} | "
                    f"{op.get('gflops_per_second', 0):,.0f} | {op['gbytes_per_second']:,.0f} |"
                    for op in case["ops"] if op["share"] >= 0.005]


def operators(c):
    """Every operator at a training size."""
    words = ["--device", c.program.device] if c.program.has_option("--device", "bench", "ops") else []
    if not words and c.program.device == "cuda":
        return ["skipped: `bench ops` has no --device"]
    only = ["--only", "layernorm"] if c.tiny else []
    document = c.program.document("bench", "ops", "--dtype", c.dtype, *words, *only)
    lines = ["| case | kernel | ms | GFLOP/s | share | GB/s | share |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    share = lambda kernel, key: f"{kernel[key]:.2f}" if kernel.get(key) else ""
    return lines + [f"| {k['case']} | {k['kernel']} | {1e3 * k['seconds']:.3f} | {k['gflops']:,.0f} | "
                    f"{share(k, 'share_of_product_rate')} | {k['gbytes_per_second']:,.0f} | "
                    f"{share(k, 'share_of_memory_rate')} |" for k in document["kernels"]]


def decoding(c):
    """Tokens per second of prompts and of decoding, baseline and SkipV1Former."""
    words = ["--context", "8", "--batch", "1", "--new", "2", "--set", "model.n_layer=1", "--set",
             "model.d_model=32", "--set", "model.n_head=2"] if c.tiny else \
            ["--context", "512,4096", "--batch", "1,16"]
    document = c.program.document("bench", "decode", "--dtype", c.dtype, "--device",
                                  c.program.device, "--set", "model.pos=rope", *words)
    lines = ["| variant | batch | context | prompt, tokens/s | tokens/s | speed | GB/s |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for case in document["cases"]:
        rate = case["bytes_per_step"] / case["step_ms"] * 1e-6
        prompt = case["batch_size"] * 1e5 / case["prefill_ms_per_100_tokens"]
        lines.append(f"| {case['arch']} | {case['batch_size']} | {case['context']} | {prompt:,.0f} | "
                     f"{case['tokens_per_second']:,.0f} | {case['step_speed']:.2f} | {rate:,.0f} |")
    return lines


STAGES = [tests, sanitizer, losses, curve, resume, processes, speed, operators, decoding]


def say(text):
    print(text, file=sys.stderr, flush=True)
