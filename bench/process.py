"""What a process takes: seconds by the clock from its start to its end, and its peak of memory.

Linux hands the peak of a process on to those it starts, up to their `exec`: whoever measures memory
stays small, and leaves NumPy and what else is large to processes of their own.
"""

import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Sequence
from typing import IO, NamedTuple

# The system counts the peak of resident memory in kibibytes.
PEAK_UNIT = 1024

Command = Sequence[str | pathlib.Path]


class Run(NamedTuple):
    """What one process took and printed."""

    seconds: float
    peak_bytes: int
    output: str
    exit_code: int
    # What it printed to standard error, where that was asked for.
    errors: str = ""


def run(command: Command) -> Run:
    """Runs a command to its end; an error unless it ends well."""
    ended = measured(command, None)
    if ended.exit_code != 0:
        raise subprocess.CalledProcessError(ended.exit_code, list(map(str, command)))
    return ended


def attempt(command: Command) -> Run:
    """Runs a command to whatever end, with what it says of errors."""
    # A file, since a pipe that nobody empties would stop the process.
    with tempfile.TemporaryFile("w+") as errors:
        ended = measured(command, errors)
        errors.seek(0)
        return ended._replace(errors=errors.read())


def measured(command: Command, errors: IO[str] | None) -> Run:
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert child.stdout is not None
    output = child.stdout.read()
    # This very child, which gives its own peak.
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    child.stdout.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Run(seconds, usage.ru_maxrss * PEAK_UNIT, output, child.returncode)
