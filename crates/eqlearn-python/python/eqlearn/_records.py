"""Trajectories in tables and in arrays, as the native library takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _request
from ._native import read_records
from ._request import counted
from ._system import Array
from ._tables import Reading, is_table, origin

Given = tuple[str, Array, Array]


def read(
    data: Any, request: Mapping[str, Any], time: Any, how: Reading
) -> tuple[list[Given], dict[str, Any], list[str]]:
    """Every trajectory, the request with the names of its columns, and remarks.

    `how` says how a table is read. Tables are read by the library, which knows dates and units.
    """
    several = (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and (is_table(data[0]) or np.ndim(data[0]) == 2)
    )
    parts = list(data) if several else [data]
    if not is_table(parts[0]):
        arrays = _Arrays(time, request)
        records = arrays.records(parts, several)
        return records, {**request, "states": arrays.states}, []
    if time is not None and not isinstance(time, str):
        raise ValueError("the time of a table is the name of a column")
    tables = [
        (origin(part), _request.encode(how.of(part, f"table {number + 1}")))
        for number, part in enumerate(parts)
    ]
    named, records, notes = read_records(tables, _request.encode(request))
    return records, json.loads(named), notes


class _Arrays:
    """Trajectories in arrays, and what their columns are called."""

    def __init__(self, time: Any, request: Mapping[str, Any]) -> None:
        if request.get("trajectory") is not None:
            raise ValueError(
                "arrays have no column names: give several arrays instead of trajectory"
            )
        if request.get("features") is not None:
            raise ValueError("arrays have no column names: states gives them some, not features")
        self.time = time
        self.dt = float(request.get("dt", 1.0))
        self.states: list[str] | None = request.get("states")
        inputs = request.get("inputs", [])
        self.inputs = [inputs] if isinstance(inputs, str) else list(inputs)

    def records(self, parts: list[Any], several: bool) -> list[Given]:
        """Every trajectory."""
        times = self._times(len(parts), several)
        return [
            self._of_array(part, t, f"trajectory {number + 1}")
            for number, (part, t) in enumerate(zip(parts, times, strict=True))
        ]

    def _clock(self, n_rows: int) -> Array:
        """Times that are equally far apart."""
        return np.arange(n_rows, dtype=np.float64) * self.dt

    def _times(self, n_records: int, several: bool) -> Sequence[Any]:
        if self.time is None:
            return [None] * n_records
        if isinstance(self.time, str):
            raise ValueError("arrays have no column names: give the times themselves")
        if not several:
            return [self.time]
        # One array of times may serve all trajectories.
        if np.ndim(self.time[0]) == 0:
            return [self.time] * n_records
        if len(self.time) != n_records:
            raise ValueError(
                f"there are {len(self.time)} arrays of times for {n_records} trajectories"
            )
        return list(self.time)

    def _of_array(self, data: Any, times: Any, name: str) -> Given:
        try:
            values = np.asarray(data, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{name} does not hold numbers") from None
        if values.ndim == 1:
            values = values[:, np.newaxis]
        if values.ndim != 2:
            raise ValueError(
                f"{name} has {values.ndim} dimensions; it must have one column per state"
            )
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise ValueError(
                f"{name} is {values[row, column]} in row {row + 1}, column {column + 1}"
            )
        n_states = values.shape[1] - len(self.inputs)
        if self.states is None:
            self.states = [f"x{place}" for place in range(n_states)]
        if len(self.states) != n_states or n_states < 1:
            raise ValueError(
                f"{name} has {counted(values.shape[1], 'column')} for "
                f"{counted(len(self.states), 'state')} and {counted(len(self.inputs), 'input')}"
            )
        t = (
            self._clock(len(values))
            if times is None
            else np.asarray(times, dtype=np.float64).ravel()
        )
        if len(t) != len(values):
            rows, moments = counted(len(values), "row"), counted(len(t), "time")
            raise ValueError(f"{name} has {rows} and {moments}")
        if not np.isfinite(t).all():
            raise ValueError(f"the times of {name} are not all finite numbers")
        return name, t, values
