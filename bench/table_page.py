"""The results of `real_tables.py` to read: tables.md and top.md beside the CSV files.

python bench/table_page.py FOLDER
"""

import argparse
import pathlib
from itertools import groupby

import raw

FIGURES = ("table", "rows", "columns", "features", "seconds", "peak MiB", "flagged")


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def line(cells: list[str]) -> str:
    return f"| {' | '.join(map(cell, cells))} |\n"


def tables(folder: pathlib.Path) -> str:
    """How many succeeded, the figures of each, the laws, and the known rows."""
    results = raw.read(folder / "tables.csv")
    succeeded = sum(result["success"] == "yes" for result in results)
    text = f"{succeeded} of {len(results)} tables succeed without an option.\n\n"
    text += line([*FIGURES]) + line(["---"] + ["---:"] * (len(FIGURES) - 1))
    for result in results:
        if result["success"] == "yes":
            share = int(result["flagged"]) / int(result["rows"])
            text += line([*(result[name] for name in FIGURES[:-1]), f"{share:.1%}"])
        else:
            text += line([result["table"], f"fails: {result['message']}"] + [""] * 5)
    return text + laws(folder) + known(folder)


def laws(folder: pathlib.Path) -> str:
    text = "\n" + line(["table", "law", "measured", "asked", "holds"]) + line(["---"] * 5)
    for law in raw.read(folder / "laws.csv"):
        holds = "yes" if law["holds"] == "True" else "**no**"
        text += line([law["table"], law["law"], law["measured"], law["asked"], holds])
    return text


def known(folder: pathlib.Path) -> str:
    lines = raw.read(folder / "known.csv")
    names = list(lines[0]) if lines else []
    text = "\n" + line(names) + line(["---"] * 2 + ["---:"] * (len(names) - 2))
    return text + "".join(line([*place.values()]) for place in lines)


def top(folder: pathlib.Path) -> str:
    """The first ten of each method, table by table."""
    text = ""
    lists = raw.read(folder / "top.csv")
    for table, of_table in groupby(lists, key=lambda result: result["table"]):
        text += f"## {table}\n\n"
        for method, rows in groupby(of_table, key=lambda result: result["method"]):
            text += line([method, "row", "score", "found by", "rarest values"])
            text += line(["---:", "---:", "---:", "---", "---"])
            for row in rows:
                named = f"{row['identifier']}: " if row["identifier"] else ""
                mark = " (flagged)" if row["flagged"].lower() == "true" else ""
                place = row["place"] + mark
                values = named + row["values"]
                text += line([place, row["row"], row["score"], row["found by"], values])
            text += "\n"
    return text


def write(folder: pathlib.Path) -> None:
    (folder / "tables.md").write_text(tables(folder))
    (folder / "top.md").write_text(top(folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="where real_tables.py wrote")
    write(parser.parse_args().folder)


if __name__ == "__main__":
    main()
