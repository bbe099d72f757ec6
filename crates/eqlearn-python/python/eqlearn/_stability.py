"""How stable a discovered system is: other kinds of rows, other parts of the record."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from . import _request, _workers
from ._discover import discover
from ._progress import Tell, watching
from ._records import Given, read
from ._system import Array
from ._tables import Reading

# Stretches that a record is cut into if there are fewer trajectories.
_STRETCHES = 10


@dataclass(frozen=True)
class Trial:
    """One discovery among several.

    Attributes
    ----------
    derivative : str
        How trajectories became rows.
    replicate : int
        0 for the record as it is, otherwise the number of the resampled one.
    equations : dict of str to dict of str to float
        For each state that has an equation, its terms and their coefficients.
    trouble : str or None
        Why nothing was learned, if so.
    """

    derivative: str
    replicate: int
    equations: dict[str, dict[str, float]]
    trouble: str | None


@dataclass(frozen=True, repr=False)
class Stability:
    """Many discoveries from one record, and how far they agree.

    Attributes
    ----------
    trials : list of Trial
        All of them, the record as it is first.
    """

    trials: list[Trial]

    @property
    def frequencies(self) -> dict[str, dict[str, float]]:
        """For each state the share of the trials that has each term; the most frequent first."""
        states = dict.fromkeys(state for trial in self.trials for state in trial.equations)
        return {state: self._of(state) for state in states}

    def coefficients(self, state: str, term: str) -> Array:
        """The coefficients of a term, from the trials that have it."""
        found = (trial.equations.get(state, {}).get(term) for trial in self.trials)
        return np.array([value for value in found if value is not None])

    def _of(self, state: str) -> dict[str, float]:
        supports = [trial.equations.get(state, {}) for trial in self.trials]
        terms = dict.fromkeys(term for support in supports for term in support)
        shares = {
            term: sum(term in support for support in supports) / len(supports) for term in terms
        }
        return dict(sorted(shares.items(), key=lambda entry: -entry[1]))

    def __repr__(self) -> str:
        lines = [f"<Stability of {len(self.trials)} trials>"]
        for state, shares in self.frequencies.items():
            lines.append(
                f"  {state}: " + ", ".join(f"{term} {share:.0%}" for term, share in shares.items())
            )
        return "\n".join(lines)


def stability(
    data: Any,
    *,
    derivative: str | Iterable[str] = "auto",
    bootstrap: int = 0,
    seed: int = 0,
    time: Any = None,
    dt: float | None = None,
    states: Iterable[str] | None = None,
    inputs: Iterable[str] = (),
    trajectory: str | None = None,
    missing: str = "error",
    missing_value: float | Iterable[float] = (),
    format: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    progress: bool | Tell | None = None,
    **keywords: Any,
) -> Stability:
    """Discover the same system several times: from other kinds of rows and resampled records.

    Trials are independent: within `joblib.parallel_config(backend=...)` they run on the workers of
    that engine.

    Parameters
    ----------
    data, time, dt, states, inputs, trajectory, progress, **keywords
        As for `discover`.
    missing, missing_value, format, decimal, sheet
        As for `fit`.
    derivative : str or list of str
        The kinds of rows to try, as for `discover`.
    bootstrap : int
        How often the record is resampled for each kind of rows: trajectories are drawn with
        replacement, or where there are fewer than ten, stretches of them.
    seed : int
        The seed of those draws. The same seed gives the same trials on every engine.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> t = np.linspace(0, 20, 1000)
    >>> x = np.stack([np.exp(-0.1 * t) * np.cos(t), np.exp(-0.1 * t) * np.sin(t)], axis=1)
    >>> kinds = ["weak", "central4"]
    >>> found = eqlearn.stability(
    ...     x, time=t, states=["x", "y"], derivative=kinds, bootstrap=2, max_degree=2
    ... )
    >>> len(found.trials)
    6
    >>> found.frequencies["x"]
    {'x': 1.0, 'y': 1.0}
    """
    given = locals()  # all keywords by name, so this line is the first
    schemes = (
        [derivative] if isinstance(derivative, str) else [str(scheme) for scheme in derivative]
    )
    if not schemes:
        raise ValueError("derivative names no kind of rows")
    replicates = _request.whole("bootstrap", bootstrap, 0)
    words = {"dt": dt, "states": _request.names(states), "inputs": _request.names(inputs)}
    words |= {"time": time if isinstance(time, str) else None, "trajectory": trajectory}
    asked = _request.request("discover", words)
    records, request, _ = read(data, asked, time, Reading(given))
    stretches = _stretches(records)
    dice = [np.random.default_rng([seed, replicate]) for replicate in range(1, replicates + 1)]
    resampled = [records, *(_draw(stretches, rng) for rng in dice)]
    keywords |= {"states": request["states"], "inputs": request.get("inputs", ())}
    calls = [
        (scheme, place, part, keywords)
        for scheme in schemes
        for place, part in enumerate(resampled)
    ]
    with watching(progress) as tell:
        trials: list[Trial] = []
        for trial in _workers.each(_trial, calls):
            trials.append(trial)
            if tell is not None:
                tell("trials", len(trials), len(calls))
    return Stability(trials)


def _trial(
    derivative: str, replicate: int, records: list[Given], keywords: dict[str, Any]
) -> Trial:
    values, times = [values for _, _, values in records], [times for _, times, _ in records]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = discover(values, time=times, derivative=derivative, progress=False, **keywords)
    except ValueError as error:
        if replicate == 0:
            raise
        return Trial(derivative, replicate, {}, str(error))
    learned = {state: study.coefficients for state, study in found.studies.items() if study.found}
    return Trial(derivative, replicate, learned, None)


def _stretches(records: Sequence[Given]) -> list[Given]:
    """The trajectories, cut so that there are at least ten pieces."""
    cuts = -(-_STRETCHES // len(records))
    pieces: list[Given] = []
    for name, times, values in records:
        edges = np.linspace(0, len(times), cuts + 1).astype(int)
        for first, last in pairwise(edges):
            pieces.append((name, times[first:last], values[first:last]))
    return pieces


def _draw(pieces: list[Given], rng: np.random.Generator) -> list[Given]:
    return [pieces[place] for place in rng.integers(len(pieces), size=len(pieces))]
