"""Partial differential equations from fields: arrays with axes, or objects of xarray."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ._native import FieldDiscovery, discover_fields
from ._native import FieldSystem as _FieldSystem
from ._progress import Tell
from ._request import encode
from ._system import Array, why_ended

if TYPE_CHECKING:
    import xarray

# Axes that may be given as keywords of these names, time first.
LETTERS = ("t", "x", "y", "z")

_TIMES = ("t", "time")


def is_field(data: Any, given: Mapping[str, Any]) -> bool:
    """Whether what was given is a field: it has axes."""
    first = data[0] if isinstance(data, list) and data else data
    said = [given.get("axes"), *(given.get(letter) for letter in LETTERS)]
    return any(one is not None for one in said) or _is_labelled(first)


def _is_labelled(data: Any) -> bool:
    """Whether it is a DataArray or a Dataset of xarray, or quacks like one."""
    return hasattr(data, "coords") and hasattr(data, "dims")


def learn(
    data: Any, given: Mapping[str, Any], request: dict[str, Any], tell: Tell | None
) -> FieldDiscovery:
    """What the native library finds. `given` are the keywords of `discover`."""
    _refuse_words_of_files(given)
    records = data if isinstance(data, list) and _is_several(data) else [data]
    fields = [_Field.of(record, given) for record in records]
    first = fields[0]
    request = {**request, "axes": list(first.axes), "field": list(first.quantities)}
    handed = [
        (
            "the field" if len(fields) == 1 else f"field {place + 1}",
            [(name, values.tolist()) for name, values in field.axes.items()],
            [(name, values.ravel()) for name, values in field.quantities.items()],
        )
        for place, field in enumerate(fields)
    ]
    return discover_fields(handed, encode(request), tell)


def _refuse_words_of_files(given: Mapping[str, Any]) -> None:
    said = [name for name in ("format", "decimal", "sheet") if given.get(name) is not None]
    said += ["missing"] if given.get("missing") != "error" else []
    said += ["missing_value"] if np.size(given.get("missing_value", ())) else []
    if said:
        raise ValueError(f"{said[0]} is for files of tables; in a field missing values are NaN")


def _is_several(data: list[Any]) -> bool:
    return bool(data) and (isinstance(data[0], (np.ndarray, Mapping)) or _is_labelled(data[0]))


@dataclass(frozen=True)
class _Field:
    axes: dict[str, Array]
    quantities: dict[str, Array]

    @classmethod
    def of(cls, data: Any, given: Mapping[str, Any]) -> Self:
        if _is_labelled(data):
            return cls._labelled(data, given)
        if given.get("time") is not None:
            raise ValueError("time is for trajectories; a field has t, or the first of its axes")
        axes = given.get("axes")
        if axes is None:
            axes = {name: given[name] for name in LETTERS if given.get(name) is not None}
        elif not isinstance(axes, Mapping):
            raise TypeError("axes must be a mapping from names to coordinates, time first")
        named = given.get("field")
        if isinstance(data, Mapping):
            names = [named] if isinstance(named, str) else list(named or data)
            missing = [name for name in names if name not in data]
            if missing:
                raise ValueError(f"there is no array {missing[0]!r}; there are {', '.join(data)}")
            arrays = {name: data[name] for name in names}
        else:
            names = [named] if isinstance(named, str) else list(named or ["u"])
            if len(names) != 1:
                raise ValueError("one array is one quantity; give several as a mapping")
            arrays = {names[0]: data}
        coordinates = {str(name): _coordinates(name, values) for name, values in axes.items()}
        return cls(coordinates, {name: _values(name, u, coordinates) for name, u in arrays.items()})

    @classmethod
    def _labelled(cls, data: Any, given: Mapping[str, Any]) -> Self:
        if given.get("axes") is not None or any(given.get(name) is not None for name in LETTERS):
            raise ValueError("the axes of an xarray object are its own; leave t, x and axes out")
        named = given.get("field")
        if hasattr(data, "data_vars"):
            names = [named] if isinstance(named, str) else list(named or data.data_vars)
            arrays = {str(name): data[name] for name in names}
        else:
            name = named if isinstance(named, str) else (data.name or "u")
            arrays = {str(name): data}
        dims = list(next(iter(arrays.values())).dims)
        time = given.get("time")
        if time is None:
            time = next((name for name in dims if str(name) in _TIMES), dims[0])
        if time not in dims:
            raise ValueError(
                f"there is no dimension {time!r}; there are {', '.join(map(str, dims))}"
            )
        order = [time, *(name for name in dims if name != time)]
        for name in order:
            if name not in data.coords:
                raise ValueError(f"the dimension {name!r} has no coordinates")
        coordinates = {str(name): _coordinates(name, data.coords[name].values) for name in order}
        turned = {name: array.transpose(*order).values for name, array in arrays.items()}
        return cls(coordinates, {name: _values(name, u, coordinates) for name, u in turned.items()})


def _coordinates(name: Any, values: Any) -> Array:
    """Numbers along an axis; dates are seconds since the first."""
    values = np.asarray(values)
    if np.issubdtype(values.dtype, np.datetime64):
        values = (values - values.ravel()[0]) / np.timedelta64(1, "s")
    elif np.issubdtype(values.dtype, np.timedelta64):
        values = values / np.timedelta64(1, "s")
    plain: Array = np.squeeze(np.asarray(values, dtype=np.float64))
    if plain.ndim != 1:
        raise ValueError(
            f"the axis {name!r} is an array of shape {plain.shape}; coordinates are a vector, so "
            "give one of its rows or columns"
        )
    return plain


def _values(name: str, values: Any, axes: Mapping[str, Array]) -> Array:
    """The values on the grid; masked ones are missing."""
    if np.iscomplexobj(values):
        raise ValueError(
            f"{name!r} holds complex numbers; give its real and imaginary parts as two quantities"
        )
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    array = np.ascontiguousarray(values, dtype=np.float64)
    shape = tuple(len(values) for values in axes.values())
    if array.shape != shape:
        expected = " × ".join(f"{n} in {name}" for name, n in zip(axes, shape, strict=True))
        turn = "; transpose it" if array.shape == shape[::-1] else ""
        raise ValueError(
            f"{name!r} is an array of {' × '.join(map(str, array.shape))}, but the axes have "
            f"{expected}{turn}"
        )
    return array


@dataclass(frozen=True)
class FieldSimulation:
    """A field at the times that were asked for, as far as it could be followed.

    Attributes
    ----------
    t : array
        The times that were reached.
    x : array
        The points.
    values : dict of str to array of shape (n_times, n_points)
        The quantities by name.
    reached : bool
        Whether the last time was reached.
    why : str
        What stopped the simulation; empty if nothing did.
    axes : list of str
        The names of time and of the direction of space.
    """

    t: Array
    x: Array
    values: dict[str, Array]
    reached: bool
    why: str
    axes: list[str]

    def to_xarray(self) -> xarray.Dataset:
        """The quantities as a Dataset of xarray."""
        import xarray

        time, space = self.axes
        variables = {name: ((time, space), values) for name, values in self.values.items()}
        return xarray.Dataset(variables, coords={time: self.t, space: self.x})


class FieldSystem(_FieldSystem):
    """Learned partial differential equations, one per quantity.

    It simulates by itself where the field is periodic in one direction of space, pickles, and is
    saved for `eqlearn simulate`.

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> t, x = np.linspace(0, 4, 60), 2 * np.pi * np.arange(64) / 64
    >>> wave = lambda s: np.sin(s) + 0.5 * np.cos(2 * s) + 0.3 * np.sin(3 * s)
    >>> u = wave(x - 0.5 * t[:, None])
    >>> found = eqlearn.discover(u, t=t, x=x, periodic="x", max_order=2, max_degree=2)
    >>> found.system.equations[0].terms
    ['u_x']
    >>> simulation = found.system.simulate(u[0], t, x)
    >>> bool(np.allclose(simulation.values["u"], u, atol=1e-4))
    True
    """

    def simulate(
        self,
        start: Mapping[str, Any] | Sequence[float] | Array,
        times: Any,
        x: Any,
        *,
        tolerance: float = 1e-8,
    ) -> FieldSimulation:
        """Follow the field from a start to each of some rising times; the first is the start's.

        `start` has a value for each of the equally spaced points `x`: an array, or a mapping from
        the names of several quantities to arrays. The field is periodic: the first point comes
        again one step after the last.
        """
        points = _coordinates("x", x)
        steps = np.diff(points)
        if len(points) < 2 or not np.allclose(steps, steps.mean(), rtol=1e-3, atol=0):
            raise ValueError("the points x must rise by equal steps")
        if isinstance(start, Mapping):
            missing = [name for name in self.quantities if name not in start]
            if missing:
                raise ValueError(f"the start has no values of {missing[0]!r}")
            lines = [start[name] for name in self.quantities]
        else:
            lines = [start]
        lines = [np.asarray(line, dtype=np.float64).ravel() for line in lines]
        for line in lines:
            if len(line) != len(points):
                raise ValueError(f"the start has {len(line)} values for {len(points)} points")
        grid = np.asarray(times, dtype=np.float64).ravel()
        length = float(steps.mean()) * len(points)
        t, values, end, time = self.follow(
            [line.tolist() for line in lines], length, grid.tolist(), float(tolerance)
        )
        shaped = [one.reshape(len(t), len(points)) for one in values]
        return FieldSimulation(
            t=t,
            x=points,
            values=dict(zip(self.quantities, shaped, strict=True)),
            reached=end == "reached",
            why=why_ended(end, time),
            axes=self.axes,
        )

    def save(self, path: Any) -> None:
        """Write the model file that `eqlearn simulate` and `eqlearn.load` read."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __repr__(self) -> str:
        return f"<FieldSystem {'; '.join(str(self).splitlines())}>"

    def _repr_latex_(self) -> str:
        return rf"$\begin{{gathered}} {self.latex} \end{{gathered}}$"
