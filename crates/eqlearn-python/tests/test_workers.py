"""The same search on one process, on more, and on a Dask cluster that loses workers."""

import json
import os
import subprocess
import sys

import joblib
import numpy as np
import pytest

import eqlearn
from eqlearn import _workers

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")


@pytest.fixture(autouse=True)
def send_everything(monkeypatch):
    """Sizes are sent at once, however short."""
    monkeypatch.setattr(_workers, "TRIAL", 0.0)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield cluster


def polynomial(n_rows, seed=1):
    """One of the paper's problems: three features, seen through 72 monomials."""
    rng = np.random.default_rng(seed)
    features = np.array([-8.0, 1.0, 9.0]) + np.array([3.0, 2.0, 3.0]) * rng.normal(size=(n_rows, 3))
    y = (
        2.0 * features[:, 0] ** 2 * features[:, 2]
        - 0.7 * features[:, 1] ** 3
        + 5.0 * features[:, 0]
    )
    return features, y + 0.05 * y.std() * rng.normal(size=n_rows)


def wide():
    """200 terms, three of which matter."""
    rng = np.random.default_rng(2)
    terms = rng.normal(size=(300, 200))
    return terms, terms[:, [3, 50, 170]] @ [1.0, -2.0, 0.5] + rng.normal(size=300)


def lasting(document):
    """A document without what varies: time, and how much work the proof took."""
    if isinstance(document, dict):
        varying = ("seconds", "excluded", "enumerated", "rescored", "nodes")
        return {key: lasting(value) for key, value in document.items() if key not in varying}
    return [lasting(entry) for entry in document] if isinstance(document, list) else document


def decided(size):
    """How many subsets of a size were excluded or looked at."""
    return size["certificate"]["excluded"] + size["certificate"]["enumerated"]


def discover_system():
    t = np.linspace(0, 8, 400)
    states = np.stack(
        [np.exp(-0.1 * t) * np.cos(t), np.exp(-0.1 * t) * np.sin(t), np.cos(0.3 * t)], axis=1
    )
    return eqlearn.discover(
        states, time=t, states=["x", "y", "z"], method="best-subset", max_terms=6
    )


def learn_all():
    """The documents of the paper's problem, of a wide one and of a system, as text."""
    studies = [
        eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=7).fit(*polynomial(95)).study_,
        eqlearn.ComprehensiveSearch("cs-evidence", max_degree=6, max_power=4, max_terms=6)
        .fit(*polynomial(60))
        .study_,
        eqlearn.BestSubset(max_degree=1, max_terms=5, keep=5).fit(*wide()).study_,
    ]
    documents = [lasting(entry.document) for entry in [*studies, discover_system()]]
    for document in (study.document for study in studies):
        for size in document["search"]["sizes"]:
            assert size["exact"]
            assert decided(size) == size["subsets"]
    return json.dumps(documents)


@pytest.fixture(scope="module")
def alone():
    return learn_all()


class Counting(_workers.Workers):
    """Workers that count what they are given, and let something happen after some results."""

    sent = 0
    after = None

    def run(self, shared, tasks):
        Counting.sent += len(tasks)
        for count, result in enumerate(super().run(shared, tasks)):
            if count == 2 and Counting.after is not None:
                event, Counting.after = Counting.after, None
                event()
            yield result


@pytest.fixture
def counting(monkeypatch):
    monkeypatch.setattr(_workers, "Workers", Counting)
    monkeypatch.setattr(Counting, "sent", 0)
    return Counting


def test_more_processes_give_the_same_bytes(alone, counting):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert learn_all() == alone
    assert counting.sent > 10


def test_the_equations_of_a_system_are_searched_by_the_workers_too(counting):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        discover_system()
    assert counting.sent > 3  # one for each of the three states would be no search in parts


def test_a_dask_cluster_gives_the_same_bytes(alone, counting, cluster):
    with joblib.parallel_config(backend="dask"):
        assert learn_all() == alone
    assert counting.sent > 10


def test_a_worker_that_is_killed_and_one_that_is_added_change_nothing(counting, cluster):
    problem = polynomial(20)
    learner = eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=7)
    whole = learner.fit(*problem).study_.document
    killed = []

    def kill_and_add():
        worker = next(iter(cluster.workers.values()))
        killed.append(worker.pid)
        os.kill(worker.pid, 9)
        cluster.scale(3)

    counting.after = staticmethod(kill_and_add)
    with joblib.parallel_config(backend="dask"):
        found = learner.fit(*problem).study_.document
    assert killed
    assert counting.after is None
    assert lasting(found) == lasting(whole)
    for size in found["search"]["sizes"]:
        assert decided(size) == size["subsets"]


def test_a_process_that_is_killed_changes_nothing(counting):
    problem = polynomial(20)
    learner = eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=7)
    whole = learner.fit(*problem).study_.document
    with joblib.parallel_config(backend="loky", n_jobs=2):
        pids = joblib.Parallel()(joblib.delayed(os.getpid)() for _ in range(8))
        counting.after = staticmethod(lambda: os.kill(pids[0], 9))
        found = learner.fit(*problem).study_.document
    assert counting.after is None
    assert lasting(found) == lasting(whole)
    assert all(decided(size) == size["subsets"] for size in found["search"]["sizes"])


def test_n_jobs_and_a_named_engine_choose_where_work_runs(cluster):
    def count(n_jobs=None):
        with _workers.active(n_jobs) as workers:
            return None if workers is None else workers.count

    assert count() is None
    assert count(2) is None
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert count() is None
    with joblib.parallel_config(backend="loky"):
        assert count(2) == 2
        assert count(1) is None
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert count() == 2
    with joblib.parallel_config(backend="dask"):
        assert count() == len(cluster.workers)
    nested = joblib.Parallel(n_jobs=2)(joblib.delayed(_nested_workers)() for _ in range(2))
    assert nested == [None, None]


def test_threads_have_one_name_at_a_time(counting):
    x = {"x": np.arange(20.0), "y": np.arange(20.0) ** 2}
    assert eqlearn.fit(x, "y", n_jobs=1).equation == eqlearn.fit(x, "y", threads=2).equation
    with pytest.raises(ValueError, match="give one of the two"):
        eqlearn.fit(x, "y", threads=1, n_jobs=1)
    t = np.linspace(0, 5, 100)
    wave = np.stack([np.cos(t), np.sin(t)], axis=1)
    assert eqlearn.discover(wave, time=t, max_degree=2, n_jobs=1).system is not None


def _nested_workers():
    with _workers.active() as workers:
        return workers


def test_workers_use_the_threads_they_were_given(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert _workers.worker_threads() == 3
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert _workers.worker_threads() == 1
    with joblib.parallel_config(backend="loky", n_jobs=2):
        threads = joblib.Parallel()(joblib.delayed(_workers.worker_threads)() for _ in range(2))
    assert max(threads) <= max(1, (os.cpu_count() or 1) // 2)


def test_what_a_trial_decides_is_not_sent(monkeypatch, counting):
    monkeypatch.setattr(_workers, "TRIAL", 60.0)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=6).fit(*polynomial(95))
    assert counting.sent == 0


def test_a_time_limit_stops_the_workers_and_says_what_is_not_proven():
    learner = eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=8, time_limit=1.0)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        sizes = learner.fit(*polynomial(20)).study_.document["search"]["sizes"]
    assert not sizes[-1]["exact"]
    assert all(size["exact"] for size in sizes[:-1])


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_cancels_the_tasks():
    script = """
import joblib, numpy as np, eqlearn
rng = np.random.default_rng(0)
X, y = rng.normal(size=(60, 120)), rng.normal(size=60)
eqlearn.BestSubset(max_degree=1, max_terms=2).fit(X, y)
with joblib.parallel_config(backend="loky", n_jobs=2):
    joblib.Parallel()(joblib.delayed(abs)(x) for x in range(4))
    print("started", flush=True)
    try:
        eqlearn.BestSubset(max_degree=1, max_terms=12).fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "started\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3.0)
        process.send_signal(2)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == "interrupted\n"


def test_progress_is_that_of_the_whole():
    told = []
    features, y = polynomial(95)
    table = {"a": features[:, 0], "b": features[:, 1], "c": features[:, 2], "y": y}
    with joblib.parallel_config(backend="loky", n_jobs=2):
        eqlearn.fit(
            table, "y", method="best-subset", max_terms=7, progress=lambda *args: told.append(args)
        )
    largest = [(done, total) for stage, done, total in told if stage == "7 terms"]
    assert largest
    assert all(0 < done <= total for done, total in largest)


def test_an_engine_that_is_not_installed_says_how_to_install_it(monkeypatch):
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for name, words in [
        ("dask", 'pip install "dask'),
        ("ray", "pip install ray"),
        ("spark", "joblibspark"),
    ]:
        with pytest.raises(ImportError, match="not installed") as caught:
            eqlearn.engine(name)
        assert words in str(caught.value)
    with pytest.raises(ValueError, match="there is no engine 'mpi'"):
        eqlearn.engine("mpi")


def test_a_worker_of_another_version_is_named(monkeypatch):
    sent = []
    monkeypatch.setattr(
        _workers.Workers, "run", lambda self, *given: sent.append(given) or iter(())
    )
    with (
        joblib.parallel_config(backend="loky", n_jobs=2),
        pytest.raises(ValueError, match="2 of 2 results did not come back"),
    ):
        eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=6).fit(*polynomial(95))
    shared, tasks = sent[0]
    other = shared.replace(b'"version":"', b'"version":"9', 1)
    other = (int.from_bytes(other[:8], "little") + 1).to_bytes(8, "little") + other[8:]
    with pytest.raises(ValueError, match="install the same version everywhere"):
        _workers.decide(0, np.frombuffer(other, dtype=np.uint8), tasks[0])


def die(place, common, task):
    """As the system has it with a process that takes too much memory."""
    os.kill(os.getpid(), 9)


@pytest.mark.parametrize("backend", ["loky", "dask"])
def test_workers_that_die_again_and_again_are_explained(monkeypatch, cluster, backend):
    import dask

    monkeypatch.setattr(_workers, "decide", die)
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        joblib.parallel_config(backend=backend, n_jobs=2),
        pytest.raises(RuntimeError, match="ran out of memory"),
    ):
        eqlearn.BestSubset(max_degree=6, max_power=4, max_terms=6).fit(*polynomial(95))


def test_trials_of_a_system_are_the_same_on_every_engine(cluster):
    t = np.linspace(0, 20, 800)
    rng = np.random.default_rng(4)
    x = np.stack([np.exp(-0.1 * t) * np.cos(t), np.exp(-0.1 * t) * np.sin(t)], axis=1)
    x += 1e-4 * rng.normal(size=x.shape)
    asked = {
        "time": t,
        "states": ["x", "y"],
        "derivative": ["weak", "savgol"],
        "bootstrap": 2,
        "max_degree": 3,
    }
    here = eqlearn.stability(x, **asked)
    assert [(trial.derivative, trial.replicate) for trial in here.trials] == [
        (scheme, replicate) for scheme in ("weak", "savgol") for replicate in range(3)
    ]
    assert all(here.frequencies["x"][term] == 1.0 for term in ("x", "y"))
    assert abs(np.median(here.coefficients("x", "y")) + 1.0) < 0.01
    with joblib.parallel_config(backend="dask"):
        assert eqlearn.stability(x, **asked).trials == here.trials
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert eqlearn.stability(x, **asked).trials == here.trials


def test_trials_name_what_is_wrong():
    x = np.zeros((30, 2))
    with pytest.raises(ValueError, match="no kind of rows"):
        eqlearn.stability(x, dt=0.1, derivative=[])
    with pytest.raises(ValueError, match="bootstrap is -1"):
        eqlearn.stability(x, dt=0.1, bootstrap=-1)
    with pytest.raises(ValueError, match='no rows named "secant"'):
        eqlearn.stability(np.cumsum(np.ones((30, 2)), axis=0), dt=0.1, derivative="secant")
