"""Differential equations from trajectories, with the words and the answer of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _request, _workers
from ._native import discover_records
from ._progress import Tell, watching
from ._study import Study, warn_of
from ._system import Array, System
from ._tables import is_table, read


@dataclass(frozen=True, repr=False)
class Discovery:
    """What was learned from trajectories.

    Attributes
    ----------
    system : System or None
        The learned system; None unless every state has an equation.
    studies : dict of str to Study
        What was learned about each state.
    document : dict
        The result document, as `eqlearn discover --json` prints it: in `discovery` how rows were
        made and why, the noise of each state, and a second opinion by simulation.
    notes : list of str
        Remarks on the record.
    """

    system: System | None
    studies: dict[str, Study]
    document: dict[str, Any]
    notes: list[str]

    @property
    def equations(self) -> list[str]:
        """The equations as text, of the states that have one."""
        return [equation["text"] for equation in self.document["equations"]]

    @property
    def latex(self) -> str:
        """The equations in LaTeX, one per line."""
        if self.system is not None:
            return self.system.latex
        return " \\\\\n".join(equation["latex"] for equation in self.document["equations"])

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What a careful reader should know: `code` for programs, `message` for people."""
        return list(self.document["warnings"])

    def __repr__(self) -> str:
        return f"<Discovery {'; '.join(self.equations) or 'no equation'}>"

    def _repr_latex_(self) -> str:
        return rf"$\begin{{gathered}} {self.latex} \end{{gathered}}$"


def discover(
    data: Any,
    *,
    time: Any = None,
    dt: float | None = None,
    states: Iterable[str] | None = None,
    inputs: Iterable[str] = (),
    trajectory: str | None = None,
    time_as_feature: bool = False,
    derivative: str | None = None,
    half_width: float | None = None,
    discrete: bool = False,
    order: int | None = None,
    refine: bool = False,
    max_power: int | None = None,
    max_degree: int | None = None,
    powers: str | None = None,
    units: str | Iterable[str] | None = None,
    terms: str | Iterable[str] | None = None,
    range: str | Iterable[str] | None = None,
    only_terms: bool = False,
    vocabulary: str | None = None,
    constant: str | None = None,
    method: str | None = None,
    max_terms: int | None = None,
    keep: int | None = None,
    require: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    criterion: str | None = None,
    size_prior: str | None = None,
    prune: bool | None = None,
    refit: bool = False,
    cv: int | None = None,
    missing: str = "error",
    format: str | None = None,
    threads: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: bool | Tell | None = None,
    **knobs: Any,
) -> Discovery:
    """Learn dx/dt = f(x) from one or many trajectories.

    The same as `eqlearn discover` on the command line, with the same defaults and, to the bit, the
    same answer.

    Parameters
    ----------
    data : table, array, or a list of these
        A table as for `fit`, or an array of shape (n_times, n_states); several are several
        trajectories.
    time : str, array, or a list of arrays, optional
        The column of times; for arrays, the times themselves.
    dt : float, optional
        The time step, where there are no times.
    states : list of str, optional
        The states; all other columns of numbers if not given. For arrays, names of the columns.
    inputs : list of str
        Known inputs: usable in terms, with no equation of their own. For arrays, the columns after
        the states.
    trajectory : str, optional
        A column of numbers that separates trajectories.
    time_as_feature : bool
        Whether terms may use time itself.
    derivative : str, optional
        How trajectories become rows: 'auto', 'weak', 'forward', 'trapezoid', 'central2' to
        'central8', 'pade4', 'pade6', 'pade10', 'savgol', 'spline'; 'auto' if not given.
    half_width : float, optional
        Half the width of the test functions of the weak form.
    discrete : bool
        Learn the next value of each state instead of its derivative.
    order : int, optional
        2 to learn accelerations from positions and velocities, which are called dx for a state x.
    refine : bool
        Fit the coefficients to the motion itself, by multiple shooting; keeps the terms.
    terms : str or list of str, optional
        Further terms, as for `fit`. In 'S/(?k+S)' the value of `k` is found from the motion;
        `range`, such as 'k=0.1..10', says where.
    vocabulary : str, optional
        'auto' (if not given) looks for fractions where a law seems to be outside the dictionary,
        'fractions' in any case, 'monomials' never.
    **knobs
        All other keywords as for `fit`. Neighbouring rows share samples, so nothing is chosen by
        cross-validation: a knob is given, or has its usual value.

    Returns
    -------
    Discovery

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> t = np.linspace(0, 10, 400)
    >>> x = np.stack([np.exp(-0.1 * t) * np.cos(t), np.exp(-0.1 * t) * np.sin(t)], axis=1)
    >>> found = eqlearn.discover(x, time=t, states=["x", "y"], max_degree=3)
    >>> {state: study.terms for state, study in found.studies.items()}
    {'x': ['x', 'y'], 'y': ['x', 'y']}
    """
    given = locals()  # all keywords by name, so this line is the first
    record = _Record(time, dt, states, inputs, trajectory)
    records, notes = record.of(data, missing=missing, format=format)
    time_name = time if isinstance(time, str) else "t"
    request = _request.request(
        "discover",
        given,
        time=None if time is None else time_name,
        states=record.states,
        inputs=record.inputs,
        threads=_request.threads_of(_request.either(threads, n_jobs)),
    )
    with watching(progress) as tell, _workers.active(n_jobs) as workers:
        learned = discover_records(records, _request.encode(request), tell, workers)
    if learned.n_gaps:
        notes.append(f"the record was cut at {learned.n_gaps} gaps")
    if learned.n_short:
        notes.append(f"{learned.n_short} segments were too short to use")
    assert record.states is not None, "reading the record names its states"
    system = learned.system
    found = Discovery(
        system=None if system is None else System(system, time_name if time_as_feature else None),
        studies=dict(zip(record.states, map(Study, learned.outcomes), strict=True)),
        document=json.loads(learned.document),
        notes=notes,
    )
    warn_of(found.warnings)
    return found


Given = tuple[str, Array, Array]


class _Record:
    """What the columns of trajectories are called."""

    def __init__(
        self,
        time: Any,
        dt: float | None,
        states: Iterable[str] | None,
        inputs: Iterable[str],
        trajectory: str | None,
    ) -> None:
        self.time = time
        self.dt = 1.0 if dt is None else float(dt)
        self.states = None if states is None else [str(name) for name in states]
        self.inputs = [str(name) for name in inputs]
        self.trajectory = trajectory

    def of(self, data: Any, *, missing: str, format: str | None) -> tuple[list[Given], list[str]]:
        """Every trajectory in the data."""
        several = (
            isinstance(data, (list, tuple))
            and len(data) > 0
            and (is_table(data[0]) or np.ndim(data[0]) == 2)
        )
        parts = list(data) if several else [data]
        records: list[Given] = []
        notes: list[str] = []
        if is_table(parts[0]):
            for number, part in enumerate(parts):
                found, remarks = self._of_table(part, number, missing=missing, format=format)
                records += found
                notes += remarks
        else:
            if self.trajectory is not None:
                raise ValueError(
                    "arrays have no column names: give several arrays instead of trajectory"
                )
            times = self._times(len(parts), several)
            for number, (part, t) in enumerate(zip(parts, times, strict=True)):
                records.append(self._of_array(part, t, f"trajectory {number + 1}"))
        return records, notes

    def _of_table(
        self, data: Any, number: int, *, missing: str, format: str | None
    ) -> tuple[list[Given], list[str]]:
        if self.time is not None and not isinstance(self.time, str):
            raise ValueError("the time of a table is the name of a column")
        head = [name for name in (self.time, self.trajectory) if name is not None]
        names = None if self.states is None else [*head, *self.states, *self.inputs]
        columns, notes = read(data, names, missing=missing, format=format)
        if self.states is None:
            used = {*head, *self.inputs}
            self.states = [name for name in columns if name not in used]
            if not self.states:
                raise ValueError("the table has no column of numbers that could be a state")
        wanted = [*head, *self.states, *self.inputs]
        for name in wanted:
            if name not in columns:
                raise ValueError(
                    f"column {name!r} is not in the table; it has {', '.join(columns)}"
                )
        values: Array = np.stack([columns[name] for name in [*self.states, *self.inputs]], axis=1)
        name = data if isinstance(data, str) else f"table {number + 1}"
        if self.trajectory is None:
            rows = [(name, np.arange(len(values)))]
        else:
            runs = columns[self.trajectory]
            # In order of appearance.
            _, first, group = np.unique(runs, return_index=True, return_inverse=True)
            rows = [
                (f"{name}, trajectory {runs[first[g]]:g}", np.flatnonzero(group == g))
                for g in np.argsort(first, kind="stable")
            ]
        times = None if self.time is None else columns[self.time]
        return [
            (label, self._clock(len(place)) if times is None else times[place], values[place])
            for label, place in rows
        ], notes

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
                f"{name} has {values.shape[1]} columns for {len(self.states)} states "
                f"and {len(self.inputs)} inputs"
            )
        t = (
            self._clock(len(values))
            if times is None
            else np.asarray(times, dtype=np.float64).ravel()
        )
        if len(t) != len(values):
            raise ValueError(f"{name} has {len(values)} rows and {len(t)} times")
        if not np.isfinite(t).all():
            raise ValueError(f"the times of {name} are not all finite numbers")
        return name, t, values
