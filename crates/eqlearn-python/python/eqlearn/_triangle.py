"""Rows of a table, reduced to one triangle that can be saved, sent and merged."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

from . import _request
from ._native import TriangleFile


class Triangle:
    """Rows of a table, reduced to one triangle: all that `eqlearn.fit` needs of them.

    It is what `eqlearn.reduce` returns. Triangles of parts of the rows add up, in the order of the
    parts, to the triangle of all rows; they pickle, and save as the file that `eqlearn fit` of the
    command line takes.

    Parameters
    ----------
    text : str
        What a file holds that `save` wrote.
    name : str
        What to call it in messages.

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> x = np.linspace(-2, 2, 50)
    >>> table = {"x": x, "y": 1 - x**2 + 0.01 * np.sin(50 * x)}
    >>> here = {name: column[:20] for name, column in table.items()}
    >>> there = {name: column[20:] for name, column in table.items()}
    >>> triangle = eqlearn.reduce(here, "y", max_degree=3)
    >>> triangle += eqlearn.reduce(there, "y", max_degree=3)
    >>> triangle
    <Triangle of 50 rows: y by 4 terms of x>
    >>> eqlearn.fit(triangle, progress=False).terms
    ['1', 'x^2']
    """

    __slots__ = ("_native", "notes")

    _native: TriangleFile
    notes: list[str]
    """Remarks on the tables."""

    def __init__(self, text: str, name: str = "the triangle") -> None:
        self._native = TriangleFile(text, name)
        self.notes = []

    @classmethod
    def _of(cls, native: TriangleFile, notes: Iterable[str] = ()) -> Triangle:
        triangle = cls.__new__(cls)
        triangle._native, triangle.notes = native, list(notes)
        return triangle

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Triangle:
        """The triangle of a file that `save` or `eqlearn reduce` wrote."""
        path = os.fspath(path)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a usable triangle: it is not text") from None
        return cls(text, path)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file for `Triangle.load` and the command line, whole or not at all."""
        place = Path(path)
        beside = place.with_name(f"{place.name}.{os.getpid()}.tmp")
        try:
            beside.write_text(self.to_json(), encoding="utf-8")
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)

    def to_json(self) -> str:
        """The text of the file."""
        return self._native.to_json()

    @property
    def n_rows(self) -> int:
        """How many rows were reduced."""
        return self._native.n_rows

    @property
    def target(self) -> str:
        """The column to explain."""
        return self._native.target

    @property
    def features(self) -> list[str]:
        """The inputs."""
        return self._native.features

    @property
    def terms(self) -> list[str]:
        """The terms to choose from."""
        return self._native.terms

    @property
    def weights(self) -> str | None:
        """The column of row weights, if there is one."""
        return self._native.weights

    def merge(self, *later: Triangle) -> Triangle:
        """The rows of this triangle and then of others, which must be of the same problem."""
        return reduce(Triangle.__add__, later, self)

    def __add__(self, later: Triangle) -> Triangle:
        if not isinstance(later, Triangle):
            return NotImplemented
        return Triangle._of(self._native.merged(later._native), [*self.notes, *later.notes])

    def __reduce__(self) -> tuple[object, ...]:
        return Triangle._of, (self._native, self.notes)

    def __repr__(self) -> str:
        inputs = ", ".join(self.features)
        terms = _request.counted(len(self.terms), "term")
        rows = _request.counted(self.n_rows, "row")
        return f"<Triangle of {rows}: {self.target} by {terms} of {inputs}>"
