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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import commands
import data

HERE = Path(__file__).parent
LIMIT = 600

# A case, and how it differs, if it does.
Result = tuple[str, str | None]

# Keys of JSON files that may differ between runs or versions, and never belong to the answer.
VOLATILE = {"seconds", "certificate", "version", "fingerprint"}

# The same in what is printed for people.
PRINTED = [
    (re.compile(r"\b\d+(\.\d+)?(e-?\d+)? ?(ns|µs|ms|s|seconds?|minutes?)\b"), "TIME"),
    # The column of seconds in the table of `compare`, on paper and on the page.
    (re.compile(r"^(  \w  \S+ +\S+ +\S+ +\S+ +\S+) +\d+\.\d{3}  ", re.M), r"\1 TIME  "),
    (re.compile(r'(<td class="number">)\d+\.\d{3}(<td>)'), r"\1TIME\2"),
    # How a search was proven depends on how threads helped each other.
    (re.compile(r"(excluded by bound|looked at|scored by QR) \d+"), r"\1 COUNT"),
    (re.compile(r"eqlearn \d+\.\d+\.\d+"), "eqlearn VERSION"),
    (re.compile(r"thread '(\w+)' \(\d+\)"), r"thread '\1'"),
]


@dataclass
class Outcome:
    """What a case left behind: one entry per output, ready to compare."""

    parts: dict[str, Any] = field(default_factory=dict)

    def statuses(self) -> str:
        """The exit status of each step."""
        found = (part for name, part in self.parts.items() if name.endswith("exit status"))
        return " ".join(map(str, found))


def main() -> int:
    """Compare the two versions, and print a table."""
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="eqlearn-answers-") as scratch:
        folder = Path(args.keep or scratch).resolve()
        files = folder / "data"
        data.make(files)
        sides = {"before": args.before, "after": args.after}
        results = list(_cases(args, sides, folder))
    return _tell(results, _intended(), complete=args.only is None)


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
    """Each case with how it differs, or None."""
    wanted = [line for line in commands.commands() if args.only is None or args.only in line]
    doubled = [line for line, lines in itertools.groupby(sorted(wanted)) if len(list(lines)) > 1]
    assert not doubled, f"listed twice: {doubled}"
    for number, line in enumerate(wanted):
        places = {side: folder / side / f"{number:03}" for side in sides}
        both = [_run(command, line, folder, places[side]) for side, command in sides.items()]
        yield _row(line, _difference(*both), both[0].statuses())
    if args.before_python is None:
        return
    pythons = {"before": args.before_python, "after": args.after_python}
    with ThreadPoolExecutor() as pool:
        twins = [pool.submit(_twins, python, folder, args.only) for python in pythons.values()]
        before, after = (twin.result() for twin in twins)
    for name in before | after:
        one, other = before.get(name, "is missing"), after.get(name, "is missing")
        yield _row(f"python {name}", _where(one, other), "")


def _row(name: str, difference: str | None, statuses: str) -> Result:
    print(f"{'same' if difference is None else 'DIFFERS':7} {statuses:7} {name}", flush=True)
    if difference is not None:
        print(f"{'':16}{difference}", flush=True)
    return name, difference


def _run(command: Path, line: str, folder: Path, work: Path) -> Outcome:
    """Run the steps of a case in a folder of its own, and collect what they leave."""
    work.mkdir(parents=True)
    (work / "data").symlink_to(folder / "data")
    (work / "settings.toml").write_text(commands.SETTINGS)
    outcome = Outcome()
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
        outcome.parts[f"{step_name}exit status"] = ran.returncode
        outcome.parts[f"{step_name}standard output"] = _content("out", ran.stdout)
        outcome.parts[f"{step_name}standard error"] = _content("err", ran.stderr)
    made = (path for path in work.iterdir() if path.name not in ("data", "settings.toml"))
    for path in sorted(made):
        outcome.parts[path.name] = _content(path.suffix, path.read_bytes())
    shutil.rmtree(work / "data", ignore_errors=True)
    return outcome


def _twins(python: str, folder: Path, only: str | None) -> dict[str, Any]:
    words = [python, str(HERE / "twins.py"), str(folder / "data"), *([only] if only else [])]
    ran = subprocess.run(words, capture_output=True, timeout=3 * LIMIT, check=False, text=True)
    if ran.returncode != 0:
        sys.exit(f"{python} could not run the twins:\n{ran.stderr}")
    return _plain(json.loads(ran.stdout))


def _content(kind: str, raw: bytes) -> Any:
    """An output as a value to compare: JSON without what is volatile, text without times."""
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
    return text.splitlines()


def _plain(value: Any) -> Any:
    """JSON without volatile keys."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if key not in VOLATILE}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value


def _difference(before: Outcome, after: Outcome) -> str | None:
    for name in before.parts | after.parts:
        if name not in before.parts or name not in after.parts:
            side = "before" if name in before.parts else "after"
            return f"{name}: only {side}"
        found = _where(before.parts[name], after.parts[name])
        if found is not None:
            return f"{name}: {found}"
    return None


def _where(before: Any, after: Any, path: str = "") -> str | None:
    """The first place where two values differ, or None."""
    here = path or "all of it"
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before | after:
            if key not in before or key not in after:
                return f"{path}.{key} only {'before' if key in before else 'after'}"
            if (found := _where(before[key], after[key], f"{path}.{key}")) is not None:
                return found
        return None
    if isinstance(before, list) and isinstance(after, list):
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            if (found := _where(one, other, f"{path}[{place}]")) is not None:
                return found
        same = len(before) == len(after)
        return None if same else f"{here} has {len(before)} entries, then {len(after)}"
    if _same(before, after):
        return None
    return f"{here} was {_short(before)}, is {_short(after)}"


def _same(before: Any, after: Any) -> bool:
    """Numbers are the same if they have the same bits: 0 is not -0, and 1 is 1.0."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, float) and isinstance(after, float):
        return before.hex() == after.hex()
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        return before == after and math.copysign(1, before) == math.copysign(1, after)
    return type(before) is type(after) and before == after


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:160]}…"


def _intended() -> dict[str, str]:
    """The differences that are meant: command and reason."""
    intended = {}
    for line in (HERE / "intended").read_text().splitlines():
        if line and not line.startswith("#"):
            name, colon, reason = line.rpartition(": ")
            if not colon or not reason.strip():
                sys.exit(f"intended: a line is `COMMAND: REASON`, which this is not: {line}")
            intended[name] = reason
    return intended


def _tell(results: list[Result], intended: dict[str, str], *, complete: bool) -> int:
    """Print what differs and how many; the exit status."""
    differing = {name: how for name, how in results if how is not None}
    meant = {name: how for name, how in differing.items() if name in intended}
    stale = [name for name in intended if name not in differing] if complete else []
    for title, rows in (
        ("Intended", {name: f"{how}\n    because {intended[name]}" for name, how in meant.items()}),
        ("Different", {name: how for name, how in differing.items() if name not in meant}),
        ("Listed as intended, but the same", dict.fromkeys(stale, "take it off the list")),
    ):
        if rows:
            print(f"\n{title}:")
            for name, how in rows.items():
                print(f"  {name}\n    {how}")
    wrong = len(differing) - len(meant) + len(stale)
    same = len(results) - len(differing)
    print(f"\n{same} the same, {len(meant)} differ as intended, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
