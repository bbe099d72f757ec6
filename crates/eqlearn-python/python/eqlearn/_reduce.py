"""Rows become a triangle where they are: here, in joblib's workers, or where Dask keeps them.

Each partition is reduced by itself and the triangles are merged in the order of the partitions, so
the answer does not depend on the engine.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator
from typing import Any

from . import _request, _workers
from ._native import TriangleFile, files_in, numeric_columns, reduce_table
from ._progress import Tell, watching
from ._tables import Reading, origin
from ._triangle import Triangle

_Reduced = tuple[TriangleFile, list[str]]


def reduce(
    data: Any,
    target: str,
    *,
    features: Iterable[str] | None = None,
    weights: str | None = None,
    noise: str | None = None,
    max_power: int | None = None,
    max_degree: int | None = None,
    powers: str | None = None,
    units: str | Iterable[str] | None = None,
    terms: str | Iterable[str] | None = None,
    only_terms: bool = False,
    constant: str | None = None,
    missing: str = "error",
    missing_value: float | Iterable[float] = (),
    format: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    threads: int | None = None,
    n_jobs: int | None = None,
    progress: bool | Tell | None = None,
) -> Triangle:
    """Reduce all rows of a table to a triangle, which `fit` takes in their place.

    The same as `eqlearn reduce` on the command line. Only triangles travel: the rows of a partition
    are read by whoever reduces it.

    Partitions (several files, the fragments of a PyArrow dataset) are reduced one after the other
    in this process, or by the engine that `joblib.parallel_config` names: loky, dask, ray or
    another. The partitions of a Dask DataFrame are reduced where they are. No engine changes a byte
    of the triangle.

    Parameters
    ----------
    data : table, list of paths, PyArrow dataset or Dask DataFrame
        A table as for `fit`: a path, a DataFrame, an Arrow table or a dict of arrays. A folder
        stands for the tables in it, sorted by name.
    target : str
        The column to explain.
    features, weights, max_power, max_degree, terms, only_terms, constant
        As for `fit`. The features are those of the first partition if not given.
    missing, missing_value, format, decimal, sheet
        As for `fit`.
    noise : str, optional
        A column with the standard deviation of each row, in place of weights.
    powers, units
        As for `fit`, but all powers must exist on every row: the terms are the same for all
        partitions.
    threads : int, optional
        For each partition. If not given, all cores in this process, and in workers what
        OMP_NUM_THREADS says, or one.
    n_jobs : int, optional
        Within `joblib.parallel_config(backend=...)`, how many partitions at a time; otherwise the
        same as `threads`.
    progress : bool or function, optional
        A bar by tqdm if not False; a function is called with (stage, done, total). Rows that
        workers read are not counted.

    Returns
    -------
    Triangle

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> x = np.linspace(-2, 2, 50)
    >>> eqlearn.reduce({"x": x, "y": x**2}, "y", max_degree=2)
    <Triangle of 50 rows: y by 3 terms of x>
    """
    given = locals()  # all keywords by name, so this line is the first
    partitions = _Partitions.of(data, Reading(given))
    of_rows = [column for column in (weights, noise) if column is not None]
    notes: list[str] = []
    if features is None:
        features, notes = partitions.numeric_columns([target, *of_rows])
    names = _request.names(features)
    request = _request.request("reduce", given, features=names, threads=None)
    columns = [*names, target, *of_rows]
    with watching(progress) as tell:
        jobs = [
            _Job(part, request, columns, threads, partitions.may_be_empty)
            for part in partitions.parts
        ]
        reduced = [Triangle._of(*one) for one in partitions.run(jobs, n_jobs, tell)]
    triangle = functools.reduce(Triangle.__add__, reduced)
    triangle.notes[:0] = notes
    return triangle


class _Part:
    """A table that somebody will read."""

    def __init__(self, data: Any, reading: dict[str, Any]) -> None:
        self.data = data
        self.reading = reading

    def origin(self, columns: list[str]) -> Any:
        if not hasattr(self.data, "scanner"):
            return origin(self.data)
        known = self.data.physical_schema.names
        strange = [name for name in columns if name not in known]
        if strange:
            raise ValueError(
                f"{self.reading['name']}: column {strange[0]!r} is not in the table; "
                f"it has {', '.join(known)}"
            )
        # One batch at a time: what is read ahead is memory that a worker may not have.
        return self.data.scanner(
            columns=columns, batch_readahead=1, fragment_readahead=1, use_threads=False
        ).to_reader()


class _Job:
    """The reduction of one partition, wherever it is called."""

    def __init__(
        self,
        part: _Part,
        request: dict[str, Any],
        columns: list[str],
        threads: int | None,
        may_be_empty: bool,
    ) -> None:
        self.part = part
        self.request = request
        self.columns = columns
        self.threads = threads
        self.may_be_empty = may_be_empty

    def here(self, n_jobs: int | None, tell: Tell | None) -> _Reduced:
        """In this process, which has nothing else to do."""
        threads = n_jobs if self.threads is None else self.threads
        return self._reduce(_request.threads_of(threads), tell)

    def in_worker(self) -> _Reduced:
        """In one of several workers, who share a machine."""
        return self._reduce(_request.threads_of(self.threads) or 1, None)

    def of_dask(self, frame: Any) -> _Reduced:
        """In the worker that has the rows of this partition."""
        part = _Part(frame, self.part.reading)
        return _Job(part, self.request, self.columns, self.threads, self.may_be_empty).in_worker()

    def _reduce(self, threads: int | None, tell: Tell | None) -> _Reduced:
        how = _request.encode(self.part.reading)
        request = _request.encode({**self.request, "threads": threads})
        return reduce_table(self.part.origin(self.columns), how, self.may_be_empty, request, tell)


class _Partitions:
    """Parts of one table, and who reduces them."""

    def __init__(self, parts: list[_Part], *, may_be_empty: bool = False) -> None:
        self.parts = parts
        self.may_be_empty = may_be_empty

    @staticmethod
    def of(data: Any, how: Reading) -> _Partitions:
        def part(data: Any, name: str = "the table") -> _Part:
            return _Part(data, how.of(data, name))

        if hasattr(data, "to_delayed") and hasattr(data, "npartitions"):
            delayed = data.to_delayed()
            return _Dask(data._meta, [part(one, f"partition {i}") for i, one in enumerate(delayed)])
        if hasattr(data, "get_fragments"):
            fragments = list(data.get_fragments())
            if not fragments:
                raise ValueError("the dataset has no fragments to read")
            parts = [
                part(one, getattr(one, "path", f"fragment {i}")) for i, one in enumerate(fragments)
            ]
            return _Partitions(parts, may_be_empty=True)
        if isinstance(data, (list, tuple)):
            paths = [path for one in data for path in _files(one, how.format)]
            if not paths:
                raise ValueError("there are no files to read")
            return _Partitions([part(path) for path in paths])
        if isinstance(data, (str, os.PathLike)):
            return _Partitions([part(path) for path in _files(data, how.format)])
        return _Partitions([part(data)])

    def numeric_columns(self, but: list[str]) -> tuple[list[str], list[str]]:
        """The features if nobody names them, and a remark on what is left out."""
        first = self.parts[0]
        # A schema tells without reading, and a stream can be read only once.
        schema = getattr(first.data, "physical_schema", None)
        if hasattr(first.data, "read_next_batch"):
            schema = first.data.schema
        data = origin(first.data) if schema is None else _one_row(schema)
        return numeric_columns(data, but, _request.encode(first.reading))

    def run(self, jobs: list[_Job], n_jobs: int | None, tell: Tell | None) -> Iterator[_Reduced]:
        """The triangles in the order of the parts."""
        with _workers.active(n_jobs) as workers:
            if workers is not None and len(jobs) > 1:
                yield from workers.each(_Job.in_worker, ((job,) for job in jobs))
                return
        rows = 0
        for job in jobs:
            triangle, notes = job.here(n_jobs, _further(tell, rows))
            rows += triangle.n_rows
            yield triangle, notes


class _Dask(_Partitions):
    """The partitions of a Dask DataFrame, reduced where they are.

    By a cluster if there is a client, else by Dask's own threads.
    """

    def __init__(self, meta: Any, parts: list[_Part]) -> None:
        super().__init__(parts, may_be_empty=True)
        self.meta = meta

    def numeric_columns(self, but: list[str]) -> tuple[list[str], list[str]]:
        numbers = [str(name) for name in self.meta.select_dtypes(["number", "bool"])]
        others = [str(name) for name in self.meta.columns if str(name) not in [*numbers, *but]]
        notes = [f"left out, not numbers: {', '.join(others)}"] if others else []
        return [name for name in numbers if name not in but], notes

    def run(self, jobs: list[_Job], n_jobs: int | None, tell: Tell | None) -> Iterator[_Reduced]:
        import dask

        tasks = []
        for job in jobs:
            frame, job.part = job.part.data, _Part(None, job.part.reading)
            tasks.append(dask.delayed(job.of_dask, pure=False, traverse=False)(frame))
        yield from dask.compute(*tasks)


def _one_row(schema: Any) -> Any:
    """A table of these columns: one row, because a table without rows is refused."""
    import pyarrow as pa

    return pa.Table.from_pylist([{}], schema=schema)


def _further(tell: Tell | None, rows_before: int) -> Tell | None:
    """Tells the rows of all parts so far."""
    if tell is None:
        return None
    return lambda stage, done, total: tell(stage, rows_before + done, total)


def _files(path: str | os.PathLike[str], format: str | None) -> list[str]:
    """The files that a path stands for: itself, or the tables in a folder by name."""
    path = os.fspath(path)
    if not os.path.isdir(path):
        return [path]
    return [str(file) for file in files_in(path, format is not None)]
