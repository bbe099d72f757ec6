"""Each method against its original on the paper's Lorenz problem, cross-validation included.

N = 10,000 rows, p = 72 terms.

    methods.py BINARY [JOB...]

Every round runs ours and then the original, both on one thread, each warmed once; shown are medians
of the wall-clock time. Ours starts from the table: it evaluates the terms, reduces the rows and
solves; the time after the reduction is shown too. The originals start from the matrix of evaluated
terms. A slow original is run once. "agree": whether the terms are the same, and the largest
difference of the predictions as a share of the largest prediction.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from functools import partial

for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]:
    os.environ[variable] = "1"

import numpy as np
import pysindy
from pysindy.optimizers import FROLS, MIOSR, SR3, SSR, STLSQ, EnsembleOptimizer
from sklearn.linear_model import Lars, LarsCV, Lasso, LassoCV, LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold

warnings.filterwarnings("ignore")

ROUNDS = 5
LONG = 3.0
TOO_LONG = 60.0
FOLDS = KFold(5)

# The default since scikit-learn 1.9 cuts singular values below 1e-6 of the largest, which on raw
# powers is not least squares.
pysindy.optimizers.base.LinearRegression = partial(LinearRegression, tol=1e-15)


def monomials(states):
    powers = [p for p in np.ndindex(5, 5, 5) if sum(p) <= 6]
    return np.column_stack([np.prod([s**q for s, q in zip(states.T, p)], axis=0) for p in powers])


def with_constant(model, x, y):
    """scikit-learn has the intercept apart."""
    model.fit(x[:, 1:], y)
    return np.concatenate([[model.intercept_], model.coef_])


def coefficients(model, x, y):
    model.fit(x, y)
    return np.asarray(model.coef_).ravel()


def by_folds(make, values, x, y):
    """Cross-validation as one writes it for PySINDy, whose optimisers `GridSearchCV` cannot set."""
    errors = np.zeros(len(values))
    for train, test in FOLDS.split(x):
        for place, value in enumerate(values):
            model = make(value)
            model.fit(x[train], y[train])
            errors[place] += np.mean((y[test] - x[test] @ np.asarray(model.coef_).ravel()) ** 2)
    chosen = values[int(np.argmin(errors))]
    return coefficients(make(chosen), x, y), chosen


def ridge_cv(x, y, values):
    search = GridSearchCV(Ridge(), {"alpha": values}, cv=FOLDS, scoring="neg_mean_squared_error")
    search.fit(x[:, 1:], y)
    best = search.best_estimator_
    return np.concatenate([[best.intercept_], best.coef_]), search.best_params_["alpha"]


def cv_with_constant(model, x, y):
    return with_constant(model, x, y), model.alpha_


def original(job, x, y, values):
    """The original's coefficients, and the value it chose."""
    whole = [int(v) for v in values or []]
    match job:
        case "ols":
            return with_constant(LinearRegression(tol=1e-15), x, y), None
        case "ridge":
            return with_constant(Ridge(alpha=1.0), x, y), None
        case "ridge-cv":
            return ridge_cv(x, y, values)
        case "lasso":
            return with_constant(Lasso(alpha=1.0), x, y), None
        case "lasso-cv":
            return cv_with_constant(LassoCV(alphas=100, cv=FOLDS), x, y)
        case "lars":
            return with_constant(Lars(), x, y), None
        case "lars-cv":
            return cv_with_constant(LarsCV(cv=FOLDS), x, y)
        case "stlsq":
            return coefficients(STLSQ(), x, y), None
        case "stlsq-cv":
            return by_folds(lambda v: STLSQ(threshold=v), values, x, y)
        case "sr3":
            return coefficients(SR3(), x, y), None
        case "sr3-cv":
            return by_folds(lambda v: SR3(reg_weight_lam=v), values, x, y)
        case "frols":
            return coefficients(FROLS(), x, y), None
        case "frols-cv":
            return by_folds(lambda v: FROLS(max_iter=v), whole, x, y)
        case "ssr":
            return coefficients(SSR(), x, y), None
        case "miosr":
            return coefficients(MIOSR(), x, y), None
        case "miosr-cv":
            return by_folds(lambda v: MIOSR(target_sparsity=v), whole, x, y)
        case "ensemble":
            np.random.seed(0)
            model = EnsembleOptimizer(STLSQ(), bagging=True, n_models=20, n_subset=len(y))
            return coefficients(model, x, y), None
    raise KeyError(job)


def timed(job, x, y, values):
    start = time.perf_counter()
    answer, chosen = original(job, x, y, values)
    return time.perf_counter() - start, answer, chosen


def agreement(x, y, ours, theirs, job):
    if job == "ensemble":
        return "draws single rows: other random numbers"
    same = np.array_equal(np.abs(ours) > 1e-14, np.abs(theirs) > 1e-14)
    size = (
        f"{np.count_nonzero(ours)} terms"
        if same
        else f"{np.count_nonzero(ours)} terms, not {np.count_nonzero(theirs)}"
    )
    if not ours.any() and not theirs.any():
        return "no terms"
    if job.startswith("miosr") and not same:
        objective = [np.sum((y - x @ w) ** 2) + 0.01 * w @ w for w in (ours, theirs)]
        return f"other terms; objective {objective[0]:.8g}, proven, against {objective[1]:.8g}"
    a, b = x @ ours, x @ theirs
    return f"{size}, predictions to {np.max(np.abs(a - b)) / np.max(np.abs(b)):.0e}"


def main(binary, *wanted):
    jobs = subprocess.run(
        [binary, "list"], capture_output=True, text=True, check=True
    ).stdout.split()
    jobs = [job for job in jobs if not wanted or job in wanted]
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        subprocess.run([binary, "export", file.name], check=True)
        data = np.loadtxt(file.name, delimiter=",", skiprows=1)
    x, y = monomials(data[:, :3]), data[:, 3]
    ours, theirs, answers, trouble = {}, {}, {}, {}
    for _ in range(ROUNDS):
        for job in jobs:
            done = subprocess.run(
                [binary, "run", job, "3"], capture_output=True, text=True, check=True
            )
            said = json.loads(done.stdout)
            ours.setdefault(job, []).append((said["reducing"], said["solving"]))
            times = theirs.setdefault(job, [])
            if job in trouble or (times and times[-1] > LONG):
                continue
            if job == "miosr-cv" and theirs.get("miosr", [TOO_LONG])[-1] > TOO_LONG / 25:
                trouble[job] = "one fit takes too long to do 26"
                continue
            try:
                for warming in [True, False] if not times else [False]:
                    seconds, answer, chosen = timed(job, x, y, said["values"])
                    answers[job] = np.array(said["coefficients"]), answer, said["chosen"], chosen
                    # The first run is a warm-up, as for ours; a slow one needs none.
                    if not warming or seconds > LONG:
                        times.append(seconds)
                        break
            except Exception as error:  # noqa: BLE001 the table shows what went wrong
                trouble[job] = f"{type(error).__name__}: {error}"[:60]
    print(
        f"{'method':<10}{'ours ms':>9}{'after reducing':>15}{'original ms':>13}"
        f"{'ratio':>8}{'after':>9}  agree"
    )
    for job in jobs:
        whole = statistics.median(a + b for a, b in ours[job]) * 1e3
        after = statistics.median(b for _, b in ours[job]) * 1e3
        start = f"{job:<10}{whole:>9.2f}{after:>15.2f}"
        if job in trouble or not theirs[job]:
            print(f"{start}  {trouble.get(job, 'not run')}")
            continue
        peer = statistics.median(theirs[job]) * 1e3
        mine, their, chose, they_chose = answers[job]
        words = agreement(x, y, mine, their, job)
        if chose is not None and they_chose is not None:
            same = abs(chose - they_chose) <= 1e-6 * abs(they_chose)
            words += f"; chose {chose:.4g}" + ("" if same else f", not {they_chose:.4g}")
        print(f"{start}{peer:>13.1f}{peer / whole:>8.1f}{peer / after:>9.1f}  {words}")


if __name__ == "__main__":
    main(*sys.argv[1:])
