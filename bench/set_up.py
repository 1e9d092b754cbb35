"""Writes what a run was made with, FOLDER/set-up.txt: machine, load, commit, versions.

python bench/set_up.py FOLDER [--command COMMAND]
"""

import argparse
import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess

FILE = "set-up.txt"
PACKAGES = ("numpy", "scipy", "scikit-learn", "pyod", "pandas", "pyarrow", "matplotlib")
ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(*command: str) -> str:
    """What a command prints; nothing where it is missing or fails."""
    try:
        return subprocess.check_output(
            command, cwd=ROOT, text=True, stderr=subprocess.DEVNULL
        ).strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} missing"


def facts(command: str) -> dict[str, str]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = f"{len(os.sched_getaffinity(0))} cores of {processor()}"
    changed = (
        ", with changes" if output("git", "status", "--porcelain", "--untracked-files=no") else ""
    )
    return {
        "Date": datetime.date.today().isoformat(),
        "Command": command,
        "Commit": (output("git", "rev-parse", "HEAD") or "unknown") + changed,
        "Machine": f"{cores}, {memory:.0f} GiB, {platform.system()}",
        "Load": f"{os.getloadavg()[0]:.2f} processes in the minute before the run",
        "Toolchain": output("rustc", "--version") or "unknown",
        "Python": f"{platform.python_version()}; {', '.join(map(version, PACKAGES))}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help=f"where {FILE} is written")
    parser.add_argument("--command", default="./x bench", help="what is run")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{name}: {value}\n" for name, value in facts(arguments.command).items())
    (folder / FILE).write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
