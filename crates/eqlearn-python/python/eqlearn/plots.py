"""Plots with matplotlib. Each function takes an `ax`, draws on it, and returns it.

Examples
--------
>>> import matplotlib
>>> matplotlib.use("Agg")
>>> import numpy as np, eqlearn
>>> from eqlearn import plots
>>> x = np.linspace(-2, 2, 50)
>>> study = eqlearn.fit({"x": x, "y": 1 - x**2 + 0.01 * np.sin(50 * x)}, target="y")
>>> plots.ranking(study).get_xlabel()
'probability'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._study import Study
from ._system import System

__all__ = ["forecast_fan", "phase_portrait", "ranking", "residuals", "term_map"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def ranking(study: Study, ax: Any = None, *, most: int = 10) -> Any:
    """The equations that were compared, best first, with their probabilities.

    Parameters
    ----------
    study : Study
        What was learned.
    ax : matplotlib Axes, optional
        Where to draw; the current axes if not given.
    most : int
        How many equations to show.
    """
    ax = _axes(ax)
    shown = study._outcome.ranking[:most]
    answer = study._outcome.answer
    places = np.arange(len(shown))
    colours = ["C0" if place == answer else "0.7" for place in places]
    ax.barh(places, [probability for _, _, probability, _ in shown], color=colours)
    ax.set_yticks(places, study.equations[: len(shown)])
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.set_xlabel("probability")
    ax.set_title(study.equation or "no equation")
    return ax


def term_map(study: Study, ax: Any = None, *, most: int = 12) -> Any:
    """Which terms the best equation of each size has: what stays in can be trusted.

    Parameters
    ----------
    study : Study
        What was learned; for methods that search sizes, the best of each size, else the equations
        compared.
    ax : matplotlib Axes, optional
        Where to draw; the current axes if not given.
    most : int
        How many terms to show, those in most equations first.
    """
    ax = _axes(ax)
    search = study.document.get("search")
    if search:
        rows = [
            (str(size["size"]), set(size["best"][0]["terms"]))
            for size in search["sizes"]
            if size["best"]
        ]
        label = "terms in the equation"
    else:
        rows = [(str(i + 1), set(terms)) for i, (terms, *_) in enumerate(study._ranked()[:10])]
        label = "place in the ranking"
    count = {term: sum(term in terms for _, terms in rows) for term in study.candidates}
    used = sorted(
        (term for term in study.candidates if count[term]), key=lambda term: -count[term]
    )[:most]
    grid = np.array([[term in terms for term in used] for _, terms in rows], dtype=float)
    ax.imshow(grid.T if used else np.zeros((1, 1)), cmap="Blues", vmin=0, vmax=1.3, aspect="auto")
    ax.set_xticks(np.arange(len(rows)), [name for name, _ in rows])
    ax.set_yticks(np.arange(len(used)), used)
    ax.set_xlabel(label)
    return ax


def residuals(model: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """What the equation leaves unexplained: structure here means a term is missing.

    Parameters
    ----------
    model : estimator, Model or Study
        What predicts.
    X, y : array-like
        The features in the model's order, and the target.
    ax : matplotlib Axes, optional
        Where to draw; the current axes if not given.
    """
    ax = _axes(ax)
    if isinstance(model, Study):
        model = model.model
    predicted = np.asarray(model.predict(np.asarray(X, dtype=np.float64)))
    rest = np.asarray(y, dtype=np.float64) - predicted
    ax.scatter(predicted, rest, s=8, alpha=0.6)
    ax.axhline(0.0, color="0.4", linewidth=1)
    ax.set_xlabel("predicted")
    ax.set_ylabel("residual")
    return ax


def phase_portrait(
    system: System,
    ax: Any = None,
    *,
    x: tuple[float, float] = (-1.0, 1.0),
    y: tuple[float, float] = (-1.0, 1.0),
    states: tuple[str, str] | None = None,
    others: Mapping[str, float] | None = None,
    n: int = 25,
) -> Any:
    """Where the system goes from each point of a plane.

    Parameters
    ----------
    system : System
        The learned system.
    ax : matplotlib Axes, optional
        Where to draw; the current axes if not given.
    x, y : (float, float)
        The ranges of the two states.
    states : (str, str), optional
        The two states to show; the first two if not given.
    others : mapping, optional
        Values of the other states, 0 if not given.
    n : int
        Points per axis.
    """
    ax = _axes(ax)
    names = system.states
    first, second = states or tuple(names[:2])
    places = names.index(first), names.index(second)
    grid_x, grid_y = np.meshgrid(np.linspace(*x, n), np.linspace(*y, n))
    points = np.zeros((len(names), grid_x.size))
    for name, value in (others or {}).items():
        points[names.index(name)] = value
    points[places[0]], points[places[1]] = grid_x.ravel(), grid_y.ravel()
    slopes = system(0.0, points)
    u, v = (slopes[place].reshape(grid_x.shape) for place in places)
    ax.streamplot(grid_x, grid_y, u, v, density=1.1, linewidth=0.7, arrowsize=0.8)
    ax.set_xlabel(first)
    ax.set_ylabel(second)
    return ax


def forecast_fan(
    system: System,
    start: Sequence[float],
    times: Any,
    ax: Any = None,
    *,
    state: str | None = None,
    spread: float | Sequence[float] = 0.01,
    n: int = 50,
    seed: int = 0,
    record: tuple[Any, Any] | None = None,
) -> Any:
    """The future of one state from many starts: where the fan opens, forecasts end.

    Parameters
    ----------
    system : System
        The learned system.
    start : sequence of float
        The start that the others are scattered around.
    times : array-like
        The times to follow it to.
    ax : matplotlib Axes, optional
        Where to draw; the current axes if not given.
    state : str, optional
        The state to show; the first if not given.
    spread : float or sequence of float
        The standard deviation of the starts, for all states or for each: usually the noise of the
        record.
    n : int
        How many starts.
    seed : int
        Of the random numbers.
    record : (times, values), optional
        What the state really did, to be drawn beside.
    """
    ax = _axes(ax)
    state = state or system.states[0]
    place = system.states.index(state)
    grid = np.asarray(times, dtype=np.float64)
    centre = np.asarray(start, dtype=np.float64)
    starts = centre + np.random.default_rng(seed).normal(size=(n, len(centre))) * np.asarray(spread)
    futures = np.full((n, len(grid)), np.nan)
    for row, point in enumerate(starts):
        simulation = system.simulate(point.tolist(), grid)
        futures[row, : len(simulation.t)] = simulation.x[:, place]
    followed = np.isfinite(futures).any(axis=0)
    levels = np.nanquantile(futures[:, followed], [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)
    ax.fill_between(grid[followed], levels[0], levels[4], alpha=0.2, color="C0", linewidth=0)
    ax.fill_between(grid[followed], levels[1], levels[3], alpha=0.35, color="C0", linewidth=0)
    ax.plot(grid[followed], levels[2], color="C0", label="forecast")
    if record is not None:
        ax.plot(*record, ".", color="0.3", markersize=3, label="record")
        ax.legend()
    ax.set_xlabel("t")
    ax.set_ylabel(state)
    return ax
