"""From keywords to what the native library is asked, in the words of the command line.

The rules are the library's.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._native import keywords


def request(command: str, given: Mapping[str, Any], /, **instead: Any) -> dict[str, Any]:
    """What was said: the words of a command and `knobs`, with their values. None was not said.

    The library knows the words, so a function hands over all that it was given.
    """
    words = {word: given[word] for word in keywords(command) if word in given}
    asked = _said(words | instead)
    if knobs := given.get("knobs"):
        asked["knobs"] = _said(knobs)
    return asked


def _said(words: Mapping[str, Any]) -> dict[str, Any]:
    said = {}
    for name, value in words.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{name} is {value!r}; it must be a finite number")
        if value is not None:
            said[name.rstrip("_").replace("_", "-")] = value
    return said


def encode(request: Mapping[str, Any]) -> str:
    """The request as JSON; numbers of NumPy are numbers, and whatever can be listed is a list."""
    return json.dumps(request, default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{value!r} is not a setting")


def names(columns: Iterable[Any] | None) -> Any:
    """The names of columns as text; a single text is refused where a list is needed."""
    return (
        columns if columns is None or isinstance(columns, str) else [str(name) for name in columns]
    )


def threads_of(n_jobs: int | None) -> int | None:
    """How many threads; None is one per core.

    A worker of joblib, Dask or Ray is told its share by OMP_NUM_THREADS, as are all
    numerical libraries.
    """
    if n_jobs is None:
        share = os.environ.get("OMP_NUM_THREADS", "")
        return int(share) or None if share.isdigit() else None
    if n_jobs == 0:
        raise ValueError(
            "n_jobs == 0 has no meaning; give a number of threads, or None for all cores"
        )
    return int(n_jobs) if n_jobs > 0 else None


def either(threads: int | None, n_jobs: int | None) -> int | None:
    """The number of threads under either of its names."""
    if threads is not None and n_jobs is not None:
        raise ValueError("threads and n_jobs say the same; give one of the two")
    return n_jobs if threads is None else threads


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least this."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or value.__index__() < least:
        raise ValueError(f"{name} is {value!r}; it must be a whole number from {least} up")
    return int(value)


def counted(number: int, thing: str) -> str:
    """A number of things: `1 row`, `2 rows`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
