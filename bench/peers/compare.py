"""Runs every engine on every job in turns; prints median CPU times, ratios and who was right.

Timed is the call itself, from columns in memory to lists; not the start, not the reading of files.
An engine that exceeds the limit of CPU time on a job is not run on it again; its time so far is
shown as a lower bound. Slow engines are run once. The NumPy loop is timed on a sample of subsets
and extrapolated.
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
CPU_LIMIT = 30
WALL_LIMIT = 90
LONG = 5
BUDGET = 9 * 60
ENGINES = {
    "leaps": "exact",
    "mlxtend": "exact",
    "l0bnb": "penalised",
    "abess": "heuristic",
    "numpy": "exact",
}
TINY_ONLY = {"mlxtend", "l0bnb"}
ONE_THREAD = {
    name: "1"
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"]
}


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def supports(lines):
    return {
        int(line[0]): sorted(int(word) for word in line[1:])
        for line in lines
        if line and line[0].isdigit()
    }


def ours(binary, job):
    done = subprocess.run([binary, "run", job], capture_output=True, text=True, check=True)
    (_, seconds), *lines = [line.split() for line in done.stdout.splitlines()]
    return float(seconds), supports([[line[0], *line[2:]] for line in lines])


def theirs(name, path, max_terms, keep):
    """Seconds, supports and the error; if "stopped", the seconds of the whole process."""
    command = (
        ["Rscript", HERE / "leaps.R"]
        if name == "leaps"
        else [sys.executable, HERE / "engine.py", name]
    )
    before = child_seconds()
    try:
        done = subprocess.run(
            [*command, path, max_terms, keep],
            capture_output=True,
            text=True,
            timeout=WALL_LIMIT,
            env=os.environ | ONE_THREAD,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT)),
        )
    except subprocess.TimeoutExpired:
        return child_seconds() - before, {}, "stopped"
    except FileNotFoundError:
        return 0.0, {}, "not installed"
    lines = [line.split() for line in done.stdout.splitlines()]
    seconds = [float(line[1]) for line in lines if line and line[0] in ("seconds", "extrapolated")]
    if done.returncode == 0 and seconds:
        return sum(seconds), supports(lines), ""
    if child_seconds() - before > CPU_LIMIT - 1:
        return child_seconds() - before, {}, "stopped"
    said = [line for line in done.stderr.splitlines() if "rror" in line]
    return 0.0, {}, "failed: " + (said[-1].strip()[:60] if said else f"status {done.returncode}")


def residual(x, y, support):
    q, _ = np.linalg.qr(x[:, support])
    left = y - q @ (q.T @ y)
    left -= q @ (q.T @ left)
    return float(left @ left)


def verdict(x, y, truth, found):
    """Sizes at which the support has a larger residual than ours, and sizes without one."""
    missing = [size for size in truth if len(found.get(size, [])) != size]
    wrong = [
        size
        for size in truth
        if size not in missing
        and residual(x, y, found[size]) > residual(x, y, truth[size]) * (1 + 1e-6) + 1e-30
    ]
    better = [
        size
        for size in truth
        if size not in missing
        and residual(x, y, found[size]) < residual(x, y, truth[size]) * (1 - 1e-6) - 1e-30
    ]
    parts = [
        f"{what} at {','.join(map(str, at))}"
        for what, at in [("wrong", wrong), ("none", missing), ("BETTER", better)]
        if at
    ]
    return "; ".join(parts) or "right"


def again(times, trouble, late):
    """Whether one more run is worth its time."""
    return not times or not (trouble or late or times[-1] > LONG)


def main(binary, *wanted):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="peers-"))
    listed = subprocess.run(
        [binary, "export", folder], capture_output=True, text=True, check=True
    ).stdout
    jobs = [line.split() for line in listed.splitlines()]
    jobs = [job for job in jobs if not wanted or job[0] in wanted]
    times, answers, trouble = {}, {}, {}
    started = os.times().elapsed
    for _ in range(ROUNDS):
        for job, max_terms, keep in jobs:
            for name in ["ours", *ENGINES]:
                key = job, name
                if name in TINY_ONLY and not job.startswith("tiny"):
                    continue
                late = os.times().elapsed - started > BUDGET
                if not again(times.setdefault(key, []), trouble.get(key), late):
                    continue
                if name == "ours":
                    seconds, answers[key] = ours(binary, job)
                else:
                    seconds, answers[key], trouble[key] = theirs(
                        name, folder / f"{job}.csv", max_terms, keep
                    )
                times[key].append(seconds)
    print(
        f"{'job':<18}{'engine':<10}{'kind':<12}{'CPU s':>12}{'ratio':>10}{'runs':>6}"
        "  best of each size"
    )
    for job, _, _ in jobs:
        x, y = engines.load(folder / f"{job}.csv")
        base = statistics.median(times[job, "ours"])
        for name, kind in {"ours": "exact", **ENGINES}.items():
            key = job, name
            if key not in times:
                continue
            median = statistics.median(times[key])
            shown, ratio = f"{median:.3g}", f"{median / base:.3g}"
            right = (
                verdict(x, y, answers[job, "ours"], answers[key])
                if name != "ours"
                else "(the reference)"
            )
            if trouble.get(key) == "stopped":
                shown, ratio, right = f"> {shown}", f"> {ratio}", "stopped"
            elif trouble.get(key):
                shown, ratio, right = "", "", trouble[key]
            elif name == "numpy" and not job.startswith("tiny"):
                right = "extrapolated from samples"
            print(
                f"{job:<18}{name:<10}{kind:<12}{shown:>12}{ratio:>10}{len(times[key]):>6}  {right}"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
