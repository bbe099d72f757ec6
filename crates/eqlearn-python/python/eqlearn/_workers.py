"""Many machines through joblib: Dask, Ray, Spark or more processes, whatever the user has.

`joblib.parallel_config(backend=...)` says where work runs, as everywhere in scikit-learn. Without
it, work runs here on native threads.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self, TypeVar

from . import _native

T = TypeVar("T")

# Seconds for which a size is tried here before it is sent.
TRIAL = 0.5

# What engines say when a worker is gone for good.
_DEATHS = {
    "KilledWorker",
    "FutureCancelledError",
    "TerminatedWorkerError",
    "BrokenProcessPool",
    "OutOfMemoryError",
    "WorkerCrashedError",
    "RayActorError",
    "ActorDiedError",
}

# How often workers may die in a row without bringing anything to its end.
_PATIENCE = 3

# How long new workers may take to start after all have died.
_SECONDS_TO_RESTART = 60

_INSTALL = {
    "dask": ("distributed", 'pip install "dask[distributed]"'),
    "ray": ("ray", "pip install ray"),
    "spark": ("joblibspark", "pip install joblibspark pyspark"),
}


class Workers:
    """The workers of an engine: how many, and how tasks get there and back."""

    def __init__(self, backend: Any, count: int) -> None:
        self.count = count
        self.trial = TRIAL
        self._backend = backend
        self._streams = bool(getattr(backend, "supports_return_generator", False))
        self._parallel: Any = None

    def __enter__(self) -> Self:
        from joblib import Parallel

        # One task per message: a task is seconds long, and its result helps those after it.
        self._parallel = Parallel(
            n_jobs=self.count,
            batch_size=1,
            pre_dispatch="2*n_jobs",
            return_as="generator_unordered" if self._streams else "list",
        )
        self._parallel.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._parallel.__exit__(*error)

    def run(self, shared: bytes, tasks: list[bytes]) -> Iterator[tuple[int, bytes]]:
        """Run each task somewhere, and give its place and its result as soon as it is there.

        Dask and Spark run the tasks of a worker that died again by themselves, unless what tasks
        share died with it; what an engine gives up is given to it anew.
        """
        left, deaths = dict(enumerate(tasks)), 0
        while left:
            try:
                for place, result in self._once(shared, left):
                    del left[place]
                    deaths = 0
                    yield place, result
                return
            except Exception as error:
                if type(error).__name__ not in _DEATHS:
                    raise
                deaths += 1
                self.__exit__(None, None, None)
                if deaths == _PATIENCE or not self._are_back():
                    raise RuntimeError(
                        f"workers died again and again ({type(error).__name__}); "
                        "most often they ran out of memory: "
                        f"what tasks of this search share is {len(shared) / 1e6:.1f} MB large, "
                        "and they need some hundred MB to run. "
                        "Give workers more memory, or run fewer of them on each machine"
                    ) from error
                self.__enter__()

    def _are_back(self) -> bool:
        """Whether there are workers again: with fewer than two, joblib would run the tasks here."""
        for _ in range(_SECONDS_TO_RESTART * 4):
            if self._backend.effective_n_jobs(self.count) > 1:
                return True
            time.sleep(0.25)
        return False

    def each(self, function: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
        """What a function gives for each call, in their order."""
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.count, return_as="generator" if self._streams else "list")
        yield from parallel(delayed(function)(*call) for call in calls)

    def _once(self, shared: bytes, tasks: dict[int, bytes]) -> Iterator[tuple[int, bytes]]:
        import numpy as np
        from joblib import delayed

        # An array that all tasks have in common: Dask sends it to a worker once, loky maps it into
        # memory.
        common = np.frombuffer(shared, dtype=np.uint8)
        results = self._parallel(
            [delayed(decide)(place, common, task) for place, task in tasks.items()]
        )
        try:
            # A loop, not `yield from`, which would close the results before we can keep joblib from
            # remarking on it.
            for result in results:  # noqa: UP028
                yield result
        except GeneratorExit:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                getattr(results, "close", lambda: None)()
            raise


def decide(place: int, common: Any, task: bytes) -> tuple[int, bytes]:
    """What a worker does."""
    return place, _native.work(common.tobytes(), task, worker_threads())


def worker_threads() -> int:
    """How many threads a worker may use: its share, as all numerical libraries are told, or one."""
    share = os.environ.get("OMP_NUM_THREADS", "")
    return int(share) if share.isdigit() and int(share) > 0 else 1


def each(function: Callable[..., T], calls: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    """What a function gives for each call, in their order.

    On the workers that `joblib.parallel_config` chose, or here.
    """
    with active() as workers:
        if workers is None:
            for call in calls:
                yield function(*call)
        else:
            yield from workers.each(function, calls)


def active(n_jobs: int | None = None) -> AbstractContextManager[Workers | None]:
    """The workers that `joblib.parallel_config` chose; none where work belongs here, on threads."""
    if "joblib" not in sys.modules:
        return nullcontext()
    from joblib.parallel import get_active_backend

    # Unless an engine was named, joblib would rather have threads: those are ours, and cheaper.
    backend, told = get_active_backend(prefer="threads")
    if getattr(backend, "uses_threads", False) or (backend.nesting_level or 0) > 0:
        return nullcontext()
    wish = next((n for n in (n_jobs, told) if n is not None), -1)
    count = int(backend.effective_n_jobs(wish))
    # With a single worker joblib would run its tasks here, and on threads they run better.
    return Workers(backend, count) if count > 1 else nullcontext()


def engine(name: str, n_jobs: int | None = None, **options: Any) -> AbstractContextManager[Any]:
    """`joblib.parallel_config` for an engine, registered with joblib if it is not yet.

    Parameters
    ----------
    name : {'loky', 'dask', 'ray', 'spark'}
        More processes on this machine, or the engine of a cluster. For Dask, make a
        `dask.distributed.Client` first.
    n_jobs : int, optional
        How many tasks at a time; all workers if not given.
    **options
        Passed on to `joblib.parallel_config`.

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> X = np.random.default_rng(0).normal(size=(60, 30))
    >>> with eqlearn.engine("loky", n_jobs=2):
    ...     model = eqlearn.BestSubset(max_degree=1, max_terms=4).fit(X, X[:, 1] - 2 * X[:, 7])
    >>> list(model.terms_[model.coef_ != 0])
    ['x1', 'x7']
    """
    import importlib.util

    import joblib

    if name not in ("loky", *_INSTALL):
        raise ValueError(f"there is no engine {name!r}; there are loky, {', '.join(_INSTALL)}")
    module, install = _INSTALL.get(name, ("joblib", ""))
    if importlib.util.find_spec(module) is None:
        raise ImportError(f"the engine {name!r} is not installed; install it with: {install}")
    if name == "ray":
        from ray.util.joblib import register_ray

        register_ray()
    elif name == "spark":
        from joblibspark import register_spark

        register_spark()
    context: AbstractContextManager[Any] = joblib.parallel_config(
        backend=name, n_jobs=-1 if n_jobs is None else n_jobs, **options
    )
    return context
