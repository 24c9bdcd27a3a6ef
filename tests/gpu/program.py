"""Runs headroom and reads what it prints."""
import json
import os
import subprocess
from pathlib import Path


class Failed(Exception):
    """A check that did not hold; its text is the line to print, below `lines` of what was found."""

    def __init__(self, text, lines=()):
        super().__init__(text)
        self.lines = list(lines)


def run(command, environment=None, capture=False, limit_s=None):
    """The standard output if `capture`; Failed with the command and its last line of error."""
    try:
        done = subprocess.run([str(word) for word in command], text=True, env=environment,
                              capture_output=capture, timeout=limit_s)
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[0]} took more than {limit_s} s") from None
    except OSError as error:
        raise Failed(f"{command[0]} cannot be started: {error}") from None
    if done.returncode != 0:
        said = (done.stderr or "").strip().splitlines()
        last = said[-1] if said else f"status {done.returncode}"
        raise Failed(f"{' '.join(str(word) for word in command)}: {last}")
    return done.stdout


class Program:
    """headroom on one device."""

    def __init__(self, path, device, environment):
        self.path, self.device, self.environment = path, device, environment

    def call(self, *words, limit_s=None):
        return run([self.path, *words], self.environment, capture=True, limit_s=limit_s)

    def document(self, *words, limit_s=None):
        return json.loads(self.call(*words, "--json", limit_s=limit_s))

    def train(self, job, folder, device=None, resume=False, sets=()):
        """Trains `job` (a dictionary) into `folder`. The losses of its steps."""
        folder = Path(folder)
        file = folder.with_suffix(".json")
        file.write_text(json.dumps(job))
        words = ["train", "--job", file, "--out", folder, "--device", device or self.device]
        words += ["--resume"] if resume else []
        for key in sets:
            words += ["--set", key]
        self.call(*words)
        return self.losses(folder)

    def losses(self, folder):
        log = self.document("log", "dump", folder, "--series", "train/loss")
        return log["series"]["train/loss"]

    def bench_train(self, sets, steps, preset=None):
        words = ["bench", "train", "--steps", str(steps), "--device", self.device]
        words += ["--preset", preset] if preset else []
        for key in sets:
            words += ["--set", key]
        return self.document(*words)

    def has_option(self, option, *words):
        return option in self.call(*words, "--help")


def library_path(folders):
    """The environment with these folders searched for libraries first."""
    environment = dict(os.environ)
    known = [str(folder) for folder in folders] + [environment.get("LD_LIBRARY_PATH", "")]
    environment["LD_LIBRARY_PATH"] = ":".join(path for path in known if path)
    return environment
