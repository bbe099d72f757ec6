"""Partial differential equations from arrays and from objects of xarray."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import eqlearn
from eqlearn import _native

pytestmark = pytest.mark.filterwarnings("ignore")

T = np.linspace(0, 4, 60)
X = 2 * np.pi * np.arange(64) / 64


def wave(s):
    return np.sin(s) + 0.5 * np.cos(2 * s + 0.4) + 0.3 * np.sin(3 * s)


U = wave(X - 0.5 * T[:, None])
SMALL = {"periodic": "x", "max_order": 2, "max_degree": 2}


@pytest.fixture(scope="module")
def found():
    return eqlearn.discover(U, t=T, x=X, **SMALL)


def test_an_array_with_axes_gives_its_equation(found):
    assert found.equations[0].startswith("u_t = ")
    assert found.studies["u"].terms == ["u_x"]
    model = found.system.equations[0]
    assert abs(model.coefficients[0] + 0.5) < 1e-4
    discovery = found.document["discovery"]
    assert discovery["axes"] == ["t", "x"]
    assert discovery["forecast"]["reaches_end"]
    assert found.system.axes == ["t", "x"]
    assert found.system.quantities == ["u"]


def test_the_system_simulates_saves_and_pickles(found, tmp_path):
    system = found.system
    run = system.simulate(U[0], T, X)
    assert run.reached
    assert run.why == ""
    assert run.values["u"].shape == U.shape
    assert np.abs(run.values["u"] - U).max() < 1e-3
    path = tmp_path / "wave.json"
    system.save(path)
    assert eqlearn.load(path) == system
    assert pickle.loads(pickle.dumps(system)) == system
    assert isinstance(copy.copy(system), eqlearn.FieldSystem)
    assert "u_t" in repr(system)
    with pytest.raises(ValueError, match="rise by equal steps"):
        system.simulate(U[0], T, X**2)
    with pytest.raises(ValueError, match="3 values for 64 points"):
        system.simulate(U[0, :3], T, X)


def test_axes_may_have_other_names_and_fields_may_be_several(found):
    v = wave(X + 0.5 * T[:, None])
    both = eqlearn.discover(
        {"u": U, "v": v}, axes={"time": T, "x": X}, periodic=["x"], max_order=1, max_degree=1
    )
    assert both.studies["u"].terms == ["u_x"]
    assert both.studies["v"].terms == ["v_x"]
    assert both.equations[0].startswith("u_time = ")
    several = eqlearn.discover([U[:30], U[:30]], t=T[:30], x=X, **SMALL)
    assert several.studies["u"].terms == ["u_x"]
    again = eqlearn.discover(np.ma.masked_array(U, mask=U > 9), t=T, x=X, **SMALL)
    assert again.equations == found.equations


class Labelled:
    """As much of a DataArray as is asked for."""

    def __init__(self, values, dims, coords, name=None):
        self.values, self.dims, self.name = np.asarray(values), dims, name
        self.coords = {
            key: value if isinstance(value, Labelled) else Labelled(value, (key,), {})
            for key, value in coords.items()
        }

    def transpose(self, *dims):
        order = [self.dims.index(name) for name in dims]
        return Labelled(self.values.transpose(order), dims, self.coords, self.name)


def test_objects_of_xarray_are_fields(found):
    days = np.datetime64("2020-01-01") + (T * 1e9).astype("timedelta64[ns]")
    data = Labelled(U.T, ("x", "time"), {"x": X, "time": days}, name="h")
    labelled = eqlearn.discover(data, **SMALL)
    assert labelled.equations[0].startswith("h_time = ")
    assert labelled.studies["h"].terms == ["h_x"]
    model = labelled.system.equations[0]
    assert abs(model.coefficients[0] - found.system.equations[0].coefficients[0]) < 1e-6
    with pytest.raises(ValueError, match="no coordinates"):
        eqlearn.discover(Labelled(U, ("t", "x"), {"t": T}), **SMALL)
    with pytest.raises(ValueError, match="are its own"):
        eqlearn.discover(data, t=T, **SMALL)


def test_xarray_itself():
    xarray = pytest.importorskip("xarray")
    data = xarray.DataArray(U, dims=("t", "x"), coords={"t": T, "x": X}, name="u")
    found = eqlearn.discover(data, **SMALL)
    assert found.studies["u"].terms == ["u_x"]
    run = found.system.simulate(U[0], T, X).to_xarray()
    assert dict(run.sizes) == {"t": 60, "x": 64}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"t": T[:-1]}, "60 × 64, but the axes have 59 in t × 64 in x"),
        ({"t": X, "x": T}, "transpose it"),
        ({"t": T[::-1]}, "does not rise"),
        ({"states": ["u"]}, "states has no meaning for a field"),
        ({"denoise": "on"}, "denoise has no meaning for a field"),
        ({"time": T}, "time is for trajectories"),
        ({"format": "csv"}, "format is for files"),
        ({"periodic": "y"}, "none of the directions of space: x"),
        ({"axes": ["t", "x"]}, "axes must be a mapping"),
        ({"field": ["u", "v"]}, "one array is one quantity"),
        ({"max_order": -1}, "max_order"),
    ],
)
def test_what_cannot_be_is_refused(wrong, said):
    with pytest.raises((ValueError, TypeError), match=said):
        eqlearn.discover(U, **{"t": T, "x": X, **wrong})


def test_bad_values_are_refused():
    with pytest.raises(ValueError, match="complex"):
        eqlearn.discover(U + 1j, t=T, x=X)
    with pytest.raises(ValueError, match="everywhere"):
        eqlearn.discover(np.full_like(U, 2.5), t=T, x=X)


def test_every_word_of_fields_is_a_keyword():
    keywords = inspect.signature(eqlearn.discover).parameters
    assert not set(_native.keywords("discover fields")) - set(keywords)
