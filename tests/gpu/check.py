#!/usr/bin/env python3
"""Everything that only a machine with a GPU can show, in one command.

    tests/gpu/check.py                     build what is missing, check, measure, write gpu-check.md
    tests/gpu/check.py --only losses,speed,tests  where time on the GPU is short: what matters most,
                                           in this order (--help lists the stages)
    tests/gpu/check.py --pack FOLDER       what a machine without internet needs, to be carried there
    FOLDER/tests/gpu/check.py              there

--device cpu --tiny goes through the same stages on any machine in a minute: for work on this script.
The log is Markdown for core/bench/README.md. Ends with status 1 where a claim did not hold; of --tiny
no speed is asked.
"""
import argparse
import datetime
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
import checks
from pack import libraries_here, pack
from program import Failed, Program, library_path, run

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / "tests" / "peers" / "gpu_speed.py"
TINY_MODEL = {"n_layer": 1, "n_head": 2, "d_model": 32, "vocab_size": 64}


class Context:
    """What the stages know of this machine and of what was asked."""

    def __init__(self, arguments, folder):
        self.folder, self.tiny = Path(folder), arguments.tiny
        self.build, self.bin = find_programs(arguments)
        self.environment = library_path(libraries_here(ROOT, arguments.python))
        self.program = Program(self.bin / "headroom", arguments.device, self.environment)
        self.python, self.steps = arguments.python, 2 if self.tiny else 20
        self.batches = [1] if self.tiny else [int(b) for b in arguments.batch.split(",")]
        self.presets = arguments.presets.split(",")
        self.dtype = "f32" if self.tiny else "bf16"
        self.small_tests = arguments.small_tests
        self.product_tflops = self.copy_gbytes = None
        self.peer_problem = ""  # why PyTorch gave no number, where it gave none

    def sets(self, batch):
        keys = {"precision": "float32" if self.tiny else "bfloat16", "train.batch_size": batch,
                "train.seq_len": 16 if self.tiny else 1024}
        if self.tiny:
            keys.update({f"model.{key}": value for key, value in TINY_MODEL.items()})
        return [f"{key}={value}" for key, value in keys.items()]

    def peer(self, batch):
        """PyTorch's tokens per second at this batch size; None where it is not installed."""
        words = [self.python, PEER, "--device", self.program.device, "--batch", str(batch), "--steps",
                 str(self.steps)]
        words += ["--no-rates"] if self.product_tflops else []
        if self.tiny:
            words += ["--no-compile", "--seq_len", "16", "--product_size", "64"]
            words += [f"--{key}={value}" for key, value in TINY_MODEL.items()]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            if not self.peer_problem:
                checks.say(f"PyTorch: {last}")
            self.peer_problem = last
            return None
        document = json.loads(done.stdout.splitlines()[-1])
        self.product_tflops = self.product_tflops or document["product_tflops"]
        self.copy_gbytes = self.copy_gbytes or document["copy_gbytes_per_second"]
        case = document["cases"][0]
        self.peer_problem = case.get("failed", self.peer_problem)
        return case.get("tokens_per_second")

    def device_count(self):
        if self.program.device != "cuda":
            return 0
        try:
            return len(run(["nvidia-smi", "-L"], capture=True).splitlines())
        except Failed:
            return 0

    def head(self):
        card = "CPU (a dry run)"
        if self.program.device == "cuda":
            card = run(["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,"
                        "noheader"], capture=True).splitlines()[0]
        version = self.program.call("--version").strip()
        return [f"## {datetime.date.today()}, {card}", "", version]


def find_programs(arguments):
    """The build folder and that of its programs, built if they are not there."""
    if (ROOT / "bin" / "headroom").exists():  # carried here
        return ROOT, ROOT / "bin"
    build = Path(arguments.build).resolve()
    needed = ["headroom"] + (["cuda_device_tests"] if arguments.device == "cuda" else [])
    built = all((build / "bin" / name).exists() for name in needed)
    if built and arguments.device == "cuda":  # perhaps where there was no GPU, without the optimiser
        doctor = subprocess.run([build / "bin" / "headroom", "doctor"], capture_output=True, text=True)
        built = "without its optimiser" not in doctor.stdout
    if arguments.rebuild or not built:
        run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
             "-DHEADROOM_STUDIO=OFF", *(f"-D{key}" for key in arguments.define)])
        targets = run(["cmake", "--build", build, "--target", "help"], capture=True)
        if arguments.device == "cuda" and "cuda_device_tests" not in targets:
            raise Failed("CMake found no CUDA toolkit with cuBLAS; install nvcc and libcublas-dev (of "
                         "the same version), or set CUDACXX, then try again with --rebuild")
        run(["cmake", "--build", build, "--target", *needed])
    return build, build / "bin"


def go(context, stages, log):
    """Runs the stages; what they say goes to the log at once. The number that failed."""
    failed = 0
    # Without a device nothing below means anything: tests would be skipped.
    context.program.train(checks.job(True, steps=1), context.folder / "ready")
    log.write("\n".join(context.head()) + "\n")
    for stage in stages:
        checks.say(f"{stage.__name__} ...")
        start = time.monotonic()
        try:
            lines = stage(context)
        except Failed as failure:
            failed += 1
            lines = failure.lines + ([""] if failure.lines else []) + [f"**FAILED** {failure}"]
        seconds = time.monotonic() - start
        text = "\n".join([f"\n### {stage.__doc__.splitlines()[0]}", "", *lines])
        print(f"{text}\n\n({stage.__name__}: {seconds:.0f} s)", flush=True)
        log.write(text + "\n")
        log.flush()
    return failed


def parse_arguments():
    names = ", ".join(stage.__name__ for stage in checks.STAGES)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter, epilog=f"stages: {names}")
    parser.add_argument("--only", default="", help="stages, separated by commas")
    parser.add_argument("--skip", default="", help="stages to leave out")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--tiny", action="store_true", help="models that train in a second")
    parser.add_argument("--batch", default="8,16,32,64", help="batch sizes of the speed stage")
    parser.add_argument("--presets", default="gpt2-124m,gpt2-124m-wq-identity,gpt2-124m-skipv1")
    parser.add_argument("--small-tests", default=checks.SMALL_TESTS, help="for compute-sanitizer")
    parser.add_argument("--build", default=ROOT / "build" / "gpu", help="build folder")
    parser.add_argument("--rebuild", action="store_true")
    parser.add_argument("--define", action="append", default=[], metavar="KEY=VALUE",
                        help="for CMake, e.g. HEADROOM_CUDA_ARCHITECTURES=90-real")
    parser.add_argument("--python", default=sys.executable, help="one that has PyTorch")
    parser.add_argument("--log", default="gpu-check.md")
    parser.add_argument("--pack", metavar="FOLDER", help="collect what another machine needs")
    return parser.parse_args()


def chosen(arguments):
    names = {stage.__name__: stage for stage in checks.STAGES}
    asked = [name for name in arguments.only.split(",") if name] or list(names)
    left_out = [name for name in arguments.skip.split(",") if name]
    for name in asked + left_out:
        if name not in names:
            sys.exit(f"error: there is no stage \"{name}\"; use {', '.join(names)}")
    return [names[name] for name in asked if name not in left_out]


def main():
    arguments = parse_arguments()
    try:
        if arguments.pack:
            pack(ROOT, find_programs(arguments)[1], Path(arguments.pack))
            return
        with tempfile.TemporaryDirectory() as folder, open(arguments.log, "w") as log:
            failed = go(Context(arguments, folder), chosen(arguments), log)
    except Failed as failure:
        sys.exit(f"error: {failure}")
    if failed:
        sys.exit(f"error: {failed} stage(s) failed; {arguments.log} says which")


if __name__ == "__main__":
    main()
