"""The Python twins of some commands: prints one JSON object, with an answer for each call.

Run by answers.py with the Python of each version: `python twins.py DATA [WORD]`.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import eqlearn

Call = Callable[[], Any]


def main() -> None:
    """Make every call, and print what came of it."""
    folder = Path(sys.argv[1])
    word = sys.argv[2] if len(sys.argv) > 2 else ""
    calls = {name: call for name, call in _calls(folder).items() if word in name}
    json.dump({name: _answer(call) for name, call in calls.items()}, sys.stdout)


def _answer(call: Call) -> Any:
    """The result, or what was raised, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = call()
        except Exception as error:
            result = {"raised": type(error).__name__, "message": str(error)}
    told = [f"{one.category.__name__}: {one.message}" for one in said]
    return {"result": result, "warnings": told}


def _calls(folder: Path) -> dict[str, Call]:
    return {
        **_fits(folder),
        **_discoveries(folder),
        **_reductions(folder),
        **_estimators(folder),
        **_wrong(folder),
    }


def _read(path: Path) -> dict[str, np.ndarray]:
    names, *rows = (line.split(",") for line in path.read_text().splitlines())
    columns = np.array(rows, dtype=float).T
    return dict(zip(names, columns, strict=True))


def _study(study: Any) -> Any:
    return {
        "document": study.document,
        "terms": study.terms,
        "coefficients": study.coefficients,
        "equation": study.equation,
        "notes": study.notes,
    }


def _fits(folder: Path) -> dict[str, Call]:
    table = _read(folder / "table.csv")
    asked: dict[str, dict[str, Any]] = {
        "best": {},
        "best-subset": {"method": "best-subset", "max_terms": 3, "keep": 5, "exclude": "a"},
        "cs-r2": {"method": "cs-r2", "max_terms": 4},
        "cs-evidence": {"method": "cs-evidence", "prune": False, "max_terms": 4},
        "bsr": {"method": "bsr", "require": ["c"]},
        "ols": {"method": "ols", "max_degree": 2},
        "ridge": {"method": "ridge", "cv": 0},
        "lasso": {"method": "lasso"},
        "lars": {"method": "lars", "alpha": 0.01},
        "stlsq": {"method": "stlsq", "threshold": 0.3, "alpha": 0.1, "normalize": True},
        "sr3": {"method": "sr3", "lambda_": 0.1, "nu": 0.5, "regulariser": "l1"},
        "frols": {"method": "frols", "sparsity": 4, "cv": 4},
        "ssr": {"method": "ssr", "variant": "pysindy"},
        "miosr": {"method": "miosr", "sparsity": 3, "refit": True},
        "ensemble": {"method": "ensemble", "models": 10, "seed": 3},
        "rule": {"method": "stlsq", "rule": "one-se", "points": 6, "refinements": 1},
        "criterion": {"criterion": "hyper-g", "size_prior": "uniform-sizes"},
        "own terms": {"terms": ["sin(a)", "exp(-b/2)"], "constant": "forced"},
        "only terms": {"terms": "a^2*b, c, abs(a)", "only_terms": True},
        "one thread": {"threads": 1},
    }

    def fit(data: Any, keywords: dict[str, Any]) -> Call:
        shared = {"features": ["a", "b", "c"], "max_degree": 3}
        return lambda: _study(eqlearn.fit(data, "y", **{**shared, **keywords}))

    calls = {f"fit {name}": fit(table, keywords) for name, keywords in asked.items()}
    calls["fit weights"] = fit(table, {"features": None, "weights": "w"})
    for name in ("table.csv", "table.parquet", "table.arrow", "table.jsonl.gz", "table.npz"):
        calls[f"fit {name}"] = fit(str(folder / name), {})
    calls["fit holes"] = fit(folder / "holes.csv", {"missing": "drop"})
    calls["model"] = lambda: _model(table)
    try:
        import pandas as pd
        import pyarrow as pa
    except ImportError:
        return calls
    calls["fit pandas"] = fit(pd.DataFrame(table), {})
    calls["fit pyarrow"] = fit(pa.table(table), {})
    return calls


def _model(table: dict[str, np.ndarray]) -> Any:
    study = eqlearn.fit(table, "y", features=["a", "b", "c"], max_degree=3)
    rows = np.stack([table[name] for name in "abc"], axis=1)[:20]
    with tempfile.TemporaryDirectory() as scratch:
        study.save(f"{scratch}/m.json")
        loaded = eqlearn.load(f"{scratch}/m.json")
        saved = json.loads(Path(f"{scratch}/m.json").read_text())
    return {
        "predicted": study.model.predict(rows).tolist(),
        "again": loaded.predict(rows).tolist(),
        "saved": saved,
        "text": str(study.model),
        "latex": study.latex,
    }


def _discoveries(folder: Path) -> dict[str, Call]:
    asked: dict[str, tuple[str, dict[str, Any]]] = {
        "turn": ("turn.csv", {"time": "t"}),
        "turns": ("turns.csv", {"time": "t", "trajectory": "run"}),
        "no time": ("turn-no-time.csv", {"dt": 0.02}),
        "central": ("turn-noisy.csv", {"time": "t", "derivative": "central4"}),
        "half width": ("turn-noisy.csv", {"time": "t", "half_width": 0.4}),
        "refine": ("turn-noisy.csv", {"time": "t", "refine": True, "derivative": "forward"}),
        "stlsq": ("turn-noisy.csv", {"time": "t", "method": "stlsq", "threshold": 0.05}),
        "order 2": ("pendulum.csv", {"time": "t", "order": 2, "terms": "sin(x)"}),
        "map": ("henon.csv", {"discrete": True}),
        "inputs": ("forced.csv", {"time": "t", "states": ["x"], "inputs": ["u"]}),
        "time as feature": ("driven.csv", {"time": "t", "time_as_feature": True}),
        "lorenz": ("lorenz-short.csv", {"time": "t"}),
    }

    def discover(data: Any, keywords: dict[str, Any]) -> Call:
        def call() -> Any:
            found = eqlearn.discover(data, **{"max_degree": 2, **keywords})
            system = found.system
            return {
                "document": found.document,
                "equations": found.equations,
                "latex": found.latex,
                "notes": found.notes,
                "studies": {name: _study(study) for name, study in found.studies.items()},
                "system": None if system is None else json.loads(system.to_json()),
            }

        return call

    calls: dict[str, Call] = {}
    for name, (file, keywords) in asked.items():
        calls[f"discover {name}"] = discover(str(folder / file), keywords)
    turn = _read(folder / "turn.csv")
    array = np.stack([turn["x"], turn["y"]], axis=1)
    calls["discover array"] = discover(array, {"time": turn["t"], "states": ["x", "y"]})
    both = [array[:200], array[200:]]
    calls["discover arrays"] = discover(both, {"dt": 0.02})

    def simulate() -> Any:
        system = eqlearn.discover(str(folder / "turn.csv"), time="t", max_degree=2).system
        run = system.simulate({"x": 1.0, "y": 0.5}, np.arange(21) * 0.25)
        return {"t": run.t.tolist(), "x": run.x.tolist(), "reached": run.reached}

    return {**calls, "simulate": simulate}


def _reductions(folder: Path) -> dict[str, Call]:
    def reduced(data: Any, **keywords: Any) -> Any:
        triangle = eqlearn.reduce(data, "y", features=["a", "b", "c"], max_degree=3, **keywords)
        study = eqlearn.fit(triangle)
        return {"text": repr(triangle), "notes": triangle.notes, **_study(study)}

    parts = [str(folder / "parts" / f"part-{part}.csv") for part in range(3)]
    table = _read(folder / "table.csv")
    return {
        "reduce file": lambda: reduced(str(folder / "table.parquet")),
        "reduce folder": lambda: reduced(str(folder / "parts")),
        "reduce list": lambda: reduced(parts),
        "reduce table": lambda: reduced(table, weights="w", constant="none"),
    }


def _estimators(folder: Path) -> dict[str, Call]:
    table = _read(folder / "table.csv")
    x = np.stack([table[name] for name in "abc"], axis=1)
    two = np.stack([table["y"], table["y"] ** 2], axis=1)
    made: dict[str, Call] = {
        "ComprehensiveSearch": lambda: eqlearn.ComprehensiveSearch(max_degree=3),
        "ComprehensiveSearch cs-r2": lambda: eqlearn.ComprehensiveSearch("cs-r2", max_degree=3),
        "ComprehensiveSearch bic": lambda: eqlearn.ComprehensiveSearch(
            criterion="bic", max_degree=2, constant="forced", terms="sin(x0)", exclude="x1"
        ),
        "BestSubset": lambda: eqlearn.BestSubset(3, max_degree=3),
        "BayesianStepwise": lambda: eqlearn.BayesianStepwise(max_degree=3),
        "STLSQ": lambda: eqlearn.STLSQ(threshold=0.2, max_degree=3),
        "STLSQ folds": lambda: eqlearn.STLSQ(folds=4, max_degree=2, normalize_columns=True),
        "SR3": lambda: eqlearn.SR3(max_degree=3),
        "FROLS": lambda: eqlearn.FROLS(max_degree=3),
        "MIOSR": lambda: eqlearn.MIOSR(max_degree=2),
    }

    def learn(make: Call, y: np.ndarray, weights: np.ndarray | None = None) -> Call:
        def call() -> Any:
            model = make().fit(x, y, sample_weight=weights)
            studies = model.study_ if isinstance(model.study_, list) else [model.study_]
            return {
                "coef": model.coef_.tolist(),
                "intercept": np.asarray(model.intercept_).tolist(),
                "terms": model.terms_.tolist(),
                "equations": model.equations_,
                "rounds": int(model.n_iter_),
                "complexity": model.complexity,
                "predicted": model.predict(x[:20]).tolist(),
                "score": model.score(x, y),
                "documents": [study.document for study in studies],
                "parameters": {key: repr(value) for key, value in model.get_params().items()},
            }

        return call

    calls = {f"estimator {name}": learn(make, table["y"]) for name, make in made.items()}
    calls["estimator two targets"] = learn(made["ComprehensiveSearch"], two)
    calls["estimator weights"] = learn(made["STLSQ"], table["y"], table["w"])
    counts = np.arange(300.0) % 3
    calls["estimator repeated rows"] = learn(made["BestSubset"], table["y"], counts)
    return calls


def _wrong(folder: Path) -> dict[str, Call]:
    path = str(folder / "table.csv")
    wrong: dict[str, dict[str, Any]] = {
        "no method": {"method": "magic"},
        "a knob of another": {"method": "best", "alpha": 0.1},
        "an unknown knob": {"method": "lasso", "beta": 1},
        "cv and alpha": {"method": "lasso", "alpha": 0.1, "cv": 5},
        "ols exclude": {"method": "ols", "exclude": "a", "max_degree": 2},
        "no column": {"target": "z"},
        "no term": {"require": "q"},
        "no criterion": {"criterion": "magic"},
        "both threads": {"threads": 1, "n_jobs": 1},
    }

    def fit(keywords: dict[str, Any]) -> Call:
        return lambda: _study(eqlearn.fit(path, **{"target": "y", **keywords}))

    calls = {f"wrong {name}": fit(keywords) for name, keywords in wrong.items()}
    turn = str(folder / "turn.csv")
    for name, keywords in {
        "discover cv": {"method": "stlsq", "cv": 5},
        "discover rows": {"derivative": "magic"},
        "discover order 2 refined": {"order": 2, "refine": True},
        "discover time": {"time": "s"},
    }.items():
        asked = {"time": "t", "max_degree": 2, **keywords}
        calls[f"wrong {name}"] = lambda asked=asked: eqlearn.discover(turn, **asked).document
    return calls


if __name__ == "__main__":
    main()
