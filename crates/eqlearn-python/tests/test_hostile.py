"""Bad data end in an exception of Python, never in a panic, an abort or a wrong answer."""

import os
import pickle
import sys
import threading

import numpy as np
import pytest

import eqlearn

ALL = [getattr(eqlearn, name) for name in eqlearn.estimators.__all__]

pytestmark = pytest.mark.filterwarnings("ignore")


def law(n=60):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] - 2 * X[:, 2] + 0.01 * rng.normal(size=n)


BAD = {
    "no rows": (np.empty((0, 3)), np.empty(0)),
    "no columns": (np.empty((5, 0)), np.arange(5.0)),
    "one row": (np.ones((1, 3)), np.ones(1)),
    "a number": (np.float64(3), np.float64(1)),
    "zero dimensions": (np.array(3.0), np.array(1.0)),
    "three dimensions": (np.ones((4, 3, 2)), np.ones(4)),
    "lengths differ": (np.ones((5, 2)), np.ones(4)),
    "NaN in X": (np.array([[1.0, np.nan], [2, 3], [4, 5]]), np.arange(3.0)),
    "infinity in X": (np.array([[1.0, np.inf], [2, 3], [4, 5]]), np.arange(3.0)),
    "NaN in y": (np.arange(6.0).reshape(3, 2), np.array([1, np.nan, 2])),
    "objects": (np.array([[object(), 1], [2, 3]], dtype=object), np.arange(2.0)),
    "text": (np.array([["a", "b"], ["c", "d"]]), np.arange(2.0)),
    "complex": (np.ones((3, 2)) * 1j, np.arange(3.0)),
    "dates": (
        np.array([["2020-01-01"], ["2021-01-01"]], dtype="datetime64[D]").astype(object),
        np.arange(2.0),
    ),
    "y of text": (np.arange(6.0).reshape(3, 2), np.array(["a", "b", "c"])),
    "nothing": (None, None),
    "ragged": ([[1, 2], [3]], [1, 2]),
    "a table of words": ({"a": 1}, [1]),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("cls", ALL)
def test_bad_arrays_are_refused(cls, name):
    with pytest.raises((ValueError, TypeError)) as caught:
        cls().fit(*BAD[name])
    assert str(caught.value)


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "i1", "u8", "?", "O"])
def test_every_kind_of_number_will_do(dtype):
    X, y = law()
    X = (10 * X).round().astype(dtype)
    model = eqlearn.BestSubset(max_terms=2).fit(X, y)
    plain = eqlearn.BestSubset(max_terms=2).fit(X.astype(float), y)
    np.testing.assert_array_equal(model.coef_, plain.coef_)


def test_layouts_and_flags_do_not_matter_and_nothing_is_written():
    X, y = law()
    expected = eqlearn.ComprehensiveSearch().fit(X, y).coef_
    frozen = X.copy()
    frozen.setflags(write=False)
    wide = np.zeros((60, 9))
    wide[:, ::3] = X
    for layout in (
        np.asfortranarray(X),
        frozen,
        wide[:, ::3],
        X[::-1][::-1],
        np.array(X, order="F")[:, :],
        X.tolist(),
    ):
        before = np.array(layout)
        np.testing.assert_array_equal(eqlearn.ComprehensiveSearch().fit(layout, y).coef_, expected)
        np.testing.assert_array_equal(np.array(layout), before)
    broadcast = np.broadcast_to(y[:, None], (60, 3))
    eqlearn.ComprehensiveSearch().fit(broadcast, y).predict(broadcast)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e150, 5e-324])
def test_huge_and_tiny_numbers_give_an_answer_or_an_error(cls, scale):
    X, y = law()
    for features, target in ((X * scale, y), (X, y * scale)):
        try:
            model = cls().fit(features, target)
            predicted = model.predict(features)
        except ValueError:
            continue
        assert np.isfinite(predicted).all()
        assert pickle.loads(pickle.dumps(model)).models_ == model.models_


@pytest.mark.parametrize("cls", ALL)
def test_columns_that_repeat_or_vanish_give_an_answer(cls):
    X, y = law()
    for bad in (
        np.repeat(X, 2, axis=1),
        np.column_stack([X, np.zeros(60)]),
        np.column_stack([X, X.sum(axis=1)]),
    ):
        model = cls().fit(bad, y)
        assert np.isfinite(model.coef_).all()
        assert model.score(bad, y) > 0.99


@pytest.mark.parametrize("cls", ALL)
def test_fewer_rows_than_columns_give_an_answer(cls):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(5, 12)), rng.normal(size=5)
    assert np.isfinite(cls().fit(X, y).predict(X)).all()


@pytest.mark.parametrize(
    "weights", [np.zeros(60), -np.ones(60), np.full(60, np.nan), np.ones(59), "heavy"]
)
def test_bad_weights_are_refused(weights):
    with pytest.raises((ValueError, TypeError)):
        eqlearn.ComprehensiveSearch().fit(*law(), sample_weight=weights)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("no/such/file.csv", "no/such/file.csv"),
        ({"x": [1.0, 2.0]}, "y"),
        ({"x": [1.0, np.nan, 2.0], "y": [1.0, 2.0, 3.0]}, "x"),
        ({"x": ["a", "b"], "y": [1.0, 2.0]}, "does not hold numbers"),
        ({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0]}, "length"),
        ({"x": [[1.0]], "y": [1.0]}, "dimensions"),
        ({"x": [1.0, 2.0, 3.0], "y": [2.0, 2.0, 2.0]}, "nothing to explain"),
        ({}, ""),
        (3, "not a table"),
        (None, "not a table"),
    ],
)
def test_bad_tables_are_refused_in_words(data, words):
    with pytest.raises((ValueError, TypeError, OSError), match=words):
        eqlearn.fit(data, "y")


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({}, "when were the rows recorded"),
        ({"time": np.arange(100), "dt": 0.1}, "not both"),
        ({"dt": -1}, "above 0"),
        ({"dt": np.nan}, "finite"),
        ({"time": np.arange(99)}, "100 rows and 99 times"),
        ({"time": np.arange(100)[::-1]}, "times must increase"),
        ({"dt": 0.1, "states": ["x"]}, "2 columns for 1 state"),
        ({"dt": 0.1, "derivative": "magic"}, "magic"),
        ({"dt": 0.1, "trajectory": "run"}, "several arrays"),
        ({"time": "t"}, "the times themselves"),
        ({"dt": 0.1, "method": "stlsq", "nu": 3}, "nu means nothing to stlsq; nu is for sr3"),
    ],
)
def test_bad_trajectories_are_refused_in_words(keywords, words):
    x = np.stack([np.sin(np.arange(100) * 0.1), np.cos(np.arange(100) * 0.1)], axis=1)
    with pytest.raises(ValueError, match=words):
        eqlearn.discover(x, **keywords)


def test_threads_may_call_at_once():
    X, y = law(2000)
    expected = eqlearn.ComprehensiveSearch(max_degree=2).fit(X, y)
    wrong = []

    def work():
        for _ in range(5):
            model = eqlearn.ComprehensiveSearch(max_degree=2).fit(X, y)
            if not np.array_equal(model.coef_, expected.coef_):
                wrong.append(model.coef_)
            if not np.array_equal(expected.predict(X), model.predict(X)):
                wrong.append("prediction")

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_other_threads_run_during_a_search():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 120)), rng.normal(size=60)
    done, ticks = threading.Event(), []

    def search():
        eqlearn.BestSubset(max_terms=12, time_limit=1.0).fit(X, y)
        done.set()

    thread = threading.Thread(target=search)
    thread.start()
    while not done.wait(0.01):
        ticks.append(None)
    thread.join()
    # With the lock held the other thread would not have run at all.
    assert len(ticks) > 10


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_child_after_fork_learns_the_same():
    X, y = law(40_000)
    expected = eqlearn.ComprehensiveSearch(max_degree=2).fit(X, y).coef_
    child = os.fork()
    if child == 0:
        status = 1
        try:
            found = eqlearn.ComprehensiveSearch(max_degree=2).fit(X, y).coef_
            status = 0 if np.array_equal(found, expected) else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_native_objects_refuse_bad_files_and_shapes():
    from eqlearn._native import Model, System

    for text in ("", "{}", '{"schema": "eqlearn-model/9"}', "\0", "[1, 2]"):
        for cls in (Model, System):
            with pytest.raises(ValueError, match="model"):
                cls(text)
    X, y = law()
    model = eqlearn.ComprehensiveSearch().fit(X, y).models_[0]
    for bad in (np.ones((2, 2)), np.ones((2, 4)), np.empty((3, 0))):
        with pytest.raises(ValueError, match="columns for"):
            model.predict(bad)
    assert model.predict(np.empty((0, 3))).shape == (0,)
    with pytest.raises(TypeError):
        model.predict("words")
    with pytest.raises(ValueError, match="equation of a table"):
        System(model.to_json())


def test_numbers_that_stand_at_odd_places_are_read():
    def moved(array):
        """The same numbers, one byte away from where a processor wants them."""
        array = np.ascontiguousarray(array)
        place = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:]
        place[:] = array.view(np.uint8).ravel()
        odd = np.frombuffer(place, dtype=np.float64).reshape(array.shape)
        assert not odd.flags.aligned
        return odd

    x = np.linspace(-2, 2, 40)
    y = x**2
    assert eqlearn.fit({"x": moved(x), "y": moved(y)}, "y", max_degree=2).terms == ["x^2"]
    model = eqlearn.BestSubset(max_degree=2).fit(
        moved(x[:, None]), moved(y), sample_weight=moved(np.ones(40))
    )
    assert np.allclose(model.models_[0].predict(moved(x[:, None])), y)
    t = np.linspace(0, 10, 400)
    wave = np.stack([np.cos(t), np.sin(t)], axis=1)
    found = eqlearn.discover(moved(wave), time=moved(t), states=["x", "y"], max_degree=2)
    assert np.allclose(found.system(0.0, moved(np.array([1.0, 0.5]))), [-0.5, 1.0], atol=1e-3)
