"""Collects what a machine with a GPU and without internet needs, and finds it there."""
import re
import shutil
import site
import sys
from pathlib import Path

from program import Failed, run

# What every Linux machine has, and must not be given another of.
OF_THE_SYSTEM = re.compile(
    r"^(ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)[.-]")
# What comes with CUDA there: as large as all else together, and fitting its driver.
OF_CUDA = re.compile(r"^(libcublas|libnccl|libcuda)")
PROGRAMS = ["headroom", "headroom-cuda.so", "headroom-nccl.so", "headroom-mpi.so",
            "cuda_device_tests"]


def libraries_of(program):
    """Shared libraries of a program that must be carried: {name: path}."""
    found = {}
    for line in run(["ldd", program], capture=True).splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match and not OF_THE_SYSTEM.match(match[1]) and not OF_CUDA.match(match[1]):
            found[match[1]] = Path(match[2])
    return found


def pack(root, programs, folder):
    """bin/, lib/ and the scripts, about 95 MB."""
    for part in ("bin", "lib", "tests/gpu", "tests/peers"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    libraries = {}
    for name in PROGRAMS:
        if not (programs / name).exists():
            print(f"left out: {name} was not built", file=sys.stderr)
            continue
        shutil.copy2(programs / name, folder / "bin" / name)
        if name != "headroom-mpi.so":  # MPI is the other machine's own
            libraries.update(libraries_of(programs / name))
    for name, path in libraries.items():
        shutil.copy2(path, folder / "lib" / name)
    for part in ("tests/gpu", "tests/peers"):
        for script in (root / part).glob("*.py"):
            shutil.copy2(script, folder / part / script.name)
    run(["strip", *(folder / "bin").glob("*")])
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    print(f"{folder}: {size / 1e6:.0f} MB; carry it and start tests/gpu/check.py there",
          file=sys.stderr)


def site_packages(python):
    """Where packages of this Python and of `python` lie."""
    folders = [*site.getsitepackages(), site.getusersitepackages()]
    if python != sys.executable:
        ask = "import site; print(*site.getsitepackages(), site.getusersitepackages(), sep='\\n')"
        try:
            folders += run([python, "-c", ask], capture=True).splitlines()
        except Failed:
            pass  # the speed stage says so
    return folders


def libraries_here(root, python):
    """Where the libraries that were carried lie, and CUDA's: a toolkit's, or those that came with
    a Python package."""
    folders = [root / "lib"] if (root / "bin" / "headroom").exists() else []
    folders += sorted(Path("/usr/local").glob("cuda*/lib64"), reverse=True)
    folders += sorted(Path("/usr/local").glob("cuda*/lib"), reverse=True)
    for packages in site_packages(python):
        folders += sorted(Path(packages).glob("nvidia/*/lib"))
    return folders
