"""The data of the commands: every kind of file, and a system for every kind of record.

All numbers come from one seed and from arithmetic that is the same everywhere, so that two runs of
this file write the same bytes.
"""

from __future__ import annotations

import gzip
import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import zstandard

SEED = 18
Columns = dict[str, list[float]]
Slope = Callable[[float, Sequence[float]], Sequence[float]]


def make(folder: Path) -> None:
    """Write all files."""
    folder.mkdir(parents=True)
    draw = random.Random(SEED)
    _tables(folder, draw)
    _holes(folder, draw)
    _records(folder, draw)


def _table(draw: random.Random, n: int, noise: float) -> Columns:
    columns: Columns = {name: [draw.gauss(0, 1) for _ in range(n)] for name in "abc"}
    columns["w"] = [draw.uniform(0.5, 2) for _ in range(n)]
    rows = zip(columns["a"], columns["b"], columns["c"], strict=True)
    columns["y"] = [2 * a * a * b - 3 * c + 0.7 + noise * draw.gauss(0, 1) for a, b, c in rows]
    return columns


def _tables(folder: Path, draw: random.Random) -> None:
    table = _table(draw, 300, 0.1)
    text = _separated(table, ",")
    (folder / "table.csv").write_text(text)
    (folder / "table.tsv").write_text(_separated(table, "\t"))
    (folder / "semicolons.csv").write_text("# a comment\n" + _separated(table, ";"))
    lines = _lines(table)
    (folder / "table.jsonl").write_text(lines)
    for name, content in (("csv", text), ("tsv", _separated(table, "\t")), ("jsonl", lines)):
        (folder / f"table.{name}.gz").write_bytes(gzip.compress(content.encode(), mtime=0))
        packed = zstandard.ZstdCompressor().compress(content.encode())
        (folder / f"table.{name}.zst").write_bytes(packed)
    arrow = pa.table({name: pa.array(column) for name, column in table.items()})
    pa.parquet.write_table(arrow, folder / "table.parquet", row_group_size=70)
    pa.feather.write_feather(arrow, str(folder / "table.feather"), compression="uncompressed")
    with pa.ipc.new_file(folder / "table.arrow", arrow.schema) as writer:
        writer.write_table(arrow, max_chunksize=64)
    np.save(folder / "table.npy", np.array(list(table.values())).T)
    np.savez(folder / "table.npz", **{name: np.array(column) for name, column in table.items()})
    kinds = [("i", float), ("f", float)]
    named = np.array(list(zip(table["a"], table["y"], strict=True)), dtype=kinds)
    np.save(folder / "named.npy", named)
    mixed = pa.table(
        {
            "day": [f"day {i % 7}" for i in range(300)],
            "a": pa.array(table["a"], pa.float32()),
            "n": pa.array([i % 11 for i in range(300)], pa.int64()),
            "y": pa.array(table["y"]),
        }
    )
    pa.parquet.write_table(mixed, folder / "mixed.parquet", compression="snappy")
    parts = folder / "parts"
    parts.mkdir()
    for part in range(3):
        some = {name: column[part * 100 : part * 100 + 100] for name, column in table.items()}
        (parts / f"part-{part}.csv").write_text(_separated(some, ","))
    (folder / "few.csv").write_text(_separated(_table(draw, 24, 1.0), ","))
    new = {name: column[:20] for name, column in table.items() if name in "abc"}
    (folder / "new.csv").write_text(_separated(new, ","))
    noise = {name: [draw.gauss(0, 1) for _ in range(120)] for name in ("a", "b", "y")}
    (folder / "noise.csv").write_text(_separated(noise, ","))
    (folder / "spaces.csv").write_text(text.replace("a,b,c", "air density,b,c", 1))
    (folder / "no-header.csv").write_text(text.split("\n", 1)[1])
    wave = [0.05 * i for i in range(200)]
    sines = {"x": wave, "y": [3 * math.sin(2 * x) + 0.5 for x in wave]}
    (folder / "wave.csv").write_text(_separated(sines, ","))
    same = {"a": table["a"], "b": [2 * a for a in table["a"]], "y": table["y"]}
    (folder / "proportional.csv").write_text(_separated(same, ","))
    (folder / "constant.csv").write_text(_separated({"a": table["a"], "y": [3.0] * 300}, ","))
    (folder / "empty.csv").write_text("")
    (folder / "header-only.csv").write_text("a,b,y\n")
    (folder / "ragged.csv").write_text("a,b,y\n1,2,3\n4,5\n")
    (folder / "no-table.parquet").write_text("this is no Parquet")
    (folder / "other.json").write_text('{"schema": "something/1"}')


def _holes(folder: Path, draw: random.Random) -> None:
    table = _table(draw, 80, 0.1)
    lines = _separated(table, ",").splitlines()
    for row, value in ((7, ""), (30, "NaN"), (55, "inf")):
        cells = lines[row].split(",")
        cells[1] = value
        lines[row] = ",".join(cells)
    (folder / "holes.csv").write_text("\n".join(lines) + "\n")


def _records(folder: Path, draw: random.Random) -> None:
    def record(name: str, columns: Columns) -> None:
        (folder / name).write_text(_separated(columns, ","))

    def noisy(columns: Columns, noise: float) -> Columns:
        shaken = {
            name: [x + noise * draw.gauss(0, 1) for x in column]
            for name, column in columns.items()
            if name != "t"
        }
        return {"t": columns["t"], **shaken}

    def lorenz(_: float, x: Sequence[float]) -> Sequence[float]:
        return (10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2])

    clean = _follow(lorenz, [-8, 7, 27], 0.01, 2000, "xyz")
    record("lorenz.csv", clean)
    record("lorenz-noisy.csv", noisy(clean, 0.2))
    short = {name: column[:600] for name, column in clean.items()}
    record("lorenz-short.csv", short)

    def damped(_: float, x: Sequence[float]) -> Sequence[float]:
        return (-0.1 * x[0] - 2 * x[1], 2 * x[0] - 0.1 * x[1])

    one = _follow(damped, [2, 0], 0.02, 400, "xy")
    two = _follow(damped, [0.5, -1.5], 0.02, 300, "xy")
    record("turn.csv", one)
    record("turn-2.csv", two)
    record("turn-noisy.csv", noisy(one, 0.02))
    runs = {"run": [1.0] * 400 + [2.0] * 300}
    runs |= {name: one[name] + two[name] for name in one}
    record("turns.csv", runs)
    record("turn-no-time.csv", {name: one[name] for name in "xy"})
    uneven = _at(damped, [2, 0], _jittered(350, draw), "xy")
    record("turn-uneven.csv", uneven)
    gap = [i for i in range(400) if not 150 <= i < 210]
    record("turn-gap.csv", {name: [column[i] for i in gap] for name, column in one.items()})
    back = {name: [*column[:50], column[10]] for name, column in one.items()}
    record("turn-back.csv", back)
    arrow = pa.table({name: pa.array(column) for name, column in one.items()})
    pa.parquet.write_table(arrow, folder / "turn.parquet")

    def pendulum(_: float, x: Sequence[float]) -> Sequence[float]:
        return (x[1], -4 * math.sin(x[0]) - 0.2 * x[1])

    swing = _follow(pendulum, [2.5, 0], 0.02, 1000, "xv")
    record("pendulum.csv", {name: swing[name] for name in "tx"})
    record("swing.csv", swing)

    def forced(t: float, x: Sequence[float]) -> Sequence[float]:
        return (-x[0] + 2 * math.sin(1.7 * t),)

    push = _follow(forced, [1], 0.02, 600, "x")
    push["u"] = [math.sin(1.7 * t) for t in push["t"]]
    record("forced.csv", push)

    def driven(t: float, x: Sequence[float]) -> Sequence[float]:
        return (0.5 * t - x[0],)

    record("driven.csv", _follow(driven, [1], 0.02, 400, "x"))

    def runaway(_: float, x: Sequence[float]) -> Sequence[float]:
        return (x[0] * x[0],)

    record("runaway.csv", _follow(runaway, [1], 0.002, 300, "x"))
    henon: Columns = {"x": [], "y": []}
    x, y = 0.1, 0.1
    for _ in range(300):
        henon["x"].append(x)
        henon["y"].append(y)
        x, y = 1 - 1.4 * x * x + y, 0.3 * x
    record("henon.csv", henon)


def _jittered(n: int, draw: random.Random) -> list[float]:
    return [0.02 * i + 0.008 * draw.random() for i in range(n)]


def _follow(slope: Slope, start: Sequence[float], step: float, n: int, names: str) -> Columns:
    return _at(slope, start, [step * i for i in range(n)], names)


def _at(slope: Slope, start: Sequence[float], times: Sequence[float], names: str) -> Columns:
    """The motion at these times, by many small steps of the classical Runge-Kutta rule."""
    columns: Columns = {"t": list(times), **{name: [] for name in names}}
    x, now = list(map(float, start)), times[0]
    for time in times:
        step = (time - now) / 20
        for i in range(20 if time > now else 0):
            x = _step(slope, now + i * step, x, step)
        now = time
        for name, value in zip(names, x, strict=True):
            columns[name].append(value)
    return columns


def _step(slope: Slope, t: float, x: list[float], h: float) -> list[float]:
    def along(k: Sequence[float], share: float) -> list[float]:
        return [a + share * h * b for a, b in zip(x, k, strict=True)]

    k1 = slope(t, x)
    k2 = slope(t + h / 2, along(k1, 0.5))
    k3 = slope(t + h / 2, along(k2, 0.5))
    k4 = slope(t + h, along(k3, 1.0))
    together = zip(x, k1, k2, k3, k4, strict=True)
    return [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in together]


def _rows(columns: Columns) -> Iterable[Sequence[float]]:
    return zip(*columns.values(), strict=True)


def _separated(columns: Columns, by: str) -> str:
    head = by.join(columns)
    return "\n".join([head, *(by.join(map(repr, row)) for row in _rows(columns))]) + "\n"


def _lines(columns: Columns) -> str:
    rows = (json.dumps(dict(zip(columns, row, strict=True))) for row in _rows(columns))
    return "\n".join(rows) + "\n"
