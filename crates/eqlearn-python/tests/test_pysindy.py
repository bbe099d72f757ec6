"""PySINDy's own tests with our classes in their lists, and that both give the same numbers."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pysindy
import pytest

import eqlearn

HERE = Path(__file__).parent
FILES = [
    "test_optimizers/test_optimizers.py",
    "test_pysindy.py",
    "test_sindyc.py",
    "test_feature_library.py",
]


@pytest.fixture(scope="session")
def their_tests(tmp_path_factory):
    """The test files of the installed version, from where pip finds its source."""
    folder = tmp_path_factory.mktemp("pysindy")
    wanted = f"pysindy=={pysindy.__version__}"
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
    subprocess.run([*command, "--no-binary", ":all:", wanted, "-d", str(folder)], check=True)
    (archive,) = folder.glob("pysindy-*.tar.gz")
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if "/test/" in member.name]
        tar.extractall(folder, members=members, filter="data")
    return folder / f"pysindy-{pysindy.__version__}" / "test"


def test_their_tests_pass_with_our_classes_in_their_lists(their_tests):
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "pysindy_lists",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [*command, *FILES],
        cwd=their_tests,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.fixture
def lorenz():
    t = np.linspace(0, 4, 800)
    x = pysindy.utils.lorenz
    from scipy.integrate import solve_ivp

    solution = solve_ivp(x, (0, 4), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10)
    noise = np.random.default_rng(1).normal(size=solution.y.T.shape)
    return t, solution.y.T + 1e-3 * noise


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (pysindy.STLSQ(threshold=0.3), eqlearn.STLSQ(threshold=0.3)),
        (
            pysindy.STLSQ(threshold=2.0, alpha=0.5, normalize_columns=True, unbias=False),
            eqlearn.STLSQ(threshold=2.0, alpha=0.5, normalize_columns=True, unbias=False),
        ),
        (pysindy.SR3(reg_weight_lam=0.1), eqlearn.SR3(reg_weight_lam=0.1)),
        (
            pysindy.SR3(reg_weight_lam=0.5, regularizer="l1", relax_coeff_nu=0.1),
            eqlearn.SR3(reg_weight_lam=0.5, regularizer="l1", relax_coeff_nu=0.1),
        ),
        (pysindy.FROLS(max_iter=4), eqlearn.FROLS(max_iter=4, variant="pysindy")),
    ],
    ids=["stlsq", "stlsq-normalised", "sr3", "sr3-l1", "frols"],
)
def test_the_same_settings_give_the_same_numbers_over_all_targets(lorenz, theirs, ours):
    t, x = lorenz
    models = [pysindy.SINDy(optimizer=optimizer).fit(x, t=t) for optimizer in (theirs, ours)]
    expected, found = (model.coefficients() for model in models)
    assert found.shape == (3, 10)
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)
    np.testing.assert_array_equal(found == 0, expected == 0)


@pytest.mark.parametrize(
    "cls", [eqlearn.ComprehensiveSearch, eqlearn.BestSubset, eqlearn.BayesianStepwise]
)
def test_a_library_that_has_a_constant_gets_no_second_one(lorenz, cls):
    t, x = lorenz
    optimizer = cls()
    model = pysindy.SINDy(optimizer=optimizer).fit(x, t=t)
    assert np.count_nonzero(optimizer.intercept_) == 0
    assert model.coefficients()[0, 1:3].round(1).tolist() == [-10.0, 10.0]


def test_rows_that_pysindy_marks_are_left_out(lorenz):
    t, x = lorenz
    ends = pysindy.FiniteDifference(order=2, drop_endpoints=True)
    optimizer = eqlearn.STLSQ(threshold=0.3)
    model = pysindy.SINDy(optimizer=optimizer, differentiation_method=ends).fit(x, t=t)
    assert np.isfinite(model.coefficients()).all()
    assert model.coefficients()[0, 1:3].round(1).tolist() == [-10.0, 10.0]
    plain = np.array([[1.0, np.nan], [2.0, 1.0], [3.0, 5.0]])
    with pytest.raises(ValueError, match="NaN"):
        eqlearn.STLSQ().fit(plain, np.ones(3))


def test_it_works_in_their_ensembles(lorenz):
    t, x = lorenz
    ensemble = pysindy.EnsembleOptimizer(eqlearn.ComprehensiveSearch(), bagging=True, n_models=4)
    model = pysindy.SINDy(optimizer=ensemble).fit(x, t=t)
    assert model.coefficients()[0, 1:3].round(0).tolist() == [-10.0, 10.0]


def test_the_model_simulates_and_prints(lorenz, capsys):
    t, x = lorenz
    model = pysindy.SINDy(optimizer=eqlearn.ComprehensiveSearch()).fit(
        x, t=t, feature_names=["x", "y", "z"]
    )
    model.print()
    assert "x' = -" in capsys.readouterr().out.replace("(x)", "x")
    assert model.simulate(x[0], t[:50]).shape == (50, 3)
