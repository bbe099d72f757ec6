"""A folder of Parquet files, reduced by a Dask cluster and by one process.

Usage: rows.py [--rows N] [--parts K] [--folder DIR]. Needs eqlearn (built with optimisation),
pyarrow, dask[distributed] and joblib. The parts are written one by one, so that nothing ever holds
all rows, and removed at the end.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import joblib
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from distributed import Client, LocalCluster

import eqlearn

ASKED = {"target": "y", "features": ["a", "b", "c"], "max_degree": 3, "progress": False}
WORKERS = 2


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--parts", type=int, default=100)
    parser.add_argument("--folder", help="where the parts go; a temporary folder if not given")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        write(Path(folder), asked.rows, asked.parts)
        measure(folder, asked.parts)


def write(folder: Path, rows: int, parts: int) -> None:
    for part in range(parts):
        size = rows * (part + 1) // parts - rows * part // parts
        rng = np.random.default_rng(part)
        a, b, c = rng.normal(size=(3, size))
        y = 2 * a * b - 3 * c**2 + 0.5 * a + 0.1 * rng.normal(size=size)
        table = pa.table({"a": a, "b": b, "c": c, "y": y})
        pq.write_table(table, folder / f"part-{part:04}.parquet", row_group_size=1 << 17)
    size = sum(path.stat().st_size for path in folder.iterdir())
    print(f"{rows:,} rows in {parts} parts, {size / 1e9:.2f} GB on disk", flush=True)


def measure(folder: str, parts: int) -> None:
    cluster = LocalCluster(
        n_workers=WORKERS,
        processes=True,
        threads_per_worker=1,
        dashboard_address=None,
        host="127.0.0.1",
    )
    with cluster, Client(cluster) as client, joblib.parallel_config(backend="dask"):
        client.run(__import__, "eqlearn")
        idle = client.run(peak_megabytes)
        # Read once before, so that files are in the cache for all contenders.
        for path in Path(folder).iterdir():
            path.read_bytes()
        together, seconds = timed(lambda: eqlearn.reduce(folder, **ASKED))
        peaks = client.run(peak_megabytes)
    for worker, (before, after) in enumerate(zip(idle.values(), peaks.values(), strict=True)):
        print(
            f"worker {worker}: peak {after:.0f} MB, of which {before:.0f} MB before the first row",
            flush=True,
        )
    # One stream over all parts: another order of operations, so results agree up to rounding.
    stream = ds.dataset(folder).scanner(batch_readahead=1, fragment_readahead=1).to_reader()
    alone, alone_seconds = timed(lambda: eqlearn.reduce(stream, threads=1, **ASKED))
    one_thread, parts_seconds = timed(lambda: eqlearn.reduce(folder, threads=1, **ASKED))
    print(f"{together.n_rows:,} rows, {len(together.terms)} terms")
    print(f"largest difference to one pass: {difference(together, alone):.1e} of the largest entry")
    print(
        "the same bytes as part by part in one process: "
        f"{together.to_json() == one_thread.to_json()}"
    )
    print(
        f"{WORKERS} workers {seconds:.1f} s; one process, one thread: one pass "
        f"{alone_seconds:.1f} s, part by part {parts_seconds:.1f} s; "
        f"ratios {alone_seconds / seconds:.2f} and {parts_seconds / seconds:.2f}"
    )
    first = eqlearn.reduce(str(sorted(Path(folder).iterdir())[0]), **ASKED)
    print(f"returned per partition: {len(first.to_json()):,} bytes, of {parts} partitions")
    print(eqlearn.fit(together).equation)


def timed(work):
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def peak_megabytes() -> float:
    """Peak memory of this process; that of getrusage may be its parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    peak = next(line for line in status if line.startswith("VmHWM"))
    return int(peak.split()[1]) / 1024


def difference(one: eqlearn.Triangle, other: eqlearn.Triangle) -> float:
    a, b = entries(one), entries(other)
    return float(np.abs(a - b).max() / np.abs(b).max())


def entries(triangle: eqlearn.Triangle) -> np.ndarray:
    """The triangle with a non-negative diagonal: its rows are unique up to their signs."""
    plain = json.loads(triangle.to_json())["reduction"]
    size = len(plain["exponents"])
    full = np.zeros((size, size))
    values = iter(plain["entries"])
    for column in range(size):
        for row in range(min(plain["n_rows"], column + 1)):
            full[row, column] = next(values) * 2.0 ** plain["exponents"][column]
    return full * np.where(np.diag(full) < 0, -1.0, 1.0)[:, None]


if __name__ == "__main__":
    main()
