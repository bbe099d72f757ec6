"""Golden numbers of the comparison methods, from the packages that users know.

Pinned: Python 3.11, numpy 2.4.6, scipy 1.17.1, scikit-learn 1.9.1, pysindy 2.1.0, gurobipy 13.0.3
(its free size-limited licence). Run as

    python -m venv v
    v/bin/pip install numpy==2.4.6 scikit-learn==1.9.1 pysindy==2.1.0 gurobipy==13.0.3
    v/bin/python crates/eqlearn/tests/data/make/peers.py crates/eqlearn/tests/data/peers

It writes problems.json (the data, rounded so that the decimals are the numbers themselves) and one
file per package with its answers; further arguments name the packages to run (all by default). No
constant column is among the terms: scikit-learn centres by itself where `intercept` is true.
"""

import json
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pysindy
import sklearn
from pysindy.optimizers import FROLS, MIOSR, SR3, SSR, STLSQ
from sklearn.linear_model import (
    Lars,
    LarsCV,
    Lasso,
    LassoCV,
    LinearRegression,
    Ridge,
    lars_path,
    lasso_path,
)
from sklearn.model_selection import GridSearchCV, KFold

warnings.filterwarnings("ignore")

# Since scikit-learn 1.9 `LinearRegression` cuts singular values below tol = 1e-6 of the largest,
# which is not least squares any more for raw powers (rank 13 of 16 on polynomial-5). PySINDy's
# unbiasing step inherits this. Here both cut at rounding.
PlainLinearRegression = partial(LinearRegression, tol=1e-15)
pysindy.optimizers.base.LinearRegression = PlainLinearRegression


def rounded(array, digits=6):
    """The same numbers with fewer digits, so that the file holds them exactly."""
    return np.vectorize(lambda v: float(f"{v:.{digits}g}"))(np.asarray(array, float))


def monomials(columns, max_power, max_degree):
    """All non-constant monomials, by total power, then higher powers of earlier features first."""
    n = len(columns)
    powers = [p for p in np.ndindex(*[max_power + 1] * n) if 0 < sum(p) <= max_degree]
    powers.sort(key=lambda p: (sum(p), tuple(-q for q in p)))
    return np.column_stack([np.prod([c**q for c, q in zip(columns, p)], axis=0) for p in powers])


def random_problem(rng, n, p, k, correlation=0.0, noise=0.1):
    shared = rng.normal(size=(n, 1))
    x = np.sqrt(1 - correlation) * rng.normal(size=(n, p)) + np.sqrt(correlation) * shared
    x = x * rng.uniform(0.3, 3, size=p) + rng.normal(size=p)
    w = np.zeros((p, k))
    for t in range(k):
        size = min(p, 2 + t)
        w[rng.choice(p, size, replace=False), t] = rng.choice([-1, 1], size) * rng.uniform(
            0.5, 3, size
        )
    x = rounded(x)
    return x, rounded(x @ w + noise * rng.normal(size=(n, k)), 8)


def polynomial_problem(rng, n, n_true):
    """The paper's first experiment: neighbouring features touch at their 2.5 % quantiles."""
    means = np.sort(rng.uniform(-20, 20, 3))
    d1, d2 = np.diff(means)
    z = 1.959964
    s2 = min(d1, d2) / (2 * z)
    spread = [d1 / z - s2, s2, d2 / z - s2]
    features = [m + s * rng.normal(size=n) for m, s in zip(means, spread)]
    x = rounded(monomials(features, 2, 3), 8)
    w = np.zeros(x.shape[1])
    w[rng.choice(len(w), n_true, replace=False)] = rng.choice([-1, 1], n_true) * rng.uniform(
        1, 4, n_true
    )
    return x, rounded((x @ w + 0.01 * rng.normal(size=n))[:, None], 9)


def lorenz_problem(rng, n, dt, noise, degree):
    def slope(s):
        return np.array([10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]])

    state, states, fine = np.array([-8.0, 8.0, 27.0]) + rng.normal(size=3), [], 20
    for _ in range(n + 1):
        states.append(state)
        for _ in range(fine):
            h = dt / fine
            k1 = slope(state)
            k2 = slope(state + h / 2 * k1)
            k3 = slope(state + h / 2 * k2)
            k4 = slope(state + h * k3)
            state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    states = np.array(states) + noise * rng.normal(size=(n + 1, 3))
    x = rounded(monomials(list(states[:-1].T), degree, degree), 7)
    return x, rounded(np.diff(states, axis=0) / dt, 8)


def problems():
    rng = np.random.default_rng(20240607)
    made = {}
    for i, (n, p, k) in enumerate(
        [
            (30, 5, 1),
            (40, 8, 1),
            (40, 8, 2),
            (50, 10, 3),
            (60, 12, 1),
            (25, 6, 2),
            (80, 6, 1),
            (45, 15, 2),
        ]
    ):
        made[f"random-{i}"] = random_problem(rng, n, p, k)
    for i, correlation in enumerate([0.5, 0.9, 0.99, 0.999, 0.9, 0.99]):
        made[f"correlated-{i}"] = random_problem(rng, 50, 9, 1 + i // 4, correlation)
    for i, (n, n_true) in enumerate([(40, 2), (40, 2), (65, 3), (65, 3), (65, 4), (65, 4)]):
        made[f"polynomial-{i}"] = polynomial_problem(rng, n, n_true)
    for i, (n, dt, noise, degree) in enumerate(
        [
            (80, 0.01, 1e-3, 2),
            (80, 0.02, 1e-2, 2),
            (120, 0.005, 1e-3, 2),
            (60, 0.05, 1e-2, 2),
            (100, 0.01, 1e-3, 3),
            (100, 0.02, 1e-2, 3),
        ]
    ):
        made[f"lorenz-{i}"] = lorenz_problem(rng, n, dt, noise, degree)
    for i, (n, p, k) in enumerate(
        [(12, 20, 1), (15, 18, 2), (10, 25, 1), (18, 20, 1), (16, 16, 1), (14, 22, 2)]
    ):
        made[f"short-{i}"] = random_problem(rng, n, p, k, noise=0.05)
    return made


def listed(array):
    return np.asarray(array, float).tolist()


def shortened(value):
    """Answers with 13 digits: more than two solvers ever agree to, at two thirds of the size."""
    if isinstance(value, float):
        return float(f"{value:.13g}")
    if isinstance(value, list):
        return [shortened(v) for v in value]
    if isinstance(value, dict):
        return {k: shortened(v) if k not in ("settings", "values") else v for k, v in value.items()}
    return value


class Proven(MIOSR):
    """MIOSR that asks Gurobi for a gap of zero and remembers whether all was proven."""

    def _make_model(self, *arguments):
        model, variables = super()._make_model(*arguments)
        model.Params.MIPGap = 0
        model.Params.MIPGapAbs = 0
        return model, variables

    def _regress(self, *arguments, **named):
        answer = super()._regress(*arguments, **named)
        self.proofs = [*getattr(self, "proofs", []), self.model.Status == 2]
        return answer


def pysindy_answers(x, y):
    n, p = x.shape
    answers = []

    def add(method, optimizer, **settings):
        try:
            optimizer.fit(x, y)
        except ValueError as problem:
            answers.append({"method": method, "settings": settings, "error": str(problem)})
            return
        answers.append(
            {"method": method, "settings": settings, "coefficients": listed(optimizer.coef_)}
        )

    largest = np.abs(np.linalg.lstsq(x, y, rcond=None)[0]).max()
    thresholds = [0.1, rounded(0.2 * largest, 3).item(), rounded(0.5 * largest, 3).item()]
    for threshold in thresholds:
        add("stlsq", STLSQ(threshold=threshold), threshold=threshold)
    add("stlsq", STLSQ(threshold=0.3, unbias=False), threshold=0.3, unbias=False)
    add(
        "stlsq",
        STLSQ(threshold=0.5, alpha=0.5, normalize_columns=True),
        threshold=0.5,
        alpha=0.5,
        normalize_columns=True,
    )
    add("stlsq", STLSQ(threshold=0.2, max_iter=1), threshold=0.2, max_iter=1)
    for regulariser in ["l0", "l1", "l2"]:
        for lam, nu, unbias in [(0.005, 1.0, False), (0.1, 0.5, False), (0.02, 10.0, True)]:
            add(
                "sr3",
                SR3(reg_weight_lam=lam, relax_coeff_nu=nu, regularizer=regulariser, unbias=unbias),
                **{"lambda": lam, "nu": nu, "regulariser": regulariser, "unbias": unbias},
            )
    add(
        "sr3",
        SR3(reg_weight_lam=0.05, normalize_columns=True, max_iter=200),
        **{"lambda": 0.05, "normalize_columns": True, "max_iter": 200},
    )
    steps = min(10, n - 4, p)
    for kappa in [None, 1e-3, 1e-5]:
        settings = {"variant": "py-sindy", "max_terms": steps, "kappa": kappa}
        add("frols", FROLS(max_iter=steps, kappa=kappa), **settings)
        add(
            "frols",
            FROLS(max_iter=steps, kappa=kappa, unbias=False, normalize_columns=True),
            **settings,
            unbias=False,
            normalize_columns=True,
        )
    for criteria in ["coefficient_value", "model_residual"]:
        for kappa in [None, 1e-2]:
            settings = {
                "variant": "py-sindy",
                "criterion": criteria.replace("_", "-"),
                "kappa": kappa,
            }
            add("ssr", SSR(criteria=criteria, kappa=kappa), **settings)
    add(
        "ssr",
        SSR(max_iter=4, alpha=0.5, unbias=False),
        variant="py-sindy",
        max_iter=4,
        alpha=0.5,
        unbias=False,
    )
    return answers


def gurobi_answers(x, y):
    k = y.shape[1]
    answers = []
    cases = [{"target_sparsity": s} for s in (2, 3, 5)]
    if k > 1:
        cases.append({"target_sparsity": None, "group_sparsity": [1 + t % 3 for t in range(k)]})
        cases.append({"target_sparsity": 5, "group_sparsity": [2] * k})
    for case in cases:
        optimizer = Proven(**case, alpha=0.01, regression_timeout=20)
        try:
            optimizer.fit(x, y)
        except Exception as problem:  # the free licence refuses larger models
            answers.append({"settings": case, "error": str(problem)})
            continue
        answers.append(
            {
                "settings": case,
                "proven": all(optimizer.proofs),
                "coefficients": listed(optimizer.coef_),
            }
        )
    return answers


def sklearn_answers(x, y):
    n, p = x.shape
    answers = []

    def add(method, settings, **values):
        answers.append({"method": method, "settings": settings, **values})

    for intercept in [False, True]:
        for alpha in [0.0, 0.05, 3.0]:
            model = (
                PlainLinearRegression(fit_intercept=intercept)
                if alpha == 0
                else Ridge(alpha=alpha, fit_intercept=intercept)
            )
            model.fit(x, y)
            add(
                "ridge",
                {"alpha": alpha, "intercept": intercept},
                coefficients=listed(model.coef_),
                constant=float(np.sum(model.intercept_)),
            )
        xc = x - x.mean(axis=0) if intercept else x
        yc = y - y.mean() if intercept else y
        top = np.abs(xc.T @ yc).max() / n
        for share, tol in [(0.5, 1e-4), (0.1, 1e-4), (0.01, 1e-4), (0.1, 1e-10)]:
            alpha = rounded(share * top, 6).item()
            model = Lasso(
                alpha=alpha,
                tol=tol,
                fit_intercept=intercept,
                max_iter=1000 if tol > 1e-6 else 50000,
            ).fit(x, y)
            add(
                "lasso",
                {"alpha": alpha, "tol": tol, "max_iter": model.max_iter, "intercept": intercept},
                coefficients=listed(model.coef_),
                constant=float(model.intercept_),
                rounds=int(model.n_iter_),
            )
        alphas, coefs, _ = lasso_path(xc, yc, alphas=12)
        add(
            "lasso-path",
            {"points": 12, "intercept": intercept},
            alphas=listed(alphas),
            coefficients=listed(coefs.T),
        )
        model = LassoCV(fit_intercept=intercept, cv=5).fit(x, y)
        add(
            "lasso-cv",
            {"intercept": intercept},
            alpha=float(model.alpha_),
            errors=listed(model.mse_path_.mean(axis=1)[::9]),
            coefficients=listed(model.coef_),
            constant=float(model.intercept_),
        )
        model = Lars(fit_intercept=intercept).fit(x, y)
        add(
            "lars",
            {"intercept": intercept},
            alphas=listed(model.alphas_),
            active=[int(a) for a in model.active_],
            path=listed(np.asarray(model.coef_path_).T),
            constant=float(model.intercept_),
        )
        alphas, active, coefs = lars_path(xc, yc, method="lasso")
        add("lars-lasso", {"intercept": intercept}, alphas=listed(alphas), path=listed(coefs.T))
        model = LarsCV(fit_intercept=intercept, cv=5).fit(x, y)
        add(
            "lars-cv",
            {"intercept": intercept},
            alpha=float(model.alpha_),
            coefficients=listed(model.coef_),
            constant=float(model.intercept_),
        )
    grid = listed(np.geomspace(1e-4, 1e3, 15))
    search = GridSearchCV(
        Ridge(fit_intercept=True), {"alpha": grid}, cv=KFold(5), scoring="neg_mean_squared_error"
    ).fit(x, y)
    add(
        "ridge-cv",
        {"intercept": True},
        values=grid,
        errors=listed(-search.cv_results_["mean_test_score"]),
        alpha=float(search.best_params_["alpha"]),
    )
    return answers


def write(folder, name, content):
    versions = {m.__name__: m.__version__ for m in (np, sklearn)} | {"pysindy": pysindy.__version__}
    lines = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in content.items())
    (folder / name).write_text(f'{{\n  "versions": {json.dumps(versions)},\n{lines}\n}}\n')


def main():
    folder = Path(sys.argv[1])
    made = problems()
    assert len(made) >= 30
    write(
        folder,
        "problems.json",
        {k: {"terms": listed(x.T), "targets": listed(y.T)} for k, (x, y) in made.items()},
    )
    packages = {
        "pysindy": pysindy_answers,
        "sklearn": lambda x, y: sklearn_answers(x, y[:, 0]),
        "gurobi": gurobi_answers,
    }
    for name in sys.argv[2:] or packages:
        write(
            folder,
            f"{name}.json",
            {k: shortened(packages[name](x, y)) for k, (x, y) in made.items()},
        )


main()
