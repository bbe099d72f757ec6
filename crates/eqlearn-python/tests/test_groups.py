"""One law for several experiments: in Python as on the command line."""

import json
import os
import pickle
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import eqlearn

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")

COMMAND = os.environ.get("EQLEARN_COMMAND") or shutil.which("eqlearn")
WEIGHTS = {"a": 1.0, "b": 1.5, "c": 3.0}


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    run = np.repeat(list(WEIGHTS), 30)
    x, z = rng.uniform(-2, 2, size=(2, 90))
    y = np.array([WEIGHTS[r] for r in run]) * x + 2 - x**2 * z + 0.05 * rng.normal(size=90)
    return pd.DataFrame({"run": run, "x": x, "z": z, "y": y})


def test_each_experiment_has_an_equation(table):
    study = eqlearn.fit(table, "y", group="run", shared="1, x^2*z")
    assert study.terms == ["1", "x", "x^2*z"]
    assert "c1[run] x" in study.equation
    assert list(study.experiments) == list(WEIGHTS)
    for name, model in study.experiments.items():
        law = dict(zip(model.terms, model.coefficients, strict=True))
        errors = dict(zip(model.terms, model.std_errors, strict=True))
        assert abs(law["x"] - WEIGHTS[name]) < 4 * errors["x"]
        own = table[table.run == name]
        predicted = model.predict(own[["x", "z"]].to_numpy())
        assert np.abs(predicted - own.y).max() < 0.25
    constants = {model.coefficients[0] for model in study.experiments.values()}
    assert len(constants) == 1
    with pytest.raises(ValueError, match="each experiment has its own equation"):
        _ = study.model
    again = pickle.loads(pickle.dumps(study))
    assert again.document == study.document
    assert again.experiments == study.experiments


def test_a_law_without_experiments_has_none(table):
    study = eqlearn.fit(table.drop(columns="run"), "y", max_degree=3)
    assert study.experiments == {}


def test_words_that_have_no_meaning_with_experiments_are_refused(table):
    with pytest.raises(ValueError, match="robust has no meaning with group"):
        eqlearn.fit(table, "y", group="run", robust=True)
    with pytest.raises(ValueError, match="lasso cannot learn one law"):
        eqlearn.fit(table, "y", group="run", method="lasso")


@pytest.mark.skipif(COMMAND is None, reason="the command is not installed")
def test_the_answer_is_that_of_the_command(table, tmp_path):
    path = tmp_path / "data.csv"
    table.to_csv(path, index=False)
    line = [COMMAND, "fit", path, "--target", "y", "--group", "run", "--json", "-q"]
    said = json.loads(subprocess.run(line, capture_output=True, check=True).stdout)
    study = eqlearn.fit(path, "y", group="run")
    assert study.document["equations"] == said["equations"]
    assert study.document["groups"] == said["groups"]
    study.save(tmp_path / "model.json")
    line = [COMMAND, "predict", tmp_path / "model.json", path, "-q"]
    rows = subprocess.run(line, capture_output=True, check=True, text=True).stdout.split()[1:]
    assert np.abs(np.array(rows, dtype=float) - table.y).max() < 0.25
