"""Whatever holds named columns, as the native library takes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np


def is_table(data: Any) -> bool:
    """Whether this is a file, a table of another library, or columns by name."""
    return isinstance(data, (str, os.PathLike, dict)) or hasattr(data, "__arrow_c_stream__")


def origin(data: Any) -> Any:
    """A path, a dict of arrays, or an object with Arrow's C interface."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    if isinstance(data, dict):
        return {str(name): _column(name, values) for name, values in data.items()}
    if _is_pandas(data):
        if not all(isinstance(name, str) for name in data.columns):
            data = data.rename(columns=str)
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            # Without PyArrow pandas has no Arrow interface; its numbers are arrays anyway.
            numbers = data.select_dtypes(["number", "bool"])
            return {
                name: numbers[name].to_numpy(dtype=np.float64, na_value=np.nan) for name in numbers
            }
        return data
    if hasattr(data, "__arrow_c_stream__"):
        return data
    raise TypeError(
        f"{type(data).__name__} is not a table; "
        "give a path, a DataFrame, an Arrow table or a dict of columns"
    )


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "columns")


def _column(name: Any, values: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        column = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} does not hold numbers") from None
    if column.ndim != 1:
        raise ValueError(f"column {name!r} has {column.ndim} dimensions; it must have one")
    return column


class Reading:
    """How tables are to be read, from the keywords of a function."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        missing, decimal = given["missing"], given["decimal"]
        if missing not in ("error", "drop"):
            raise ValueError(f"missing is {missing!r}; it must be 'error' or 'drop'")
        if decimal not in (None, ",", "."):
            raise ValueError(f"decimal is {decimal!r}; it must be ',' or '.'")
        codes = np.atleast_1d(np.asarray(given["missing_value"], dtype=np.float64))
        self.format: str | None = given["format"]
        self.options = {
            "format": self.format,
            "drop_missing": missing == "drop",
            "missing_values": codes.tolist(),
            "decimal": decimal,
            "sheet": given["sheet"],
        }

    def of(self, data: Any, name: str = "the table") -> dict[str, Any]:
        """The same for one table; one that is no file has this name in messages."""
        if isinstance(data, (str, os.PathLike)):
            name = os.fsdecode(data)
        return {"name": name, **self.options}
