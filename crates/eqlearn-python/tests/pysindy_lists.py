"""A plugin of pytest that puts our classes into the lists of PySINDy's own tests.

It is loaded beside PySINDy's test files, which are fetched when they are needed. Tests that have a
list of optimizers get ours; tests that name an optimizer in their body find ours under that name.
All other tests are left out: they are about PySINDy.
"""

import numpy as np
import pytest
from pytest_lazyfixture import lazy_fixture

import eqlearn

ALL = [getattr(eqlearn, name) for name in eqlearn.estimators.__all__]

# By test: the arguments of its list, and what to put there.
LISTS = {
    "test_supports_multiple_targets": ("cls, support", [(cls, True) for cls in ALL]),
    "test_fit": ("optimizer", [cls() for cls in ALL]),
    "test_not_fitted": ("optimizer", [cls() for cls in ALL]),
    "test_complexity_not_fitted": ("optimizer", [cls() for cls in ALL]),
    "test_sample_weight_optimizers": ("optimizer", ALL),
    "test_optimizers_verbose": ("optimizer", ALL),
    "test_prox_functions": ("optimizer", [eqlearn.SR3]),
    "test_fit_warn": ("optimizer", [eqlearn.STLSQ(max_iter=1), eqlearn.SR3(max_iter=1)]),
    "test_specific_bad_parameters": (
        "error, optimizer, params",
        [
            (ValueError, eqlearn.STLSQ, {"alpha": -1}),
            (ValueError, eqlearn.STLSQ, {"threshold": -1}),
            (ValueError, eqlearn.STLSQ, {"max_iter": -1}),
            (ValueError, eqlearn.FROLS, {"max_iter": -1}),
            (NotImplementedError, eqlearn.SR3, {"regularizer": "l3"}),
            (ValueError, eqlearn.SR3, {"regularizer": "weighted_l0", "reg_weight_lam": None}),
            (ValueError, eqlearn.SR3, {"reg_weight_lam": -np.ones((5, 5))}),
            (ValueError, eqlearn.SR3, {"relax_coeff_nu": 0}),
            (ValueError, eqlearn.SR3, {"tol": 0}),
            (ValueError, eqlearn.MIOSR, {"target_sparsity": 0}),
            (ValueError, eqlearn.ComprehensiveSearch, {"max_terms": 0}),
        ],
    ),
    "test_pickle": (
        ("opt_cls", "opt_args"),
        [(eqlearn.MIOSR, {"target_sparsity": 7}), *((cls, {}) for cls in ALL)],
    ),
    "test_predict": ("optimizer", [cls() for cls in ALL]),
}

# Tests of the same name in other files, with other arguments.
MORE_LISTS = {
    "test_predict": (
        "data, optimizer",
        [(lazy_fixture("data_lorenz_c_2d"), cls()) for cls in ALL],
    ),
}

# Tests that name an optimizer in their body: unbiasing, weights, ensembles, grid search, partial
# differential equations and the weak form.
BY_NAME = [
    "test_alternate_parameters",
    "test_unbias",
    "test_ensemble_optimizer",
    "test_bad_ensemble_params",
    "test_diffusion_pde",
    "test_generalized_library",
    "test_generalized_library_pde",
    "test_generalized_library_weak_pde",
    "test_parameterized_library",
    "test_1D_pdes",
    "test_1D_weak_pdes",
]


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc):
    marks = metafunc.definition.own_markers
    for lists in (LISTS, MORE_LISTS):
        arguments, values = lists.get(metafunc.function.__name__, (None, None))
        for place, mark in enumerate(marks):
            if mark.name == "parametrize" and mark.args[0] == arguments:
                marks[place] = pytest.mark.parametrize(arguments, values).mark


def pytest_collection_modifyitems(config, items):
    for item in items:
        for cls in ALL:
            if hasattr(item.module, cls.__name__):
                setattr(item.module, cls.__name__, cls)
    ours = [item for item in items if item.originalname in LISTS or item.originalname in BY_NAME]
    found = {item.originalname for item in ours}
    missing = ({*LISTS, *BY_NAME}) - found
    if missing:
        raise pytest.UsageError(
            f"PySINDy has no tests called {', '.join(sorted(missing))} any more"
        )
    config.hook.pytest_deselected(items=[item for item in items if item not in ours])
    items[:] = ours
