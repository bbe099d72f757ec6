"""The same answer as the command line, to the bit, for the same data and settings."""

import json
import os
import shutil
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import eqlearn

COMMAND = os.environ.get("EQLEARN_COMMAND") or shutil.which("eqlearn")

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")


@pytest.fixture(scope="session", autouse=True)
def command():
    assert COMMAND, "set EQLEARN_COMMAND to the eqlearn command"


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def comparable(document):
    """The document without what may differ from run to run: times, and how threads helped."""
    search = document.get("search")
    if search:
        search["seconds"] = None
        for size in search["sizes"]:
            size["certificate"] = None
    return document


@pytest.fixture(scope="session")
def measurements(tmp_path_factory):
    """A file and its table: enough rows for more than one batch."""
    rng = np.random.default_rng(7)
    n = 20_000
    table = pd.DataFrame({name: rng.normal(size=n) for name in ("a", "b", "c")})
    table["w"] = rng.uniform(0.5, 2, size=n)
    table["y"] = 2 * table.a**2 * table.b - 3 * table.c + 0.1 * rng.normal(size=n)
    path = tmp_path_factory.mktemp("data") / "measurements.parquet"
    table.to_parquet(path)
    return path, table


SETTINGS = {
    "best": ({}, []),
    "weights": ({"weights": "w"}, ["--weights", "w"]),
    "best-subset": (
        {"method": "best-subset", "max_terms": 3, "keep": 5, "exclude": ["a"], "require": ["c"]},
        [
            "--method",
            "best-subset",
            "--max-terms",
            "3",
            "--keep",
            "5",
            "--exclude",
            "a",
            "--require",
            "c",
        ],
    ),
    "criterion": (
        {"criterion": "hyper-g", "size_prior": "uniform-sizes", "constant": "forced"},
        ["--criterion", "hyper-g", "--size-prior", "uniform-sizes", "--constant", "forced"],
    ),
    "own terms": (
        {"terms": "sin(a), exp(-b/2)", "max_degree": 2},
        ["--terms", "sin(a), exp(-b/2)", "--max-degree", 2],
    ),
    "only terms": (
        {"terms": ["a^2*b", "c", "abs(a)"], "only_terms": True, "constant": "free"},
        ["--terms", "a^2*b,c,abs(a)", "--only-terms", "--constant", "free"],
    ),
    "powers": (
        {"powers": "-1..3/2", "max_degree": 2},
        ["--powers", "-1..3/2", "--max-degree", "2"],
    ),
    "units": (
        {"units": ["a=m, b=m, c=m^3, w=1", "y=m^3"]},
        ["--units", "a=m, b=m, c=m^3, w=1", "--units", "y=m^3"],
    ),
    "noise by a column": (
        {"noise": "w", "max_degree": 2},
        ["--noise", "w", "--max-degree", "2"],
    ),
    "cs-r2": ({"method": "cs-r2", "max_terms": 4}, ["--method", "cs-r2", "--max-terms", "4"]),
    "cs-evidence": (
        {"method": "cs-evidence", "max_terms": 4, "prune": False},
        ["--method", "cs-evidence", "--max-terms", "4", "--prune", "off"],
    ),
    "bsr": ({"method": "bsr"}, ["--method", "bsr"]),
    "ols": ({"method": "ols", "max_degree": 2}, ["--method", "ols", "--max-degree", "2"]),
    "lasso": ({"method": "lasso", "max_degree": 3}, ["--method", "lasso", "--max-degree", "3"]),
    "lars": ({"method": "lars", "alpha": 0.01}, ["--method", "lars", "--alpha", "0.01"]),
    "ridge": ({"method": "ridge", "cv": 0}, ["--method", "ridge", "--cv", "0"]),
    "stlsq": ({"method": "stlsq"}, ["--method", "stlsq"]),
    "stlsq fixed": (
        {"method": "stlsq", "threshold": 0.3, "alpha": 0.1, "normalize": True, "refit": True},
        ["--method", "stlsq", "--threshold", "0.3", "--alpha", "0.1", "--normalize", "--refit"],
    ),
    "sr3": (
        {"method": "sr3", "lambda_": 0.1, "nu": 0.5, "regulariser": "l1"},
        ["--method", "sr3", "--lambda", "0.1", "--nu", "0.5", "--regulariser", "l1"],
    ),
    "frols": (
        {"method": "frols", "sparsity": 4, "cv": 4},
        ["--method", "frols", "--sparsity", "4", "--cv", "4"],
    ),
    "frols of pysindy": (
        {"method": "frols", "variant": "pysindy", "sparsity": 3},
        ["--method", "frols", "--variant", "pysindy", "--sparsity", "3"],
    ),
    "rule": (
        {"method": "stlsq", "rule": "one-se", "points": 6, "refinements": 1, "max_degree": 3},
        [
            "--method",
            "stlsq",
            "--rule",
            "one-se",
            "--points",
            "6",
            "--refinements",
            "1",
            "--max-degree",
            "3",
        ],
    ),
    "ssr": ({"method": "ssr", "max_degree": 2}, ["--method", "ssr", "--max-degree", "2"]),
    "miosr": ({"method": "miosr", "sparsity": 3}, ["--method", "miosr", "--sparsity", "3"]),
    "ensemble": (
        {"method": "ensemble", "models": 10, "seed": 3, "max_degree": 2},
        ["--method", "ensemble", "--models", "10", "--seed", "3", "--max-degree", "2"],
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_fit_gives_the_document_of_the_command_line(name, measurements):
    path, table = measurements
    keywords, flags = SETTINGS[name]
    if "weights" not in keywords:
        keywords = {"features": ["a", "b", "c"], **keywords}
        flags = ["--features", "a,b,c", *flags]
    expected = comparable(json.loads(run("fit", path, "--target", "y", "--json", "-q", *flags)))
    assert comparable(eqlearn.fit(table, "y", **keywords).document) == expected
    assert comparable(eqlearn.fit(path, "y", threads=1, **keywords).document) == expected


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "batches", "dict"])
def test_every_kind_of_table_gives_the_same_document(kind, measurements):
    path, table = measurements
    data = {
        "polars": lambda: pl.DataFrame(table),
        "pyarrow": lambda: pa.table(table),
        "batches": lambda: pa.RecordBatchReader.from_batches(
            pa.Schema.from_pandas(table), pa.table(table).to_batches(max_chunksize=777)
        ),
        "dict": lambda: {name: table[name].to_numpy() for name in table},
    }[kind]()
    expected = json.loads(run("fit", path, "--target", "y", "--weights", "w", "--json", "-q"))
    found = eqlearn.fit(data, "y", weights="w").document
    assert comparable(found) == comparable(expected)


@pytest.mark.parametrize("order", ["C", "F", "strided", "reversed"])
def test_estimators_give_the_coefficients_of_the_command_line(order, measurements):
    path, table = measurements
    flags = ["--max-degree", "3", "--features", "a,b,c"]
    document = json.loads(run("fit", path, "--target", "y", "--json", "-q", *flags))
    expected = {term["term"]: term["coefficient"] for term in document["equations"][0]["terms"]}
    X = table[["a", "b", "c"]].to_numpy()
    layouts = {
        "C": np.ascontiguousarray(X),
        "F": np.asfortranarray(X),
        "strided": np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
        "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    }
    model = eqlearn.ComprehensiveSearch(max_degree=3).fit(
        pd.DataFrame(layouts[order], columns=["a", "b", "c"]), table["y"].to_numpy()
    )
    assert model.study_.coefficients == expected


def test_models_are_the_files_of_the_command_line(measurements, tmp_path):
    path, table = measurements
    run(
        "fit",
        path,
        "--target",
        "y",
        "--features",
        "a,b,c",
        "--save",
        tmp_path / "theirs.json",
        "-q",
    )
    study = eqlearn.fit(table, "y", features=["a", "b", "c"])
    study.save(tmp_path / "ours.json")
    assert (tmp_path / "ours.json").read_text() == (tmp_path / "theirs.json").read_text()
    few = table.head(50)
    few.to_csv(tmp_path / "few.csv", index=False)
    printed = run("predict", tmp_path / "ours.json", tmp_path / "few.csv").splitlines()
    expected = [float(line.split(",")[-1]) for line in printed[1:]]
    loaded = eqlearn.load(tmp_path / "theirs.json")
    assert loaded.predict(few[["a", "b", "c"]].to_numpy()).tolist() == expected


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Two noisy runs of a swinging pendulum, in one file."""
    rng = np.random.default_rng(4)
    frames = []
    for run_number, angle in enumerate((0.5, 1.5)):
        t = np.linspace(0, 12, 500)
        x = angle * np.cos(t) * np.exp(-0.05 * t)
        v = np.gradient(x, t)
        noise = 1e-4 * rng.normal(size=(2, 500))
        frames.append(
            pd.DataFrame({"t": t, "run": float(run_number), "x": x + noise[0], "v": v + noise[1]})
        )
    table = pd.concat(frames, ignore_index=True)
    path = tmp_path_factory.mktemp("runs") / "runs.csv"
    table.to_csv(path, index=False)
    return path, table


@pytest.mark.parametrize(
    ("keywords", "flags"),
    [
        ({}, []),
        ({"derivative": "central4"}, ["--derivative", "central4"]),
        ({"half_width": 0.8, "terms": "sin(x)"}, ["--half-width", 0.8, "--terms", "sin(x)"]),
        ({"method": "stlsq", "threshold": 0.05}, ["--method", "stlsq", "--threshold", "0.05"]),
        ({"time_as_feature": True, "max_degree": 2}, ["--time-as-feature", "--max-degree", "2"]),
        ({"order": 2, "max_degree": 2}, ["--order", "2", "--max-degree", "2"]),
        ({"refine": True, "max_degree": 2}, ["--refine", "--max-degree", "2"]),
    ],
)
def test_discover_gives_the_document_of_the_command_line(runs, keywords, flags, tmp_path):
    path, table = runs
    shared = ["--time", "t", "--trajectory", "run", "--max-degree", "3", "--json", "-q"]
    saved = tmp_path / "system.json"
    expected = json.loads(run("discover", path, *shared, "--save", saved, *flags))
    for data in (table, str(path)):
        found = eqlearn.discover(
            data, **{"time": "t", "trajectory": "run", "max_degree": 3, **keywords}
        )
        assert comparable(found.document) == comparable(expected)
        assert found.system.to_json() == saved.read_text()


def test_simulate_gives_the_numbers_of_the_command_line(runs, tmp_path):
    _, table = runs
    system = eqlearn.discover(table, time="t", trajectory="run", max_degree=3).system
    system.save(tmp_path / "system.json")
    words = ["--from", "x=1,v=0", "--until", "5", "--step", "0.25"]
    lines = run("simulate", tmp_path / "system.json", *words).splitlines()[1:]
    expected = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    simulation = system.simulate({"x": 1, "v": 0}, np.arange(21) * 0.25)
    np.testing.assert_array_equal(simulation.t, expected[:, 0])
    np.testing.assert_array_equal(simulation.x, expected[:, 1:])
