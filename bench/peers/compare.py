"""Runs every engine on every job, interleaved, and prints medians of CPU time, ratios to ours and who was right.

Ours is charged for its whole process; the others only for the call itself, not for starting or reading. An engine that
runs out of time on a job is not asked again. Times of the NumPy loop are from samples, multiplied up.
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import engine as engines
import numpy as np

HERE = pathlib.Path(__file__).parent
ROUNDS = 3
TIMEOUT = 40
BUDGET = 9 * 60
ENGINES = {"leaps": "exact", "mlxtend": "exact", "l0bnb": "penalised", "abess": "heuristic", "numpy": "exact"}
TINY_ONLY = {"mlxtend", "l0bnb"}
ONE_THREAD = {name: "1" for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]}


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def supports(lines):
    return {int(line[0]): sorted(int(word) for word in line[1:]) for line in lines if line and line[0].isdigit()}


def ours(binary, job):
    before = child_seconds()
    done = subprocess.run([binary, "run", job], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return child_seconds() - before, supports([[line[0], *line[2:]] for line in lines])


def theirs(name, path, max_terms, keep):
    """Seconds and supports; seconds are None if it fails and infinite if it runs out of time."""
    command = ["Rscript", HERE / "leaps.R"] if name == "leaps" else [sys.executable, HERE / "engine.py", name]
    try:
        done = subprocess.run(
            [*command, path, max_terms, keep], capture_output=True, text=True, timeout=TIMEOUT, env=os.environ | ONE_THREAD
        )
    except subprocess.TimeoutExpired:
        return float("inf"), {}
    except FileNotFoundError:
        return None, {}
    lines = [line.split() for line in done.stdout.splitlines()]
    seconds = [float(line[1]) for line in lines if line and line[0] in ("seconds", "extrapolated")]
    return (sum(seconds) if done.returncode == 0 and seconds else None), supports(lines)


def residual(x, y, support):
    q, _ = np.linalg.qr(x[:, support])
    left = y - q @ (q.T @ y)
    left -= q @ (q.T @ left)
    return float(left @ left)


def verdict(x, y, truth, found):
    """Sizes at which the support found leaves more than ours, and those for which there is none."""
    missing = [size for size in truth if len(found.get(size, [])) != size]
    wrong = [
        size for size in truth
        if size not in missing and residual(x, y, found[size]) > residual(x, y, truth[size]) * (1 + 1e-6) + 1e-30
    ]
    better = [
        size for size in truth
        if size not in missing and residual(x, y, found[size]) < residual(x, y, truth[size]) * (1 - 1e-6) - 1e-30
    ]
    parts = [f"{what} at {','.join(map(str, at))}" for what, at in [("wrong", wrong), ("none", missing), ("BETTER", better)] if at]
    return "; ".join(parts) or "right"


def main(binary):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-"))
    listed = subprocess.run([binary, "export", folder], capture_output=True, text=True, check=True).stdout
    jobs = [line.split() for line in listed.splitlines()]
    times, answers = {}, {}
    started = os.times().elapsed
    for round_ in range(ROUNDS):
        for job, max_terms, keep in jobs:
            for name in ["ours", *ENGINES]:
                if name in TINY_ONLY and not job.startswith("tiny"):
                    continue
                before = times.setdefault((job, name), [])
                late = os.times().elapsed - started > BUDGET and round_ > 0
                if before and (late or before[-1] is None or before[-1] == float("inf") or (name == "numpy")):
                    continue
                result = ours(binary, job) if name == "ours" else theirs(name, folder / f"{job}.csv", max_terms, keep)
                before.append(result[0])
                answers[job, name] = result[1]
    print(f"{'job':<18}{'engine':<10}{'kind':<12}{'CPU s':>12}{'ratio':>10}  best of each size")
    for job, _, _ in jobs:
        x, y = engines.load(folder / f"{job}.csv")
        base = statistics.median(times[job, "ours"])
        for name, kind in {"ours": "exact", **ENGINES}.items():
            if (job, name) not in times:
                continue
            taken = times[job, name]
            if None in taken:
                shown, ratio, right = "failed", "", ""
            elif float("inf") in taken:
                shown, ratio, right = f"> {TIMEOUT}", f"> {TIMEOUT / base:.0f}", ""
            else:
                median = statistics.median(taken)
                shown, ratio = f"{median:.3g}", f"{median / base:.3g}"
                right = verdict(x, y, answers[job, "ours"], answers[job, name])
            if name == "numpy" and not job.startswith("tiny"):
                right = "extrapolated from samples"
            print(f"{job:<18}{name:<10}{kind:<12}{shown:>12}{ratio:>10}  {right}")


if __name__ == "__main__":
    main(sys.argv[1])
