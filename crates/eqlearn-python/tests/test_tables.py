"""Tables of other libraries, and what is said about them."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import eqlearn

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")


@pytest.fixture
def table():
    x = np.linspace(-2, 2, 60)
    return pd.DataFrame(
        {
            "x": x,
            "who": ["ann", "bob"] * 30,
            "n": np.arange(60) % 7,
            "y": 1 - x**2 + 0.001 * np.sin(60 * x),
        }
    )


def test_columns_that_are_no_numbers_are_left_out_and_named(table):
    for data in (table, pl.DataFrame(table), pa.table(table)):
        study = eqlearn.fit(data, "y", max_degree=2)
        assert study.terms == ["1", "x^2"]
        assert study.notes == ['left out, not numbers: "who" (text)']


def test_pandas_without_pyarrow_will_do(table, monkeypatch):
    expected = eqlearn.fit(table[["x", "n", "y"]], "y").coefficients
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert eqlearn.fit(table, "y").coefficients == expected


def test_missing_values_are_refused_with_their_place_or_dropped(table):
    table.loc[4, "x"] = None
    for data in (table, pl.DataFrame(table), pa.Table.from_pandas(table)):
        with pytest.raises(ValueError, match="row 5"):
            eqlearn.fit(data, "y", features=["x"])
        study = eqlearn.fit(data, "y", features=["x"], missing="drop")
        assert study.model.n_obs == 59
        assert study.notes == ["1 row with missing values was left out"]


def test_integers_booleans_and_short_floats_are_numbers(table):
    kinds = pl.DataFrame(table).with_columns(
        pl.col("n").cast(pl.Int8), pl.col("x").cast(pl.Float32), b=pl.col("n") > 3
    )
    study = eqlearn.fit(kinds, "y", max_degree=2)
    assert "x^2" in study.terms
    assert "b" in study.candidates


def test_names_of_columns_need_not_be_text():
    x = np.linspace(-2, 2, 60)
    frame = pd.DataFrame({0: x, 1: x**2 + 0.001 * np.cos(60 * x)})
    assert eqlearn.fit(frame, "1").terms == ["`0`^2"]


def test_a_name_that_is_nearly_right_is_suggested(table):
    with pytest.raises(ValueError, match="did you mean"):
        eqlearn.fit(table.rename(columns={"y": "height"}), "heigth")
