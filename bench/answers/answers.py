"""Runs every command and every Python twin with two versions, and tells which answers differ.

The file `run` beside this one says how to use it.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import math
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import commands
import data

HERE = Path(__file__).parent
LIMIT = 600

# How much of a difference is shown.
WIDTH = 160
SHOWN = 8

# Keys of JSON files that may differ between runs or versions, and never belong to the answer.
VOLATILE = {"seconds", "certificate", "version", "fingerprint"}

# The same in what is printed for people.
PRINTED = [
    (re.compile(r"\b\d+(\.\d+)?(e-?\d+)? ?(ns|µs|ms|s|seconds?|minutes?)\b"), "TIME"),
    # The column of seconds in the table of `compare`, on paper and on the page.
    (re.compile(r"^(  \w  \S+ +\S+ +\S+ +\S+ +\S+) +\d+\.\d{3}  ", re.M), r"\1 TIME  "),
    (re.compile(r'(<td class="number">)\d+\.\d{3}(<td>)'), r"\1TIME\2"),
    # The certificate of a search depends on the timing of its threads.
    (re.compile(r"(excluded by bound|looked at|enumerated|scored by QR) \d+"), r"\1 COUNT"),
    (re.compile(r"eqlearn \d+\.\d+\.\d+"), "eqlearn VERSION"),
    (re.compile(r"thread '(\w+)' \(\d+\)"), r"thread '\1'"),
]
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")


@dataclass(frozen=True)
class Difference:
    """Where two outcomes differ, and how."""

    place: str
    how: str


# A case, and how it differs, if it does.
Result = tuple[str, list[Difference]]

# What a case left behind: one entry per output, ready to compare.
Outcome = dict[str, Any]


def main() -> int:
    """Compare the two versions, and print a table."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="eqlearn-answers-") as scratch:
        folder = Path(args.keep or scratch).resolve()
        files = folder / "data"
        data.make(files)
        sides = {"before": args.before, "after": args.after}
        results = list(_cases(args, sides, folder))
    return _tell(results, complete=args.only is None)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare the answers of two versions.")
    parser.add_argument("before", type=Path, help="a folder with an eqlearn command")
    parser.add_argument("after", type=Path, help="another")
    parser.add_argument("--before-python", help="a Python with the package of the first")
    parser.add_argument("--after-python", help="a Python with the package of the second")
    parser.add_argument("--only", metavar="WORD", help="only commands that hold this word")
    parser.add_argument("--keep", metavar="FOLDER", help="a new folder that keeps all outputs")
    args = parser.parse_args()
    for side in ("before", "after"):
        command = getattr(args, side).resolve() / "eqlearn"
        if not command.is_file():
            parser.error(f"{command} is not there")
        setattr(args, side, command)
    if (args.before_python is None) != (args.after_python is None):
        parser.error("give --before-python and --after-python together")
    return args


def _cases(args: argparse.Namespace, sides: dict[str, Path], folder: Path) -> Iterator[Result]:
    """Each case with how it differs."""
    wanted = [line for line in commands.commands() if args.only is None or args.only in line]
    doubled = [line for line, lines in itertools.groupby(sorted(wanted)) if len(list(lines)) > 1]
    assert not doubled, f"listed twice: {doubled}"
    for number, line in enumerate(wanted):
        places = {side: folder / side / f"{number:03}" for side in sides}
        both = [_run(command, line, folder, places[side]) for side, command in sides.items()]
        statuses = [str(part) for name, part in both[0].items() if name.endswith("exit status")]
        yield _row(line, list(_differences(*both)), " ".join(statuses))
    if args.before_python is None:
        return
    pythons = {"before": args.before_python, "after": args.after_python}
    with ThreadPoolExecutor() as pool:
        twins = [pool.submit(_twins, python, folder, args.only) for python in pythons.values()]
        before, after = (twin.result() for twin in twins)
    for name in before | after:
        one, other = before.get(name, "is missing"), after.get(name, "is missing")
        yield _row(f"python {name}", list(_differences(one, other)), "")


def _row(name: str, differences: list[Difference], statuses: str) -> Result:
    print(f"{'DIFFERS' if differences else 'same':7} {statuses:7} {name}", flush=True)
    return name, differences


def _run(command: Path, line: str, folder: Path, work: Path) -> Outcome:
    """Run the steps of a case in a folder of its own, and collect what they leave."""
    work.mkdir(parents=True)
    (work / "data").symlink_to(folder / "data")
    (work / "settings.toml").write_text(commands.SETTINGS)
    outcome: Outcome = {}
    for number, step in enumerate(line.split(" && "), 1):
        words, _, given = step.partition(" < ")
        with open(work / given if given else "/dev/null", "rb") as stdin:
            ran = subprocess.run(
                [command, *shlex.split(words)],
                cwd=work,
                stdin=stdin,
                capture_output=True,
                timeout=LIMIT,
                check=False,
            )
        step_name = f"step {number}: " if " && " in line else ""
        outcome[f"{step_name}exit status"] = ran.returncode
        for kind, raw in (("output", ran.stdout), ("error", ran.stderr)):
            # The demo names the command as it was called.
            raw = raw.replace(str(command).encode(), b"eqlearn")
            outcome[f"{step_name}standard {kind}"] = _content(kind, raw)
    made = (path for path in work.iterdir() if path.name not in ("data", "settings.toml"))
    for path in sorted(made):
        outcome[path.name] = _content(path.suffix, path.read_bytes())
    shutil.rmtree(work / "data", ignore_errors=True)
    return outcome


def _twins(python: str, folder: Path, only: str | None) -> dict[str, Any]:
    words = [python, str(HERE / "twins.py"), str(folder / "data"), *([only] if only else [])]
    ran = subprocess.run(words, capture_output=True, timeout=3 * LIMIT, check=False, text=True)
    if ran.returncode != 0:
        sys.exit(f"{python} could not run the twins:\n{ran.stderr}")
    return _plain(json.loads(ran.stdout))


def _content(kind: str, raw: bytes) -> Any:
    """An output as a value to compare: JSON without what is volatile, words and numbers of text."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return raw
    try:
        return _plain(json.loads(text))
    except json.JSONDecodeError:
        pass
    if kind == ".csv":
        return [row for row in csv.reader(io.StringIO(text)) if "seconds" not in row]
    for pattern, word in PRINTED:
        text = pattern.sub(word, text)
    numbers = [found.group() for found in NUMBER.finditer(text)]
    return {"words": NUMBER.sub("#", text), "numbers": numbers}


def _plain(value: Any) -> Any:
    """JSON without volatile keys."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value


def _differences(before: Any, after: Any, place: str = "") -> Iterator[Difference]:
    """The places where two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before | after:
            inner = f"{place}.{key}" if place else str(key)
            if key in before and key in after:
                yield from _differences(before[key], after[key], inner)
            else:
                yield Difference(inner, f"only {'before' if key in before else 'after'}")
    elif isinstance(before, list) and isinstance(after, list):
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _differences(one, other, f"{place}[{number}]")
        if len(before) != len(after):
            yield Difference(place, f"{len(before)} entries, then {len(after)}")
    elif not _same(before, after):
        yield Difference(place, f"was {_short(before, after)}, is {_short(after, before)}")


def _same(before: Any, after: Any) -> bool:
    """Numbers are the same if they have the same bits: 0 is not -0, and 1 is 1.0."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, float) and isinstance(after, float):
        return before.hex() == after.hex()
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        return before == after and math.copysign(1, before) == math.copysign(1, after)
    return type(before) is type(after) and before == after


def _short(value: Any, other: Any) -> str:
    """A value as text; a long one is cut around the first difference."""
    text = repr(value)
    if len(text) <= WIDTH:
        return text
    pairs = zip(text, repr(other), strict=False)
    first = next((place for place, (a, b) in enumerate(pairs) if a != b), len(text))
    start = max(0, first - WIDTH // 3)
    return f"…{text[start : start + WIDTH]}…"


@dataclass
class Intention:
    """A difference that is meant: in which commands, at which places, and why."""

    command: str
    place: str
    reason: str
    met: int = 0

    def covers(self, command: str, place: str) -> bool:
        """Whether a difference is this one; `*` stands for anything."""

        def like(pattern: str, text: str) -> bool:
            parts = (re.escape(part) for part in pattern.split("*"))
            return re.fullmatch(".*".join(parts), text, re.DOTALL) is not None

        return like(self.command, command) and like(self.place, place)


def _intentions() -> list[Intention]:
    intentions = []
    for line in (HERE / "intended").read_text().splitlines():
        if line and not line.startswith("#"):
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 3 or not all(parts):
                sys.exit(f"intended: a line is COMMAND | PLACE | REASON, which this is not: {line}")
            intentions.append(Intention(*parts))
    return intentions


def _tell(results: list[Result], *, complete: bool) -> int:
    """Print what differs and how many; the exit status."""
    intentions = _intentions()
    wrong: dict[str, list[Difference]] = {}
    meant = 0
    for command, differences in results:
        for difference in differences:
            fitting = [one for one in intentions if one.covers(command, difference.place)]
            for one in fitting:
                one.met += 1
            if not fitting:
                wrong.setdefault(command, []).append(difference)
        meant += bool(differences) and command not in wrong
    if intentions:
        print("\nIntended, with the number of places:")
        for one in intentions:
            print(f"  {one.met:4}  {one.command} | {one.place} | {one.reason}")
    for command, differences in wrong.items():
        print(f"\n{command}")
        for difference in differences[:SHOWN]:
            print(f"  {difference.place}: {difference.how}")
        if len(differences) > SHOWN:
            print(f"  and {len(differences) - SHOWN} places more")
    if stale := [one for one in intentions if complete and not one.met]:
        print(f"\n{len(stale)} lines of the list fit no difference: are they still needed?")
    same = sum(not differences for _, differences in results)
    print(f"\n{same} the same, {meant} differ as intended, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
