"""Rows that become triangles where they are: the same bytes from every engine."""

import os
import pickle
import sys

import dask.dataframe as dd
import distributed
import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import eqlearn

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")

PARTS = 6


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=(2, 3000))
    return pd.DataFrame({"x": x, "z": z, "y": 2 * x**2 - 3 * z + 0.01 * rng.normal(size=3000)})


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """The table as a directory of Parquet parts."""
    folder = tmp_path_factory.mktemp("parts")
    for part in range(PARTS):
        pa.parquet.write_table(
            pa.table(table[500 * part : 500 * (part + 1)]), folder / f"part-{part}.parquet"
        )
    (folder / "_SUCCESS").touch()
    return folder


@pytest.fixture(scope="module")
def expected(folder):
    """What every engine must give, to the byte."""
    return reduced(folder)


def reduced(data, **more):
    return eqlearn.reduce(data, "y", max_degree=3, progress=False, **more)


def numbers(triangle):
    return eqlearn.fit(triangle, method="ols", progress=False).model.coefficients


def test_a_folder_of_parts_gives_the_equation_of_all_rows(table, expected):
    assert repr(expected) == "<Triangle of 3000 rows: y by 10 terms of x, z>"
    assert (expected.n_rows, expected.target, expected.features, expected.weights) == (
        3000,
        "y",
        ["x", "z"],
        None,
    )
    assert expected.terms[:4] == ["1", "x", "z", "x^2"]
    study = eqlearn.fit(expected)
    assert study.terms == ["z", "x^2"]
    whole = eqlearn.fit(table, "y", max_degree=3)
    for term, coefficient in whole.coefficients.items():
        assert abs(study.coefficients[term] / coefficient - 1) < 1e-13
    np.testing.assert_allclose(numbers(expected), numbers(reduced(table)), rtol=1e-9, atol=1e-13)


def test_that_nobody_saw_the_residuals_is_said(expected):
    with pytest.warns(eqlearn.EquationWarning, match="the residuals were not checked"):
        eqlearn.fit(expected)


def test_all_kinds_of_tables_are_reduced_alike(table):
    texts = {
        reduced(data).to_json()
        for data in (table, pl.DataFrame(table), pa.table(table), dict(table))
    }
    assert len(texts) == 1


def test_threads_do_not_change_a_byte(table):
    assert reduced(table, threads=1).to_json() == reduced(table, threads=2).to_json()


def test_files_and_fragments_are_partitions(folder, expected):
    paths = sorted(folder.glob("*.parquet"))
    dataset = pyarrow.dataset.dataset(folder, format="parquet")
    for data in (paths, [str(path) for path in paths], dataset):
        assert reduced(data).to_json() == expected.to_json()


def test_a_stream_is_read_once(table):
    stream = pa.table(table).to_reader(max_chunksize=700)
    assert reduced(stream).to_json() == reduced(table).to_json()


def test_triangles_add_up_in_the_order_of_the_parts(table, folder, expected):
    parts = [reduced(path) for path in sorted(folder.glob("*.parquet"))]
    assert parts[0].merge(*parts[1:]).to_json() == expected.to_json()
    assert sum(parts[1:], parts[0]).to_json() == expected.to_json()
    assert numbers(parts) == numbers(expected)


def test_triangles_survive_files_and_pickling(expected, tmp_path):
    path = tmp_path / "all.tri"
    expected.save(path)
    assert os.listdir(tmp_path) == ["all.tri"]
    assert path.read_text() == expected.to_json()
    for read in (eqlearn.Triangle.load(path), pickle.loads(pickle.dumps(expected))):
        assert read.to_json() == expected.to_json()
    assert numbers(path) == numbers(str(path)) == numbers([path]) == numbers(expected)


@pytest.fixture
def elsewhere(monkeypatch):
    """Nothing is reduced in this process."""

    def refuse(*_):
        raise AssertionError("rows were read in the process that asked for the triangle")

    monkeypatch.setattr("eqlearn._reduce.reduce_table", refuse)


def test_joblib_decides_where_partitions_are_reduced(folder, expected, elsewhere):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert reduced(folder).to_json() == expected.to_json()
        dataset = pyarrow.dataset.dataset(folder, format="parquet")
        assert reduced(dataset).to_json() == expected.to_json()


def test_nothing_is_needed_of_joblib_without_it(folder, expected, monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    monkeypatch.delitem(sys.modules, "joblib")
    monkeypatch.setattr("builtins.__import__", _without("joblib", __import__))
    assert reduced(folder).to_json() == expected.to_json()


def _without(name, real):
    def hidden(module, *args, **kwargs):
        if module.split(".")[0] == name:
            raise ImportError(module)
        return real(module, *args, **kwargs)

    return hidden


def test_threads_of_joblib_give_the_same_bytes(folder, expected):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert reduced(folder).to_json() == expected.to_json()


def test_a_dask_frame_without_a_cluster(table, expected):
    assert (
        reduced(dd.from_pandas(table, npartitions=PARTS, sort=False)).to_json()
        == expected.to_json()
    )


def test_a_dask_cluster_returns_triangles_of_its_own_partitions(folder, expected, elsewhere):
    cluster = distributed.LocalCluster(
        n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    )
    with cluster, distributed.Client(cluster):
        frame = dd.read_parquet(folder)
        assert frame.npartitions == PARTS
        assert reduced(frame).to_json() == expected.to_json()
        with joblib.parallel_config(backend="dask"):
            assert reduced(folder).to_json() == expected.to_json()


def test_partitions_without_rows_are_nothing(table, folder, expected):
    frame = dd.from_pandas(table, npartitions=PARTS, sort=False)
    none = frame[frame.x > 1e9]
    assert reduced(none).n_rows == 0
    with pytest.raises(ValueError, match="no rows"):
        eqlearn.fit(reduced(none))
    assert reduced(dd.concat([none, frame])).to_json() == expected.to_json()


def test_missing_values_and_other_columns_are_noted(table, tmp_path):
    odd = table.assign(who="ann")
    odd.loc[4, "x"] = None
    with pytest.raises(ValueError, match="row 5"):
        reduced(odd)
    triangle = reduced(odd, missing="drop")
    assert triangle.n_rows == 2999
    assert triangle.notes == [
        'left out, not numbers: "who" (text)',
        "1 row with missing values was left out",
    ]
    assert eqlearn.fit(triangle).notes == triangle.notes


def test_what_a_triangle_has_settled_cannot_be_asked_for(expected):
    for late in (
        {"max_degree": 6},
        {"features": ["x"]},
        {"terms": "sin(x)"},
        {"weights": "z"},
        {"only_terms": True},
    ):
        name = next(iter(late))
        if name == "only_terms":
            late["terms"] = "sin(x)"
        with pytest.raises(ValueError, match="comes too late"):
            eqlearn.fit(expected, **late)
    with pytest.raises(ValueError, match='explain "y", not "z"'):
        eqlearn.fit(expected, "z")
    with pytest.raises(ValueError, match="has a constant"):
        eqlearn.fit(expected, constant="none")
    assert eqlearn.fit(expected, "y", constant="forced").terms == ["1", "z", "x^2"]


def test_cross_validation_leaves_out_whole_parts(folder, expected):
    parts = [reduced(path) for path in sorted(folder.glob("*.parquet"))]
    assert {"z", "x^2"} < set(eqlearn.fit(parts, method="lasso").terms)
    with pytest.raises(ValueError, match="into 5 parts, but they come as 1 triangle"):
        eqlearn.fit(expected, method="lasso")
    eqlearn.fit(expected, method="lasso", alpha=0.01)


def test_what_does_not_belong_together_is_refused_by_name(table, folder, expected, tmp_path):
    other = eqlearn.reduce(table, "y", max_degree=2, progress=False)
    with pytest.raises(ValueError, match="cannot be put together"):
        expected + other
    with pytest.raises(TypeError):
        expected + 1
    first, second = tmp_path / "a.tri", tmp_path / "b.tri"
    expected.save(first)
    expected.save(second)
    with pytest.raises(ValueError, match="same rows"):
        eqlearn.fit([first, second])
    with pytest.raises(ValueError, match="given twice"):
        eqlearn.fit([first, first])
    second.write_text(expected.to_json()[:500])
    with pytest.raises(ValueError, match=r"b\.tri is not a usable triangle: it ends too early"):
        eqlearn.fit([first, second])
    with pytest.raises(ValueError, match="some are tables"):
        eqlearn.fit([first, folder / "part-0.parquet"])
    with pytest.raises(OSError, match="nowhere"):
        eqlearn.fit(tmp_path / "nowhere.tri")


def test_a_part_that_lacks_a_column_is_named(table, folder, tmp_path):
    odd = tmp_path / "odd.parquet"
    table.drop(columns="z").to_parquet(odd)
    with pytest.raises(ValueError, match=r'odd\.parquet: column "z" is not in the table'):
        reduced([folder / "part-0.parquet", odd])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no tables in it"):
        reduced(tmp_path / "empty")
    with pytest.raises(ValueError, match="which column is to be explained"):
        eqlearn.fit(table)


def test_progress_counts_the_rows_of_all_parts(folder):
    told = []
    eqlearn.reduce(folder, "y", progress=lambda *state: told.append(state))
    assert all(stage == "rows" and done <= 3000 for stage, done, total in told)
