"""Times `eqlearn discover` and `eqlearn simulate` against PySINDy on the Lorenz system, N = 10,000.

Ours is charged for its whole process, reading the CSV included; PySINDy only for the calls `fit` and `simulate`. Its dictionary
is all 84 monomials up to degree 6, ours the 72 of them with powers up to 4. Medians of three rounds, CPU and wall-clock seconds.
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pysindy as ps
from scipy.integrate import solve_ivp

warnings.filterwarnings("ignore")
ROUNDS = 3
STEP, N, UNTIL = 0.01, 10_000, 20.0


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


def timed(call):
    """The median wall-clock and CPU seconds of a call, children included."""
    walls, cpus = [], []
    for _ in range(ROUNDS):
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        before, start = sum(u.ru_utime + u.ru_stime for u in used), time.perf_counter()
        result = call()
        walls.append(time.perf_counter() - start)
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpus.append(sum(u.ru_utime + u.ru_stime for u in used) - before)
    return statistics.median(walls), statistics.median(cpus), result


def main():
    binary = sys.argv[1]
    t = np.arange(N) * STEP
    x = solve_ivp(lorenz, (0, t[-1]), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10).y.T
    x = x + 0.01 * np.random.default_rng(1).normal(size=x.shape)
    with tempfile.TemporaryDirectory() as folder:
        data, saved = pathlib.Path(folder, "run.csv"), pathlib.Path(folder, "system.json")
        np.savetxt(data, np.column_stack([t, x]), delimiter=",", header="t,x,y,z", comments="")
        discover = [binary, "discover", data, "--time", "t", "--save", saved, "--quiet"]
        ours = timed(lambda: subprocess.run(discover, capture_output=True, text=True, check=True))
        until = ["--until", str(UNTIL), "--step", str(STEP), "--tolerance", "1e-8"]
        follow = [binary, "simulate", saved, "--from", "x=-8,y=8,z=27", *until]
        simulated = timed(lambda: subprocess.run(follow, capture_output=True, text=True, check=True))

    def fit():
        library = ps.WeakPDELibrary(function_library=ps.PolynomialLibrary(degree=6, include_bias=False), spatiotemporal_grid=t)
        model = ps.SINDy(feature_library=library, optimizer=ps.STLSQ(threshold=0.05))
        model.fit(x, t=STEP)
        return model

    theirs = timed(fit)
    plain = ps.SINDy(feature_library=ps.PolynomialLibrary(degree=2), optimizer=ps.STLSQ(threshold=0.05))
    plain.fit(x, t=STEP)
    options = {"rtol": 1e-8, "atol": 1e-8, "method": "LSODA"}
    their_run = timed(lambda: plain.simulate(x[0], t[t <= UNTIL], integrator_kws=options))

    print(f"PySINDy {ps.__version__}\n")
    print(f"{'':<44} {'wall s':>8} {'CPU s':>8}")
    for name, (wall, cpu, _) in [
        ("eqlearn discover, whole process", ours),
        ("PySINDy SINDy.fit, weak library, its default 100 rows", theirs),
        ("eqlearn simulate, whole process", simulated),
        ("PySINDy simulate", their_run),
    ]:
        print(f"{name:<44} {wall:>8.3f} {cpu:>8.3f}")
    print(f"\nfit: ours takes {ours[1] / theirs[1]:.2f} of PySINDy's CPU time; simulate: {their_run[1] / simulated[1]:.0f} times faster")
    print("\nwhat each found:")
    print("\n".join(line for line in ours[2].stdout.splitlines() if "' =" in line))
    theirs[2].print()


main()
