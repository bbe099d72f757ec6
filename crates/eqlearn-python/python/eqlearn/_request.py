"""From keywords to what the native library is asked: the rules of the command line, in its words."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

MAX_POWER = 4
MAX_DEGREE = 6
FOLDS = 5
BLOCKS_PER_FOLD = 8

# For each method with settings: the knob that cross-validation chooses if nobody does, and how keywords are called in the library.
_KNOBS: dict[str, tuple[str, dict[str, str]]] = {
    "ridge": ("alpha", {"alpha": "alpha"}),
    "lasso": ("alpha", {"alpha": "alpha", "tol": "tol", "max_iter": "max_iter"}),
    "lars": ("alpha", {"alpha": "alpha", "max_iter": "max_steps"}),
    "stlsq": (
        "threshold",
        {
            "threshold": "threshold",
            "alpha": "alpha",
            "max_iter": "max_iter",
            "normalize": "normalize_columns",
            "unbias": "unbias",
        },
    ),
    "sr3": (
        "lambda_",
        {
            "lambda_": "lambda",
            "nu": "nu",
            "regulariser": "regulariser",
            "tol": "tol",
            "max_iter": "max_iter",
            "normalize": "normalize_columns",
            "unbias": "unbias",
        },
    ),
    "frols": (
        "sparsity",
        {
            "sparsity": "max_terms",
            "alpha": "alpha",
            "variant": "variant",
            "normalize": "normalize_columns",
            "kappa": "kappa",
            "tolerance": "tolerance",
            "unbias": "unbias",
        },
    ),
    "ssr": (
        "",
        {"alpha": "alpha", "max_iter": "max_iter", "variant": "variant", "normalize": "normalize_columns"},
    ),
    "miosr": (
        "sparsity",
        {
            "sparsity": "target_sparsity",
            "group_sparsity": "group_sparsity",
            "alpha": "alpha",
            "normalize": "normalize_columns",
            "unbias": "unbias",
        },
    ),
}
_ENSEMBLE = {"models": "n_models", "drop_terms": "terms_to_drop", "seed": "seed"}
_TUNER = ("rule", "points", "refinements")
# Where the command line and the library have different words.
_WORDS = {
    "rule": {"min": "minimum", "one-se": "one-standard-error"},
    "variant": {"textbook": "textbook", "pysindy": "py-sindy"},
}
_PLAIN = ("best", "best-subset", "cs-r2", "cs-evidence", "bsr", "ols")
METHODS = (*_PLAIN, *_KNOBS, "ensemble")


def encode(request: Mapping[str, Any]) -> str:
    """The request as JSON; numbers of NumPy are numbers."""
    return json.dumps(request, default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} is not a setting")


def threads_of(n_jobs: int | None) -> int:
    """How many threads; 0 is one per core.

    A worker of joblib, Dask or Ray is told its share by OMP_NUM_THREADS, as all numerical libraries are.
    """
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return int(share) if share.isdigit() else 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning; give a number of threads, or None for all cores")
    return max(int(n_jobs), 0)


def either(threads: int | None, n_jobs: int | None) -> int | None:
    """The number of threads under either of its names."""
    if threads is not None and n_jobs is not None:
        raise ValueError("threads and n_jobs say the same; give one of the two")
    return n_jobs if threads is None else threads


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least this."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from {least} up")
    return int(value)


def finite(name: str, value: Any) -> float:
    """A finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; it must be a number") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} is {value!r}; it must be a finite number")
    return number


def texts(name: str, value: str | Iterable[str] | None) -> list[str]:
    """Terms: one text with commas between them, or several texts."""
    if value is None:
        return []
    if isinstance(value, str):
        return _split(value)
    terms = list(value)
    if not all(isinstance(term, str) for term in terms):
        raise ValueError(f"{name} must be text such as 'sin(x)', or a list of such texts")
    return terms


def _split(text: str) -> list[str]:
    """Cut at commas that are outside of parentheses and backquotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for place, letter in enumerate(text):
        if letter == "`":
            quoted = not quoted
        elif not quoted:
            depth += (letter == "(") - (letter == ")")
            if letter == "," and depth == 0:
                parts.append(text[start:place])
                start = place + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def dictionary(
    *,
    max_power: int | None,
    max_degree: int | None,
    terms: str | Iterable[str] | None,
    only_terms: bool,
    constant: str | None,
) -> dict[str, Any]:
    """The terms to choose from."""
    if constant not in (None, "free", "forced", "none"):
        raise ValueError(f"constant is {constant!r}; it must be 'free', 'forced', 'none' or None")
    listed = texts("terms", terms)
    if only_terms and not listed:
        raise ValueError("only_terms=True leaves no term: give some with terms=")
    return {
        "max_power": whole("max_power", MAX_POWER if max_power is None else max_power),
        "max_degree": whole("max_degree", MAX_DEGREE if max_degree is None else max_degree, 0),
        "terms": listed,
        "only_terms": bool(only_terms),
        "constant": constant,
    }


def search(
    *,
    max_terms: int = 8,
    keep: int = 25,
    require: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    criterion: str = "residual",
    size_prior: str = "uniform-models",
    prune: bool = True,
    refit: bool = False,
    threads: int | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """The part of a request that all methods share."""
    if time_limit is not None and finite("time_limit", time_limit) < 0:
        raise ValueError(f"time_limit is {time_limit!r}; it must be a number of seconds from 0 up")
    return {
        "max_terms": whole("max_terms", max_terms),
        "keep": whole("keep", keep),
        "require": texts("require", require),
        "exclude": texts("exclude", exclude),
        "criterion": criterion,
        "size_prior": size_prior,
        "prune": bool(prune),
        "refit": bool(refit),
        "threads": threads_of(threads),
        "time_limit": time_limit,
        "checkpoint": checkpoint,
    }


def method(name: str, knobs: Mapping[str, Any]) -> dict[str, Any]:
    """The method with its settings and how rows are cut, as the command line decides it."""
    if name not in METHODS:
        raise ValueError(f"there is no method {name!r}; there are {', '.join(METHODS)}")
    given = {key: _word(key, value) for key, value in knobs.items() if value is not None}
    known = _known(name)
    strange = [key for key in given if key not in known]
    if strange:
        able = [other for other in METHODS if strange[0] in _known(other)]
        hint = f"; it is for {', '.join(able)}" if able else ""
        raise ValueError(f"{strange[0]} means nothing to {name}{hint}")
    if name in _PLAIN:
        return {"method": name, "cut": None}
    if name == "ensemble":
        return {"method": {"ensemble": _ensemble(given)}, "cut": cut(FOLDS, BLOCKS_PER_FOLD)}
    knob, fields = _KNOBS[name]
    folds = given.pop("cv", None)
    settings = {fields[key]: value for key, value in given.items() if key in fields}
    if name != "lars" and any(key in given for key in _TUNER):
        settings["tuner"] = {key: given[key] for key in _TUNER if key in given}
    elif name == "lars" and "rule" in given:
        settings["rule"] = given["rule"]
    limit_only = name in ("frols", "miosr")
    fixed = knob in given and not (limit_only and folds is not None)
    if fixed and folds:
        raise ValueError(f"{knob} fixes what cv would choose; give one of the two")
    folds = FOLDS if folds is None else whole("cv", folds, 0)
    if folds == 1:
        raise ValueError("one fold leaves nothing to learn from; give 2 or more, or 0 for none")
    return {"method": {name: settings}, "cut": cut(folds) if folds and not fixed else None}


def _word(key: str, value: Any) -> Any:
    words = _WORDS.get(key)
    if words is None:
        return value
    if value not in words:
        raise ValueError(f"{key} is {value!r}; it must be {' or '.join(map(repr, words))}")
    return words[value]


def _known(name: str) -> set[str]:
    if name in _PLAIN:
        return set()
    common = {"cv", *_TUNER, "refit"}
    if name == "ensemble":
        return {"base", *_ENSEMBLE, "threshold", "alpha", "lambda_", *common}
    return {*_KNOBS[name][1], *common}


def _ensemble(given: Mapping[str, Any]) -> dict[str, Any]:
    base = given.get("base", "stlsq")
    if base not in ("stlsq", "sr3", "lasso"):
        raise ValueError(f"base is {base!r}; it must be 'stlsq', 'sr3' or 'lasso'")
    fields = _KNOBS[base][1]
    own = {
        fields[key]: given[key] for key in ("threshold", "alpha", "lambda_") if key in given and key in fields
    }
    settings: dict[str, Any] = {field: given[key] for key, field in _ENSEMBLE.items() if key in given}
    return {"base": {base: own}, **settings}


def cut(folds: int, blocks_per_fold: int = 1) -> dict[str, int]:
    """How rows are cut into parts."""
    return {"folds": folds, "blocks_per_fold": blocks_per_fold}
