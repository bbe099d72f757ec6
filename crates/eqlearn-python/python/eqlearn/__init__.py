"""Finds the equation behind data.

Give a table and get the sparse equation that produced it, by exact search over all small subsets of
a dictionary of terms:

>>> import numpy as np, eqlearn
>>> x, z = np.sin(np.arange(40)), np.cos(1.3 * np.arange(40))
>>> noise = 0.01 * np.sin(7.9 * np.arange(40))
>>> study = eqlearn.fit({"x": x, "z": z, "y": 2 * x**2 - 3 * z + noise}, target="y", max_degree=3)
>>> study.terms
['z', 'x^2']

`fit` and `discover` take files and tables, with the words and the answers of the command line. The
estimators take arrays and fit scikit-learn and PySINDy. Nothing but the native library is imported
until it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._native import Model, __version__

if TYPE_CHECKING:
    from . import plots
    from ._discover import Discovery, discover
    from ._fields import FieldSimulation, FieldSystem
    from ._fit import fit
    from ._reduce import reduce
    from ._stability import Stability, stability
    from ._study import EquationWarning, Study
    from ._system import Simulation, System, load
    from ._triangle import Triangle
    from ._workers import engine
    from .estimators import (
        FROLS,
        MIOSR,
        SR3,
        STLSQ,
        BayesianStepwise,
        BestSubset,
        ComprehensiveSearch,
    )

__all__ = [
    "FROLS",
    "MIOSR",
    "SR3",
    "STLSQ",
    "BayesianStepwise",
    "BestSubset",
    "ComprehensiveSearch",
    "Discovery",
    "EquationWarning",
    "FieldSimulation",
    "FieldSystem",
    "Model",
    "Simulation",
    "Stability",
    "Study",
    "System",
    "Triangle",
    "__version__",
    "discover",
    "engine",
    "fit",
    "load",
    "plots",
    "reduce",
    "stability",
]

# Where each name is defined: importing scikit-learn takes longer than most fits.
_HOME = {
    "BayesianStepwise": "estimators",
    "BestSubset": "estimators",
    "ComprehensiveSearch": "estimators",
    "FROLS": "estimators",
    "MIOSR": "estimators",
    "SR3": "estimators",
    "STLSQ": "estimators",
    "Discovery": "_discover",
    "discover": "_discover",
    "FieldSimulation": "_fields",
    "FieldSystem": "_fields",
    "fit": "_fit",
    "reduce": "_reduce",
    "EquationWarning": "_study",
    "Study": "_study",
    "Simulation": "_system",
    "System": "_system",
    "load": "_system",
    "engine": "_workers",
    "Stability": "_stability",
    "stability": "_stability",
    "Triangle": "_triangle",
}


def __getattr__(name: str) -> Any:
    if name in ("plots", "estimators"):
        return importlib.import_module(f".{name}", __name__)
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
