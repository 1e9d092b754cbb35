"""What a process takes: seconds by the clock from its start to its end, and its peak of memory.

Linux hands the peak of a process on to those it starts, up to their `exec`: whoever measures memory
stays small, and leaves NumPy and what else is large to processes of their own.
"""

import os
import pathlib
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

# The system counts the peak of resident memory in kibibytes.
PEAK_UNIT = 1024

Command = Sequence[str | pathlib.Path]


class Run(NamedTuple):
    """What one process took and printed."""

    seconds: float
    peak_bytes: int
    output: str


def run(command: Command) -> Run:
    """Runs a command to its end; an error unless it ends well."""
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    output = child.stdout.read()
    # This very child, which gives its own peak.
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.stdout.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, list(map(str, command)))
    return Run(seconds, usage.ru_maxrss * PEAK_UNIT, output)
