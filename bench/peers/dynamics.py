"""Times `eqlearn discover` and `eqlearn simulate` against PySINDy on the Lorenz system, N = 10,000.

Ours is timed as a whole process, reading the CSV included; of PySINDy only the calls `fit` and
`simulate` are timed. Its dictionary is all 84 monomials up to degree 6, ours the 72 of them with
powers up to 4. Medians over rounds in turns, CPU and wall-clock seconds.
"""

import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial

import numpy as np
import pysindy as ps
from scipy.integrate import solve_ivp

warnings.filterwarnings("ignore")
ROUNDS, LONG_ROUNDS = 9, 3
# The threads of NumPy's linear algebra busy-wait for a while after a call. That must not count as
# the time of others.
REST = 0.5
OURS, THEIRS = (
    "eqlearn discover, whole process",
    "PySINDy SINDy.fit, weak library, its default 100 rows",
)
OUR_RUN, THEIR_RUN = "eqlearn simulate, whole process", "PySINDy simulate"
STEP, N, UNTIL = 0.01, 10_000, 20.0


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


def used():
    """CPU seconds so far, children included."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in both)


def timed(calls, rounds):
    """Median wall-clock and CPU seconds of each call, and its result; calls run in turns."""
    walls, cpus, results = {}, {}, {}
    for _ in range(rounds):
        for name, call in calls.items():
            time.sleep(REST)
            before, start = used(), time.perf_counter()
            results[name] = call()
            walls.setdefault(name, []).append(time.perf_counter() - start)
            cpus.setdefault(name, []).append(used() - before)
    return {
        name: (statistics.median(walls[name]), statistics.median(cpus[name]), results[name])
        for name in calls
    }


def main():
    binary = sys.argv[1]
    t = np.arange(N) * STEP
    x = solve_ivp(lorenz, (0, t[-1]), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10).y.T
    x = x + 0.01 * np.random.default_rng(1).normal(size=x.shape)
    with tempfile.TemporaryDirectory() as folder:
        data, saved = pathlib.Path(folder, "run.csv"), pathlib.Path(folder, "system.json")
        np.savetxt(data, np.column_stack([t, x]), delimiter=",", header="t,x,y,z", comments="")
        discover = [binary, "discover", data, "--time", "t", "--save", saved, "--quiet"]
        until = ["--until", str(UNTIL), "--step", str(STEP), "--tolerance", "1e-8"]
        follow = [binary, "simulate", saved, "--from", "x=-8,y=8,z=27", *until]

        def fit():
            monomials = ps.PolynomialLibrary(degree=6, include_bias=False)
            library = ps.WeakPDELibrary(function_library=monomials, spatiotemporal_grid=t)
            model = ps.SINDy(feature_library=library, optimizer=ps.STLSQ(threshold=0.05))
            model.fit(x, t=STEP)
            return model

        plain = ps.SINDy(
            feature_library=ps.PolynomialLibrary(degree=2), optimizer=ps.STLSQ(threshold=0.05)
        )
        plain.fit(x, t=STEP)
        options = {"rtol": 1e-8, "atol": 1e-8, "method": "LSODA"}
        run = partial(subprocess.run, capture_output=True, text=True, check=True)
        times = timed({OURS: lambda: run(discover), THEIRS: fit}, ROUNDS)
        times |= timed(
            {
                OUR_RUN: lambda: run(follow),
                THEIR_RUN: lambda: plain.simulate(x[0], t[t <= UNTIL], integrator_kws=options),
            },
            LONG_ROUNDS,
        )

    print(f"PySINDy {ps.__version__}\n")
    print(f"{'':<54} {'wall s':>8} {'CPU s':>8}")
    for name, (wall, cpu, _) in times.items():
        print(f"{name:<54} {wall:>8.3f} {cpu:>8.3f}")
    shares = [times[OURS][k] / times[THEIRS][k] for k in (0, 1)]
    print(f"\nfit: ours takes {shares[0]:.2f} of PySINDy's time, {shares[1]:.2f} of its CPU time")
    print(f"simulate: {times[THEIR_RUN][1] / times[OUR_RUN][1]:.0f} times faster")
    print("\nwhat each found:")
    print("\n".join(line for line in times[OURS][2].stdout.splitlines() if "' =" in line))
    times[THEIRS][2].print()


main()
