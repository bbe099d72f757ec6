"""How searches scale: two workers against one, against threads, and an estimate for a thousand.

Contenders run in turns and medians are compared, because machines are shared.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from math import comb
from typing import ClassVar

os.environ["OMP_NUM_THREADS"] = "1"

import joblib
import numpy as np

import eqlearn
from eqlearn import _workers

warnings.simplefilter("ignore")


def powerless(n_rows: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """72 monomials of three features on fewer rows: bounds exclude next to nothing."""
    rng = np.random.default_rng(1)
    features = np.array([-8.0, 1.0, 9.0]) + np.array([3.0, 2.0, 3.0]) * rng.normal(size=(n_rows, 3))
    return features, rng.normal(size=n_rows)


class Noting(_workers.Workers):
    """Workers that record the bytes sent to them and back."""

    notes: ClassVar[list[tuple[int, int, int, int]]] = []

    def run(self, shared: bytes, tasks: list[bytes]) -> Iterator[tuple[int, bytes]]:
        back = 0
        for place, result in super().run(shared, tasks):
            back += len(result)
            yield place, result
        Noting.notes.append((len(tasks), len(shared), sum(map(len, tasks)), back))


_workers.Workers = Noting  # type: ignore[misc]


@contextmanager
def dask(n_workers: int) -> Iterator[None]:
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        yield


@contextmanager
def loky(n_workers: int) -> Iterator[None]:
    with joblib.parallel_config(backend="loky", n_jobs=n_workers):
        # Start the processes first, as a cluster would have.
        joblib.Parallel()(joblib.delayed(time.sleep)(0.1) for _ in range(2 * n_workers))
        yield


class Alone(Noting):
    """One worker: the same tasks in sequence. joblib runs a single worker here too."""

    def __init__(self) -> None:
        super().__init__(None, 2)

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def _once(self, shared: bytes, tasks: dict[int, bytes]) -> Iterator[tuple[int, bytes]]:
        common = np.frombuffer(shared, dtype=np.uint8)
        for place, task in list(tasks.items()):
            yield _workers.decide(place, common, task)


@contextmanager
def one_worker() -> Iterator[None]:
    active = _workers.active
    _workers.active = lambda n_jobs=None: Alone()  # type: ignore[assignment]
    try:
        yield
    finally:
        _workers.active = active


def scaling(max_terms: int, rounds: int) -> None:
    problem = powerless()

    def fit(n_jobs: int | None) -> None:
        eqlearn.BestSubset(max_degree=6, max_terms=max_terms, n_jobs=n_jobs).fit(*problem)

    # The workers and their threads. By default all workers of an engine, with one thread each.
    contenders: dict[str, tuple[Callable[[], AbstractContextManager[None]], int | None]] = {
        "one thread": (nullcontext, 1),
        "two threads": (nullcontext, 2),
        "one worker": (one_worker, None),
        "Dask, two workers": (partial(dask, 2), None),
        "loky, two workers": (partial(loky, 2), None),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for round in range(rounds):
        for name, (place, n_jobs) in contenders.items():
            with place():
                Noting.notes.clear()
                started = time.perf_counter()
                fit(n_jobs)
                seconds[name].append(time.perf_counter() - started)
            print(f"  round {round + 1}: {name} {seconds[name][-1]:.1f} s", flush=True)
    median = {name: statistics.median(times) for name, times in seconds.items()}
    subsets = sum(comb(72, size) for size in range(1, max_terms + 1))
    print(
        f"\n72 terms, 20 rows, sizes 1 to {max_terms}: {subsets:.3g} subsets; medians of {rounds}"
    )
    for name in contenders:
        print(f"  {name:20} {median[name]:7.1f} s")
    print(
        "  two threads against one:          "
        f"{median['one thread'] / median['two threads']:.2f} times"
    )
    for name in ("Dask, two workers", "loky, two workers"):
        print(f"  {name} against one: {median['one worker'] / median[name]:.2f} times")
    for one, other in (
        ("Dask, two workers", "two threads"),
        ("loky, two workers", "two threads"),
        ("one worker", "one thread"),
    ):
        print(f"  {one} over {other}: {100 * (median[one] / median[other] - 1):+.1f} %")
    print(
        "  rounds of the last run: tasks, bytes shared by them, bytes sent per task, "
        "bytes back per task"
    )
    for tasks, shared, sent, back in Noting.notes:
        print(f"    {tasks:5} {shared:8,} {sent / tasks:7,.0f} {back / tasks:7,.0f}")


class Caught(Exception):
    """Raised with the shared bytes and one task, instead of a result."""

    def __init__(self, shared: bytes, task: bytes) -> None:
        super().__init__()
        self.sent = (shared, task)


class Catching(_workers.Workers):
    """Workers that hand back the first task that they are given."""

    def __enter__(self) -> Catching:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def run(self, shared: bytes, tasks: list[bytes]) -> Iterator[tuple[int, bytes]]:
        raise Caught(shared, tasks[0])


def tasks_of(n_terms: int, size: int, n_tasks: int, samples: int) -> tuple[bytes, list[bytes]]:
    """The shared bytes and a sample of the tasks of one size, for data that are noise."""
    rng = np.random.default_rng(3)
    terms, y = rng.normal(size=(60, n_terms)), rng.normal(size=60)
    trial, active = _workers.TRIAL, _workers.active
    _workers.TRIAL = 0.0
    _workers.active = lambda n_jobs=None: Catching(None, 2)  # type: ignore[assignment]
    try:
        eqlearn.BestSubset(max_degree=1, max_terms=size).fit(terms, y)
    except Caught as caught:
        shared, task = caught.sent
    finally:
        _workers.TRIAL, _workers.active = trial, active
    # The first size that is sent is made into the size asked for: its list is filled with supports
    # that explain little.
    supports = [sorted(rng.choice(n_terms, size, replace=False).tolist()) for _ in range(25)]
    best = [
        {"support": support, "one_minus_r2": 0.6 + 0.001 * k} for k, support in enumerate(supports)
    ]
    length = int.from_bytes(shared[:8], "little")
    header = json.loads(shared[8 : 8 + length]) | {
        "start": {"size": size, "best": best, "scored": 25}
    }
    text = json.dumps(header).encode()
    shared = len(text).to_bytes(8, "little") + text + shared[8 + length :]
    own = json.loads(task) | {"known": best}
    numbers = (1 + k * n_tasks // samples for k in range(samples))
    return shared, [
        json.dumps(own | {"shard": f"{number}/{n_tasks}"}).encode() for number in numbers
    ]


def thousand(samples: int) -> None:
    """Task sizes for growing dictionaries, and an estimate for a thousand workers."""
    print(
        "Tasks on a thousand workers, by number of terms (noise on 60 rows: bounds exclude little)"
    )
    print(
        "  terms size     subsets   tasks  bytes shared  bytes sent  bytes back  "
        "seconds: mean, least, most"
    )
    for n_terms, size in ((72, 8), (200, 6), (500, 6)):
        subsets = comb(n_terms, size)
        n_tasks = total_tasks(subsets, 1000)
        shared, tasks = tasks_of(n_terms, size, n_tasks, samples)
        common, times, back = np.frombuffer(shared, dtype=np.uint8), [], []
        for task in tasks:
            started = time.perf_counter()
            back.append(len(_workers.decide(0, common, task)[1]))
            times.append(time.perf_counter() - started)
        mean = statistics.mean(times)
        print(
            f"  {n_terms:5} {size:4} {subsets:11.3g} {n_tasks:7} {len(shared):13,}"
            f" {len(tasks[0]):11,} {statistics.mean(back):11,.0f}"
            f"  {mean:8.3f} {min(times):.3f} {max(times):.3f}"
        )
    work, rate = mean * n_tasks, task_rate(common, tasks[0])
    print(
        f"\np = 500, m = 6 ({subsets:.3g} subsets): {work:,.0f} s of one core, "
        f"from the mean of {samples} tasks"
    )
    print(f"  one Dask scheduler here hands out {rate:,.0f} such tasks per second")
    for workers in (1, 10, 100, 1000, 10000):
        n_tasks = total_tasks(subsets, workers)
        # All workers are busy until the end, when they wait for the slowest task.
        working = work / workers + max(times) / mean * work / n_tasks
        handing_out = n_tasks / rate
        print(
            f"  {workers:6} workers: {n_tasks:6} tasks, working {working:9,.1f} s, "
            f"handing out {handing_out:6,.1f} s: "
            f"{work / max(working, handing_out):6,.0f} times one core"
        )


def task_rate(common: np.ndarray, task: bytes) -> float:
    """Empty tasks per second through a Dask scheduler."""
    from joblib import Parallel, delayed

    with dask(2):
        parallel = Parallel(batch_size=1, pre_dispatch="2*n_jobs", return_as="generator_unordered")
        list(parallel(delayed(idle)(place, common, task) for place in range(50)))
        started = time.perf_counter()
        list(parallel(delayed(idle)(place, common, task) for place in range(1000)))
        return 1000 / (time.perf_counter() - started)


def idle(place: int, common: np.ndarray, task: bytes) -> tuple[int, bytes]:
    """A task that is done at once."""
    return place, task


def total_tasks(subsets: int, workers: int) -> int:
    """The library's rule (search/split/cluster.rs)."""
    most = max(min(64 * workers, 2048), -(-subsets // 20_000_000_000))
    most = min(max(most, workers), 100_000)
    return min(max(-(-subsets // 200_000_000), workers), most)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--max-terms", type=int, default=9, help="9 takes about a minute on one core"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=12)
    flags = parser.parse_args()
    thousand(flags.samples)
    scaling(flags.max_terms, flags.rounds)
