"""What may be asked, and what is refused: in Python as on the command line."""

import inspect
import json
import os
import shutil
import subprocess

import numpy as np
import pytest

import eqlearn
from eqlearn import _native, _request

COMMAND = os.environ.get("EQLEARN_COMMAND") or shutil.which("eqlearn")
METHODS = dict(json.loads(_native.methods()))

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 80))
    return {"a": a, "b": b, "y": 2 * a - a * b + 0.1 * rng.normal(size=80)}


@pytest.fixture(scope="module")
def run():
    t = np.linspace(0, 10, 300)
    return {"t": t, "x": np.exp(-0.1 * t) * np.cos(t), "v": np.exp(-0.1 * t) * np.sin(t)}


def saved(table, path):
    rows = zip(*table.values(), strict=True)
    path.write_text(
        "\n".join([",".join(table), *(",".join(map(repr, map(float, row))) for row in rows)]) + "\n"
    )
    return path


@pytest.mark.parametrize("name", ["fit", "discover", "reduce"])
def test_every_word_of_a_request_is_a_keyword(name):
    keywords = inspect.signature(getattr(eqlearn, name)).parameters
    missing = set(_native.keywords(name)) - set(keywords)
    assert not missing


@pytest.mark.parametrize(
    ("method", "knob"), [(method, knob) for method in METHODS for knob in METHODS[method]]
)
def test_every_knob_of_every_method_is_a_keyword(method, knob, table, run):
    value = METHODS[method][knob]
    assert eqlearn.fit(table, "y", max_degree=2, method=method, **{knob: value}) is not None
    if knob not in ("rule", "points", "refinements"):
        assert (
            eqlearn.discover(run, time="t", max_degree=2, method=method, **{knob: value})
            is not None
        )


REFUSED_BY_FIT = {
    "exclude with ols": ({"method": "ols", "exclude": "a"}, ["--method", "ols", "--exclude", "a"]),
    "a knob of another method": (
        {"method": "stlsq", "lambda_": 3},
        ["--method", "stlsq", "--lambda", "3"],
    ),
    "a knob of another base": (
        {"method": "ensemble", "base": "lasso", "threshold": 0.1},
        ["--method", "ensemble", "--base", "lasso", "--threshold", "0.1"],
    ),
    "folds of an ensemble": (
        {"method": "ensemble", "cv": 3},
        ["--method", "ensemble", "--cv", "3"],
    ),
    "a grid of lars": ({"method": "lars", "points": 5}, ["--method", "lars", "--points", "5"]),
    "refit": ({"refit": True}, ["--refit"]),
    "a knob and folds": (
        {"method": "lasso", "alpha": 0.1, "cv": 5},
        ["--method", "lasso", "--alpha", "0.1", "--cv", "5"],
    ),
    "one fold": ({"method": "lasso", "cv": 1}, ["--method", "lasso", "--cv", "1"]),
    "only terms": ({"only_terms": True}, ["--only-terms"]),
    "no powers": ({"max_power": 0}, ["--max-power", "0"]),
    "no terms": ({"max_terms": 0}, ["--max-terms", "0"]),
    "nothing kept": ({"keep": 0}, ["--keep", "0"]),
    "a checkpoint of no search": (
        {"method": "lasso", "checkpoint": "c.json"},
        ["--method", "lasso", "--checkpoint", "c.json"],
    ),
    "an order of nothing": ({"order": 2}, ["--order", "2"]),
    "a weighted derivative": (
        {"differentiate": "a", "weights": "b"},
        ["--differentiate", "a", "--weights", "b"],
    ),
    "a high order": ({"differentiate": "a", "order": 9}, ["--differentiate", "a", "--order", "9"]),
    "two limits": (
        {"method": "miosr", "group_sparsity": [1, 2]},
        ["--method", "miosr", "--group-sparsity", "1,2"],
    ),
}

REFUSED_BY_DISCOVER = {
    "folds": ({"method": "lasso", "cv": 5}, ["--method", "lasso", "--cv", "5"]),
    "a rule": ({"method": "lasso", "rule": "min"}, ["--method", "lasso", "--rule", "min"]),
    "two clocks": ({"dt": 0.1}, ["--dt", "0.1"]),
    "no width": ({"half_width": 0.0}, ["--half-width", "0"]),
    "a width without test functions": (
        {"half_width": 1.0, "derivative": "central4"},
        ["--half-width", "1", "--derivative", "central4"],
    ),
    "the derivative of a map": (
        {"discrete": True, "derivative": "spline"},
        ["--discrete", "--derivative", "spline"],
    ),
    "a refined map": ({"discrete": True, "refine": True}, ["--discrete", "--refine"]),
    "accelerations of a map": ({"discrete": True, "order": 2}, ["--discrete", "--order", "2"]),
    "refined accelerations": ({"order": 2, "refine": True}, ["--order", "2", "--refine"]),
    "a third order": ({"order": 3}, ["--order", "3"]),
    "exclude with ols": ({"method": "ols", "exclude": "x"}, ["--method", "ols", "--exclude", "x"]),
}


def words(text):
    """The words of a message, without how flags and keywords are spelled."""
    flat = text.replace("error: ", "").replace("\n  help: ", "; ").strip()
    for mark in ("--", "'", "="):
        flat = flat.replace(mark, " " if mark == "=" else "")
    return flat.replace("-", "_").replace("lambda_ ", "lambda ").split()


def same_refusal(learn, *flags):
    with pytest.raises(ValueError, match=r".") as caught:
        learn()
    ran = subprocess.run([COMMAND, *map(str, flags)], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert words(str(caught.value)) == words(ran.stderr)


@pytest.mark.parametrize("name", REFUSED_BY_FIT)
def test_fit_refuses_what_the_command_refuses_in_the_same_words(name, table, tmp_path):
    keywords, flags = REFUSED_BY_FIT[name]
    path = saved(table, tmp_path / "data.csv")
    same_refusal(lambda: eqlearn.fit(path, "y", **keywords), "fit", path, "--target", "y", *flags)


@pytest.mark.parametrize("name", REFUSED_BY_DISCOVER)
def test_discover_refuses_what_the_command_refuses_in_the_same_words(name, run, tmp_path):
    keywords, flags = REFUSED_BY_DISCOVER[name]
    path = saved(run, tmp_path / "run.csv")
    same_refusal(
        lambda: eqlearn.discover(path, time="t", **keywords),
        "discover",
        path,
        "--time",
        "t",
        *flags,
    )


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"max_terms": "five"}, 'max_terms is "five"; it must be a whole number from 0 up'),
        ({"constant": "frei"}, 'constant is "frei"; it must be free, forced, none'),
        ({"criterion": "bec"}, 'criterion is "bec"; it must be residual, evidence, bic'),
        ({"features": "ab"}, 'features is "ab"; it must be a list'),
        ({"method": "stlsq", "threshold": np.nan}, "threshold is nan; it must be a finite number"),
        (
            {"method": "stlsq", "max_iter": -1},
            "max_iter is -1; it must be a whole number from 0 up",
        ),
        ({"method": "sr3", "regulariser": "l3"}, 'regulariser is "l3"; it must be l0 or l1 or l2'),
        ({"method": "stlsq", "thresold": 1}, "there is no thresold; did you mean threshold?"),
        ({"method": "laso"}, 'there is no method "laso"; did you mean "lasso"?'),
    ],
)
def test_a_value_that_cannot_be_is_named(keywords, message, table):
    with pytest.raises(ValueError, match=r".") as caught:
        eqlearn.fit(table, "y", **keywords)
    assert str(caught.value).startswith(message)


def test_a_derivative_is_learned_as_on_the_command_line(tmp_path):
    x = np.linspace(0, 6, 200)
    path = saved({"x": x, "y": np.sin(x)}, tmp_path / "wave.csv")
    flags = ["--differentiate", "x", "--order", "2", "--max-degree", "2", "--json", "-q"]
    ran = subprocess.run(
        [COMMAND, "fit", str(path), "--target", "y", *flags], capture_output=True, text=True
    )
    expected = json.loads(ran.stdout)["equations"]
    assert (
        eqlearn.fit(path, "y", differentiate="x", order=2, max_degree=2).document["equations"]
        == expected
    )


def test_what_is_none_was_not_said():
    given = {"max_terms": 3, "terms": None, "knobs": {"lambda_": 1, "nu": None}, "data": 5}
    asked = _request.request("fit", given, target=None)
    assert asked == {"max-terms": 3, "knobs": {"lambda": 1}}
