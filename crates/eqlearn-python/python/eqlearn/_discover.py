"""Differential equations from trajectories and fields, with the words of the command line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _fields, _request, _workers
from ._fields import FieldSystem
from ._native import discover_records, keywords
from ._progress import Tell, watching
from ._records import read
from ._study import Study, warn_of
from ._system import System
from ._tables import Reading


@dataclass(frozen=True, repr=False)
class Discovery:
    """What was learned from trajectories or fields.

    Attributes
    ----------
    system : System, FieldSystem or None
        The learned system; None unless every state, or every quantity of a field, has an equation.
    studies : dict of str to Study
        What was learned about each state or quantity.
    document : dict
        The result document, as `eqlearn discover --json` prints it: in `discovery` how rows were
        made and why, the noise of each state, and a second opinion by simulation.
    notes : list of str
        Remarks on the record.
    cleaned : list of dict of str to array, or None
        The record without its noise, a table for each stretch without a gap: the time, the states
        and, of several stretches, the name of each as `record`. None where states and coefficients
        were not fitted together.
    """

    system: System | FieldSystem | None
    studies: dict[str, Study]
    document: dict[str, Any]
    notes: list[str]
    cleaned: list[dict[str, Any]] | None = field(compare=False)

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

    @property
    def undecided(self) -> list[dict[str, Any]]:
        """Terms that the record does not decide, where all equations were fitted to it together.

        For each its `state`, its `term`, the `probability` that it is in the equation, and how many
        times as long a record would decide (`longer`; None if no record of this motion would).
        Noise that is smaller by the square root of it would decide too.
        """
        denoised = self.document["discovery"].get("denoised") or {}
        return list(denoised.get("undecided", []))

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
    features: Iterable[str] | None = None,
    inputs: Iterable[str] = (),
    t: Any = None,
    x: Any = None,
    y: Any = None,
    z: Any = None,
    axes: Mapping[str, Any] | None = None,
    field: str | Iterable[str] | None = None,
    periodic: str | Iterable[str] = (),
    max_order: int | None = None,
    mixed: bool = False,
    half_widths: Iterable[float] | None = None,
    trajectory: str | None = None,
    time_as_feature: bool = False,
    derivative: str | None = None,
    half_width: float | None = None,
    discrete: bool = False,
    order: int | None = None,
    refine: bool = False,
    denoise: str | None = None,
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
    missing_value: float | Iterable[float] = (),
    format: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    threads: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    progress: bool | Tell | None = None,
    **knobs: Any,
) -> Discovery:
    """Learn dx/dt = f(x) from trajectories, or u_t = f(u, u_x, …) from fields.

    The same as `eqlearn discover` on the command line, with the same defaults and, to the bit, the
    same answer.

    Parameters
    ----------
    data : table, array, or a list of these
        A table as for `fit`, or an array of shape (n_times, n_states); several are several
        trajectories. A field is an array with `t`, `x`, … or `axes`, a mapping from names of
        quantities to such arrays, or a DataArray or Dataset of xarray; missing values are NaN.
        Files of MATLAB are read by `scipy.io.loadmat`.
    time : str, array, or a list of arrays, optional
        The column of times: numbers, or dates and times, which are seconds since the first. For
        arrays, the times themselves.
    dt : float, optional
        The time step, where there are no times.
    states : list of str, optional
        The states; all other columns of numbers if not given. For arrays, names of the columns.
    features : list of str, optional
        The columns to learn from, in place of `states`: those that are no inputs are states.
    inputs : list of str
        Known inputs: usable in terms, with no equation of their own. For arrays, the columns after
        the states.
    t, x, y, z : array, optional
        The axes of a field: time, and one to three directions of space.
    axes : mapping of str to array, optional
        The axes of a field under other names, time first.
    field : str or list of str, optional
        The quantities of a field: a name for an array, or which of several; 'u' if not given.
    periodic : str or list of str
        The directions of space in which a field is periodic: the first point comes again one step
        after the last.
    max_order : int, optional
        The highest derivative of a field along an axis of space.
    mixed : bool
        Whether derivatives along several axes at once are among the terms of a field.
    half_widths : list of float, optional
        Half the widths of the test functions along each axis of a field, time first.
    trajectory : str, optional
        A column that separates trajectories: numbers or text.
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
    denoise : str, optional
        Whether states and coefficients of all equations are fitted to the record together: 'auto'
        (if not given) where there is much noise, 'on' wherever it is possible, 'off' never.
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
    if _fields.is_field(data, given):
        return _of_field(data, given, progress)
    time_name = time if isinstance(time, str) else "t"
    request = _request.request(
        "discover",
        given,
        time=None if time is None else time_name,
        states=_request.names(states),
        features=_request.names(features),
        inputs=_request.names(inputs),
        threads=_request.threads_of(_request.either(threads, n_jobs)),
    )
    records, request, notes = read(data, request, time, Reading(given))
    with watching(progress) as tell, _workers.active(n_jobs) as workers:
        learned = discover_records(records, _request.encode(request), tell, workers)
    if learned.n_gaps:
        notes.append(f"the record was cut at {_request.counted(learned.n_gaps, 'gap')}")
    if learned.n_short:
        were = "was" if learned.n_short == 1 else "were"
        notes.append(f"{_request.counted(learned.n_short, 'segment')} {were} too short to use")
    notes += learned.hints
    system = learned.system
    clock = request.get("time") or "t"
    found = Discovery(
        system=None if system is None else System(system, clock if time_as_feature else None),
        studies=dict(zip(request["states"], map(Study, learned.outcomes), strict=True)),
        document=json.loads(learned.document),
        notes=notes,
        cleaned=_tables_of(learned.cleaned),
    )
    warn_of(found.warnings)
    return found


def _of_field(data: Any, given: Mapping[str, Any], progress: bool | Tell | None) -> Discovery:
    own = keywords("discover fields")
    # What has a meaning for trajectories only is handed over too, to be refused by its name.
    others = set(keywords("discover")) - {*own, "time"}
    periodic = given["periodic"]
    request = _request.request(
        "discover fields",
        given,
        axes=None,
        field=None,
        periodic=[periodic] if isinstance(periodic, str) else list(periodic),
        threads=_request.threads_of(_request.either(given["threads"], given["n_jobs"])),
        **{name: given[name] for name in sorted(others) if name in given},
    )
    with watching(progress) as tell:
        learned = _fields.learn(data, given, request, tell)
    found = Discovery(
        system=None if learned.system is None else FieldSystem(learned.system),
        studies=dict(zip(learned.quantities, map(Study, learned.outcomes), strict=True)),
        document=json.loads(learned.document),
        notes=learned.hints,
        cleaned=None,
    )
    warn_of(found.warnings)
    return found


def _tables_of(
    cleaned: tuple[str, list[str], list[tuple[str, list[float], list[list[float]]]]] | None,
) -> list[dict[str, Any]] | None:
    """States without noise as tables, one per stretch, with the columns of `--save-states`."""
    if cleaned is None:
        return None
    time, states, stretches = cleaned
    tables: list[dict[str, Any]] = []
    for name, times, columns in stretches:
        label = {"record": name} if len(stretches) > 1 else {}
        own = zip([time, *states], map(np.array, [times, *columns]), strict=True)
        tables.append({**label, **dict(own)})
    return tables
