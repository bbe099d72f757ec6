"""Ctrl-C, the time limit and progress."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import eqlearn

# A search that would take hours: nothing explains noise.
HARD = """
import numpy as np, eqlearn
rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 120)), rng.normal(size=60)
"""


def hard():
    names = {}
    exec(HARD, names)
    return names["X"], names["y"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    "call", ["eqlearn.BestSubset(max_terms=12).fit(X, y)", "eqlearn.fit(table, 'y', **many)"]
)
def test_ctrl_c_stops_a_search(call):
    script = HARD + textwrap.dedent(f"""
        table = {{f"x{{i}}": X[:, i] for i in range(120)}} | {{"y": y}}
        many = dict(method="best-subset", max_terms=12, max_degree=1)
        # What is imported late is imported now: the signal is to find the search.
        eqlearn.BestSubset().fit(X[:, :2], y)
        print("started", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "started\n"
        # A second is enough to be inside the search, and far from its end.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    assert out == "interrupted\n"
    assert process.returncode == 0


def test_a_time_limit_stops_a_search_and_says_what_is_not_proven():
    X, y = hard()
    with pytest.warns(eqlearn.EquationWarning):
        model = eqlearn.BestSubset(max_terms=12, time_limit=0.5).fit(X, y)
    sizes = model.study_.document["search"]["sizes"]
    assert not sizes[-1]["exact"]


def test_progress_is_told_to_a_function():
    X, y = hard()
    told = []
    table = {f"x{i}": X[:, i] for i in range(120)} | {"y": y}
    with pytest.warns(eqlearn.EquationWarning):
        eqlearn.fit(
            table,
            "y",
            method="best-subset",
            max_degree=1,
            max_terms=12,
            time_limit=0.5,
            progress=lambda *args: told.append(args),
        )
    stage, done, total = told[-1]
    assert stage.endswith("terms")
    assert 0 <= done <= total


def test_what_a_progress_function_raises_is_raised():
    X, y = hard()

    class EnoughError(Exception):
        pass

    def tell(stage, done, total):
        raise EnoughError

    table = {f"x{i}": X[:, i] for i in range(120)} | {"y": y}
    with pytest.raises(EnoughError):
        eqlearn.fit(table, "y", method="best-subset", max_degree=1, max_terms=12, progress=tell)


@pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")
def test_a_bar_shows_when_asked_for(capsys, monkeypatch):
    monkeypatch.setattr("eqlearn._progress._DELAY", 0)
    X, y = hard()
    eqlearn.BestSubset(max_terms=12, time_limit=0.5, verbose=True).fit(X, y)
    assert "terms" in capsys.readouterr().err
    eqlearn.BestSubset(max_terms=12, time_limit=0.2).fit(X, y)
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")
def test_without_tqdm_there_is_no_bar_and_no_trouble(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    X, y = hard()
    eqlearn.BestSubset(max_terms=12, time_limit=0.3, verbose=True).fit(X, y)
    assert capsys.readouterr().err == ""


def test_one_thread_or_many_give_the_same():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    y = X[:, 3] - X[:, 20] + 0.5 * rng.normal(size=300)
    one, two = (eqlearn.BestSubset(max_terms=5, n_jobs=n).fit(X, y) for n in (1, 2))
    # Threads share sizes of more than 200,000 subsets; smaller ones are not worth it.
    assert one.study_.document["search"]["sizes"][-1]["subsets"] > 200_000
    np.testing.assert_array_equal(one.coef_, two.coef_)
    assert one.study_._outcome.ranking == two.study_._outcome.ranking
