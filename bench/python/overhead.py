"""The overhead of Python in a fit, and the time of an import.

Usage: overhead.py PATH-OF-fit_rows. The Rust call and ours take turns on the same rows, so that a
busy machine slows both.
"""

import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import eqlearn

N_ROWS, N_FEATURES, TURNS = 1_000_000, 10, 15


def main() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(N_ROWS, N_FEATURES + 1))
    rows[:, -1] = rows[:, 0] - 2 * rows[:, 3] + 0.1 * rows[:, -1]
    X, y = np.ascontiguousarray(rows[:, :-1]), np.ascontiguousarray(rows[:, -1])
    warnings.simplefilter("ignore")
    with tempfile.NamedTemporaryFile() as file:
        rows.tofile(file)
        file.flush()
        print(f"{N_ROWS:,} rows, {N_FEATURES} features; medians of {TURNS} turns, seconds")
        print("degree  terms     Rust   Python   ratio of medians   median of ratios")
        for degree in (1, 2):
            compare(file.name, X, y, degree)
    imports = [import_seconds() for _ in range(TURNS)]
    print(f"import eqlearn: {1000 * statistics.median(imports):.0f} ms")


def compare(path: str, X: np.ndarray, y: np.ndarray, degree: int) -> None:
    command = [sys.argv[1], path, str(N_FEATURES), str(degree)]
    rust = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    theirs, ours, terms = [], [], 0
    for turn in range(TURNS + 1):
        print(turn, file=rust.stdin, flush=True)
        seconds = float(rust.stdout.readline().split()[0])
        started = time.perf_counter()
        model = eqlearn.ComprehensiveSearch(max_degree=degree).fit(X, y)
        took = time.perf_counter() - started
        terms = len(model.terms_) + 1
        if turn:  # the first warms up
            theirs.append(seconds)
            ours.append(took)
    rust.stdin.close()
    rust.wait()
    medians = statistics.median(theirs), statistics.median(ours)
    ratios = statistics.median(b / a for a, b in zip(theirs, ours, strict=True))
    print(
        f"{degree:6} {terms:6} {medians[0]:8.4f} {medians[1]:8.4f}"
        f" {medians[1] / medians[0]:18.3f} {ratios:18.3f}"
    )


def import_seconds() -> float:
    script = "import time; t = time.perf_counter(); import eqlearn; print(time.perf_counter() - t)"
    return float(
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
    )


main()
