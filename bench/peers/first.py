"""Six first data sets, each given to eqlearn, abess, pyoperon and PySINDy in one run.

An equation is "the law" if it has exactly the terms of the law. A formula of any shape "predicts
like the law" if its error on fresh rows from the same ranges is that of the law with noise in its
numbers: a relative error of at most max(1e-5, 5 sigma / rms sqrt(m / N)), with m numbers in it.

abess has no dictionary: it gets the 72 or fewer monomials of eqlearn's default. pyoperon gets the
seconds given. PySINDy learns motion, not tables. eqlearn is a whole process, without any flag but
the names of the columns; of the others only the fit is timed.
"""

import argparse
import itertools
import json
import math
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
import pysindy as ps
from abess import LinearRegression
from pyoperon.sklearn import SymbolicRegressor as Operon
from scipy.integrate import solve_ivp

warnings.filterwarnings("ignore")
RNG = np.random.default_rng(1)


def uniform(n, *ranges):
    return np.column_stack([RNG.uniform(low, high, n) for low, high in ranges])


# name: features, their ranges, the law, its terms, rows, noise
TABLES = {
    "drag of a plate": (
        ["rho", "v", "d"], [(0.8, 1.4), (2, 30), (0.1, 0.5)],
        lambda r, v, d: 0.585 * r * v**2 * d**2 + 0.04 * v, {"v", "rho*v^2*d^2"}, 100, 0.1,
    ),
    "pressure of a gas": (
        ["n", "T", "V"], [(0.5, 2), (250, 400), (10, 40)],
        lambda n, t, v: 8.314 * n * t / v, {"n*T/V"}, 100, 0.3,
    ),
    "rate of an enzyme": (
        ["s"], [(0.05, 5)], lambda s: 2.4 * s / (0.6 + s), {"s", "/1", "/s"}, 100, 0.02,
    ),
    "swing of a pendulum": (
        ["length", "angle"], [(0.2, 2), (0.05, 1.2)],
        lambda length, a: 2 * math.pi * np.sqrt(length / 9.81) * (1 + a**2 / 16),
        {"sqrt(length)", "sqrt(length)*angle^2"}, 100, 0.004,
    ),
    "noise alone": (["a", "b", "c"], [(-1, 1)] * 3, None, set(), 100, 1.0),
}


def monomials(x):
    """Exponents and columns as eqlearn's default: powers to 4, degree to 6, a constant."""
    count = x.shape[1]
    powers = [p for p in itertools.product(range(5), repeat=count) if sum(p) <= 6]
    return powers, np.column_stack([np.prod(x ** np.array(p), axis=1) for p in powers])


def is_close(predicted, truth, sigma, n, numbers):
    if predicted is None or not np.all(np.isfinite(predicted)):
        return False
    rms = math.sqrt(np.mean(truth**2))
    allowed = max(1e-5, 5 * sigma / rms * math.sqrt(max(numbers, 1) / n))
    return math.sqrt(np.mean((predicted - truth) ** 2)) / rms <= allowed


def run(command):
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done, time.perf_counter() - start


def say(name, who, verdict, seconds, what):
    print(f"{name:<22}{who:<10}{verdict:<34}{seconds:>8.2f} s  {what[:110]}", flush=True)


def verdict_of(terms, law, is_close):
    if not terms:
        return "no equation"
    if terms == law:
        return "the law"
    shape = "predicts like the law" if is_close else "another equation"
    return f"{shape}, {len(terms)} terms"


def by_eqlearn(binary, folder, name, law, features, x, y, fresh, truth, sigma):
    data, wider, out = folder / "data.csv", folder / "fresh.csv", folder / "predicted.csv"
    model = folder / "model.json"
    model.unlink(missing_ok=True)
    header = ",".join(features)
    table = np.column_stack([x, y])
    np.savetxt(data, table, delimiter=",", header=f"{header},y", comments="")
    np.savetxt(wider, fresh, delimiter=",", header=header, comments="")
    done, seconds = run([binary, "fit", data, "--target", "y", "--json", "--save", model])
    document = json.loads(done.stdout)
    if not document["equations"] or not model.exists():
        return say(name, "eqlearn", "no equation", seconds, "")
    equation = document["equations"][0]
    run([binary, "predict", model, wider, "--out", out])
    above = equation.get("terms") or equation.get("numerator") or []
    terms = {term["term"] for term in above}
    terms |= {f"/{term['term']}" for term in equation.get("denominator") or []}
    close = truth is not None
    close = close and is_close(np.loadtxt(out, skiprows=1), truth, sigma, len(y), len(terms))
    return say(name, "eqlearn", verdict_of(terms, law, close), seconds, equation["text"])


def by_abess(name, law, features, x, y, fresh, truth, sigma):
    powers, columns = monomials(x)
    start = time.perf_counter()
    model = LinearRegression(fit_intercept=False).fit(columns, y)
    seconds = time.perf_counter() - start

    def text(power):
        factors = zip(features, power, strict=True)
        return "*".join(f if e == 1 else f"{f}^{e}" for f, e in factors if e) or "1"

    terms = {text(powers[i]) for i in np.flatnonzero(model.coef_)}
    close = truth is not None
    close = close and is_close(monomials(fresh)[1] @ model.coef_, truth, sigma, len(y), len(terms))
    say(name, "abess", verdict_of(terms, law, close), seconds, " + ".join(sorted(terms)))


def by_operon(name, x, y, fresh, truth, sigma, limit):
    model = Operon(
        allowed_symbols="add,sub,mul,div,constant,variable,exp,log,sin,cos,sqrt,square",
        max_time=limit, generations=10**6, max_evaluations=10**9, n_threads=2,
        optimizer_iterations=10, random_state=1,
    )
    start = time.perf_counter()
    model.fit(x, y)
    seconds = time.perf_counter() - start
    length = model.stats_["model_length"]
    size = model.stats_["model_complexity"]
    right = truth is not None and is_close(model.predict(fresh), truth, sigma, len(y), size)
    verdict = f"predicts like the law, {length} nodes" if right else f"a formula of {length} nodes"
    say(name, "pyoperon", verdict, seconds, model.get_model_string(model.model_, precision=3))


def tables(binary, folder, limit):
    for name, (features, ranges, formula, law, n, sigma) in TABLES.items():
        x, fresh = uniform(n, *ranges), uniform(1000, *ranges)
        truth = None if formula is None else formula(*fresh.T)
        y = (0 if formula is None else formula(*x.T)) + sigma * RNG.normal(size=n)
        by_eqlearn(binary, folder, name, law, features, x, y, fresh, truth, sigma)
        by_abess(name, law, features, x, y, fresh, truth, sigma)
        by_operon(name, x, y, fresh, truth, sigma, limit)


LORENZ = {"x": {"x", "y"}, "y": {"x", "y", "x*z"}, "z": {"z", "x*y"}}


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


def motion(binary, folder, noise):
    """The Lorenz system, 2000 samples; terms to degree 5 for PySINDy, its threshold as given."""
    name, t = f"Lorenz, noise {noise}", np.arange(2000) * 0.01
    clean = solve_ivp(lorenz, (0, t[-1]), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10).y.T
    x = clean + noise * RNG.normal(size=clean.shape)
    data = folder / "run.csv"
    np.savetxt(data, np.column_stack([t, x]), delimiter=",", header="t,x,y,z", comments="")
    done, seconds = run([binary, "discover", data, "--time", "t", "--json"])
    found = json.loads(done.stdout)["equations"]
    terms = [{term["term"] for term in equation["terms"]} for equation in found]
    tell_motion(name, "eqlearn", terms, seconds)
    plain = ps.PolynomialLibrary(degree=5)
    weak = ps.WeakPDELibrary(
        function_library=ps.PolynomialLibrary(degree=5, include_bias=False),
        spatiotemporal_grid=t, K=500,
    )
    for label, library in [("PySINDy", plain), ("its weak", weak)]:
        model = ps.SINDy(feature_library=library, optimizer=ps.STLSQ(threshold=0.1))
        start = time.perf_counter()
        model.fit(x, t=0.01, feature_names=["x", "y", "z"])
        seconds = time.perf_counter() - start
        names = [text.replace(" ", "*") for text in model.get_feature_names()]
        for number, letter in enumerate("xyz"):
            names = [text.replace(f"x{number}", letter) for text in names]
        rows = model.coefficients()
        chosen = [{n for n, c in zip(names, row, strict=True) if c} for row in rows]
        tell_motion(name, label, chosen, seconds)


def tell_motion(name, who, terms, seconds):
    right = sum(own == law for own, law in zip(terms, LORENZ.values(), strict=True))
    say(name, who, f"{right} of 3 equations", seconds, f"{[len(own) for own in terms]} terms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("eqlearn")
    parser.add_argument("--seconds", type=int, default=10, help="for pyoperon, a table")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        tables(args.eqlearn, pathlib.Path(name), args.seconds)
        for noise in (0.1, 0.5):
            motion(args.eqlearn, pathlib.Path(name), noise)


main()
