"""A learned dynamical system: followed through time, and as a function of other libraries."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ._native import Model
from ._native import System as _System

if TYPE_CHECKING:
    import pandas as pd

    from ._fields import FieldSystem

Array = np.ndarray[Any, np.dtype[np.float64]]

_ENDS = {
    "blew up": "the system blew up at time {time}",
    "pole": "the system ran into a pole at time {time}: an equation divides by zero there",
    "step collapsed": "the step size became too small at time {time}: "
    "the equations are singular or undefined there",
    "out of steps": "the limit of steps was reached at time {time}",
}


def why_ended(end: str, time: float | None) -> str:
    """What stopped a simulation, in words; empty if nothing did."""
    return _ENDS[end].format(time=time) if end in _ENDS else ""


@dataclass(frozen=True)
class Simulation:
    """States at the times that were asked for, as far as the system could be followed.

    Attributes
    ----------
    t : array
        The times that were reached.
    x : array of shape (n_times, n_states)
        The states at these times.
    states : list of str
        The names of the states.
    reached : bool
        Whether the last time was reached.
    why : str
        What stopped the simulation; empty if nothing did.
    """

    t: Array
    x: Array
    states: list[str]
    reached: bool
    why: str

    def to_frame(self) -> pd.DataFrame:
        """The times and states as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.x, columns=self.states, index=pd.Index(self.t, name="t"))


class System(_System):
    """A learned dynamical system, one equation per state.

    It can be called by integrators, `system(t, x)`, simulates by itself, pickles, and converts to
    SymPy, NumPy and JAX.

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> t = np.linspace(0, 6, 300)
    >>> found = eqlearn.discover({"t": t, "x": np.cos(t), "v": -np.sin(t)}, time="t", max_degree=2)
    >>> system = found.system
    >>> system.states
    ['x', 'v']
    >>> bool(np.allclose(system(0.0, [0.0, 1.0]), [1.0, 0.0], atol=1e-6))
    True
    >>> simulation = system.simulate({"x": 1, "v": 0}, t)
    >>> bool(np.allclose(simulation.x[:, 0], np.cos(t), atol=1e-4))
    True
    """

    time: str | None
    """The name of the feature that is time itself, if terms may use it."""

    def __new__(cls, given: str | _System, time: str | None = None) -> Self:
        """The system in the text of a model file, or the same as another."""
        system = super().__new__(cls, given)
        if time is not None and time != system.features[-1]:
            raise ValueError(f"the last feature is {system.features[-1]!r}, not the time {time!r}")
        system.time = time
        return system

    def __reduce__(self) -> tuple[type, tuple[str, str | None]]:
        return (type(self), (self.to_json(), self.time))

    def __call__(self, t: float, x: Any, u: Any = None) -> Array:
        """The derivative of every state (or its next value), as `solve_ivp` of SciPy asks for it.

        Parameters
        ----------
        t : float
            The time; used only if terms may use it.
        x : array of shape (n_states,) or (n_states, n_points)
            The states.
        u : array of shape (n_inputs,), or a function of time, optional
            The inputs, if the system has any.
        """
        states = np.asarray(x, dtype=np.float64)
        if states.ndim == 1:
            return self.slope(self._features(t, states, u))
        if states.ndim != 2:
            raise ValueError(f"the states have {states.ndim} dimensions; one or two have a meaning")
        return np.stack([self(t, point, u) for point in states.T], axis=1)

    def _features(self, t: float, states: Array, u: Any) -> Array:
        n_states, n_features = len(self.states), len(self.features)
        if len(states) != n_states:
            raise ValueError(
                f"there are {len(states)} values for the states {', '.join(self.states)}"
            )
        inputs = np.atleast_1d(
            np.asarray(u(t) if callable(u) else [] if u is None else u, dtype=np.float64)
        )
        features = np.concatenate([states, inputs])
        if self.time is not None:
            features = np.append(features, t)
        if len(features) != n_features:
            others = ", ".join(self.features[n_states:])
            raise ValueError(f"the equations also need values of {others}: give them as u")
        return features

    def simulate(
        self,
        start: Mapping[str, float] | Sequence[float],
        times: Any,
        u: Any = None,
        *,
        tolerance: float = 1e-8,
    ) -> Simulation:
        """Follow the system from a start to each of some rising times; the first is the start's.

        A system with inputs needs them as `u`: an array with a row per time, a mapping from their
        names to arrays, or a function of time. Between the times they are straight lines.

        Blowing up, a collapsing step or too many steps are answers, not errors: see `reached` and
        `why`.
        """
        if isinstance(start, Mapping):
            missing = [state for state in self.states if state not in start]
            strange = [name for name in start if name not in self.states]
            if missing or strange:
                raise ValueError(
                    f"the start needs exactly one value for each of {', '.join(self.states)}"
                )
            start = [start[state] for state in self.states]
        grid = np.asarray(times, dtype=np.float64).ravel()
        t, x, end, time = self.follow(
            [float(value) for value in start],
            grid.tolist(),
            (self._inputs(grid, u), self.time),
            float(tolerance),
        )
        why = why_ended(end, time)
        return Simulation(t=t, x=x, states=self.states, reached=end == "reached", why=why)

    def _inputs(self, times: Array, u: Any) -> list[tuple[str, list[float]]]:
        """Each input with its value at each time."""
        names = self.features[len(self.states) :]
        if self.time is not None:
            names = names[:-1]
        if u is None:
            return []
        if callable(u):
            u = np.array([np.atleast_1d(u(t)) for t in times])
        if isinstance(u, Mapping):
            known = [name for name in names if name in u]
            return [(name, np.asarray(u[name], dtype=np.float64).tolist()) for name in known]
        values = np.asarray(u, dtype=np.float64).reshape(len(times), -1)
        if values.shape[1] != len(names):
            raise ValueError(f"u has {values.shape[1]} columns for the inputs {', '.join(names)}")
        return [(name, values[:, place].tolist()) for place, name in enumerate(names)]

    def to_numpy(self) -> Callable[..., Any]:
        """A function (t, x, u=None) of NumPy; x may have any number of further axes."""
        return _function(self, np)

    def to_jax(self) -> Callable[..., Any]:
        """A function (t, x, u=None) of JAX, to be differentiated and compiled."""
        import jax.numpy as jnp

        return _function(self, jnp)

    def to_sympy(self) -> dict[Any, Any]:
        """The right side of each state's equation in SymPy, by the state's symbol."""
        import sympy

        symbols = [sympy.Symbol(name, real=True) for name in self.features]
        sides = [to_sympy(model, symbols) for model in self.equations]
        return dict(zip(symbols, sides, strict=False))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that `eqlearn simulate` and `eqlearn.load` read."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __repr__(self) -> str:
        return f"<System {'; '.join(str(self).splitlines())}>"

    def _repr_latex_(self) -> str:
        return rf"$\begin{{gathered}} {self.latex} \end{{gathered}}$"


def load(path: str | os.PathLike[str], *, time: str | None = None) -> Model | System | FieldSystem:
    """The equation, the system or the equations of a field in a model file.

    `time` names the feature that is time itself, if there is one.

    Examples
    --------
    >>> import numpy as np, eqlearn, tempfile, os
    >>> x, noise = np.linspace(-1, 1, 30), 0.01 * np.random.default_rng(0).normal(size=30)
    >>> study = eqlearn.fit({"x": x, "y": 2 * x + noise}, target="y", max_degree=2)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.json")
    >>> study.save(path)
    >>> eqlearn.load(path).terms
    ['x']
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if '"axes"' in text:
        from ._fields import FieldSystem

        return FieldSystem(text)
    try:
        return System(text, time)
    except ValueError as error:
        if "equation of a table" not in str(error):
            raise
    return Model(text)


def to_sympy(model: Model, symbols: Sequence[Any]) -> Any:
    """The right side of an equation in SymPy, over these symbols for the features."""
    import sympy

    terms = [eval(code, {"np": _Sympy, "x": symbols}) for code in model.term_codes]
    return sum(
        (sympy.Float(c, 17) * term for c, term in zip(model.coefficients, terms, strict=True)),
        sympy.S(0),
    )


class _SympyFunctions(type):
    """The functions of NumPy that terms may have, of SymPy."""

    def __getattr__(cls, name: str) -> Any:
        import sympy

        special = {
            "arcsin": sympy.asin,
            "arccos": sympy.acos,
            "arctan": sympy.atan,
            "abs": sympy.Abs,
            "log2": lambda x: sympy.log(x, 2),
            "log10": lambda x: sympy.log(x, 10),
            "cbrt": lambda x: sympy.real_root(x, 3),
            "power": sympy.Pow,
        }
        return special.get(name) or getattr(sympy, name)


class _Sympy(metaclass=_SympyFunctions):
    pass


def _function(system: System, np_like: Any) -> Callable[..., Any]:
    """The system as a function over another library's arrays."""
    n_states, n_features = len(system.states), len(system.features)
    equations = [
        [
            (c, eval(f"lambda x: {code}", {"np": np_like}))
            for c, code in zip(m.coefficients, m.term_codes, strict=True)
        ]
        for m in system.equations
    ]

    def slope(t: Any, x: Any, u: Any = None) -> Any:
        features = list(x) + ([] if u is None else list(u))
        if system.time is not None:
            features.append(t)
        if len(x) != n_states or len(features) != n_features:
            raise ValueError(f"the equations need values of {', '.join(system.features)}")
        zero = 0.0 * features[0]
        return np_like.stack(
            [sum((c * (term(features) + zero) for c, term in terms), zero) for terms in equations]
        )

    return slope
