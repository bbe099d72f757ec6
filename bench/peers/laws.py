"""Which of the hundred textbook laws eqlearn, gplearn and pyoperon find, each in the same time.

Tables come from the lab's example `law_tables`: 1000 rows to learn from, and 1000 fresh rows from
ranges that are a fifth wider. A law is found if the relative error on the fresh rows is at most
max(1e-5, 5 sigma / rms(target) sqrt(m / N)), as in the lab's experiment `laws`; m is the number of
free numbers in a formula. The lab also limits the number of terms. Here the error alone decides,
in favour of the others: their formulas are not simplified.

eqlearn is a whole process with one thread; the others get the seconds given, or those that eqlearn
took if that is more.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
from gplearn.genetic import SymbolicRegressor
from pyoperon.sklearn import SymbolicRegressor as Operon

warnings.filterwarnings("ignore")


def table(path):
    with open(path) as file:
        names = next(csv.reader(file))
    values = np.loadtxt(path, delimiter=",", skiprows=1)
    return names[:-1], values[:, :-1], values[:, -1]


def is_found(predicted, truth, sigma, given, numbers):
    if predicted is None or not np.all(np.isfinite(predicted)):
        return False
    size = math.sqrt(np.mean(given**2) * len(given))
    allowed = max(1e-5, 5 * sigma / size * math.sqrt(max(numbers, 1)))
    return math.sqrt(np.mean((predicted - truth) ** 2) / np.mean(truth**2)) <= allowed


def by_eqlearn(binary, path, fresh, folder):
    """Predictions, the number of coefficients, and the seconds that it took."""
    model, out = folder / "model.json", folder / "predicted.csv"
    model.unlink(missing_ok=True)
    started = time.perf_counter()
    fit = [binary, "fit", path, "--target", "target", "--threads", "1", "--json", "--save", model]
    done = subprocess.run(fit, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if not model.exists():
        return None, 0, seconds
    apply = [binary, "predict", model, fresh, "--out", out]
    if subprocess.run(apply, capture_output=True, check=False).returncode != 0:
        return None, 0, seconds
    equation = json.loads(done.stdout)["equations"][0]
    sides = (equation.get(side) or [] for side in ("terms", "numerator", "denominator"))
    return np.loadtxt(out, skiprows=1), sum(map(len, sides)), seconds


def by_gplearn(x, y, fresh, seconds, seed):
    """Generations until the time is over; gplearn itself knows no clock."""
    functions = ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos", "inv")
    model = SymbolicRegressor(
        population_size=1000, generations=1, function_set=functions, warm_start=True,
        parsimony_coefficient=1e-4, random_state=seed, n_jobs=1,
    )
    started, generations = time.perf_counter(), 1
    while True:
        model.set_params(generations=generations)
        model.fit(x, y)
        generations += 1
        if time.perf_counter() - started > seconds:
            break
    numbers = sum(isinstance(node, float) for node in model._program.program)
    return model.predict(fresh), numbers


def by_operon(x, y, fresh, seconds, seed):
    model = Operon(
        allowed_symbols="add,sub,mul,div,constant,variable,exp,log,sin,cos,sqrt,square,tanh,asin",
        max_time=max(1, round(seconds)), generations=10**6, max_evaluations=10**9, n_threads=1,
        optimizer_iterations=10, random_state=seed,
    )
    model.fit(x, y)
    return model.predict(fresh), model.stats_["model_complexity"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tables")
    parser.add_argument("eqlearn")
    parser.add_argument("--keys", help="numbers of laws; all if not given")
    parser.add_argument("--level", type=int, default=1, help="0, 1, 2: noise of 0, 0.1, 1 %%")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    keys = {int(key) for key in args.keys.split(",")} if args.keys else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([args.tables, folder, str(args.seed)], check=True)
        with open(folder / "laws.csv") as file:
            laws = [law for law in csv.DictReader(file) if int(law["level"]) == args.level]
        counts = {"eqlearn": 0, "gplearn": 0, "pyoperon": 0}
        asked = [law for law in laws if keys is None or int(law["key"]) in keys]
        print(f"{'law':<40} {'class':<10} {'seconds':>8}  " + "  ".join(counts), flush=True)
        for law in asked:
            path = folder / f"{law['key']}-{args.level}.csv"
            wider = folder / f"{law['key']}-fresh.csv"
            (_, x, y), (_, fresh, truth) = table(path), table(wider)
            sigma = float(law["sigma"])
            ours, terms, seconds = by_eqlearn(args.eqlearn, path, wider, folder)
            given = max(args.seconds, seconds)
            found = {
                "eqlearn": (ours, terms),
                "gplearn": by_gplearn(x, y, fresh, given, args.seed),
                "pyoperon": by_operon(x, y, fresh, given, args.seed),
            }
            marks = []
            for method, (predicted, numbers) in found.items():
                right = is_found(predicted, truth, sigma, y, numbers)
                counts[method] += right
                marks.append(f"{'yes' if right else '–':<{len(method)}}")
            line = f"{law['name']:<40} {law['class']:<10} {seconds:>8.2f}  " + "  ".join(marks)
            print(line.rstrip(), flush=True)
        print(f"\nfound of {len(asked)}: " + ", ".join(f"{m} {n}" for m, n in counts.items()))


main()
