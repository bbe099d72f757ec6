"""What comes with the package: types, examples in the docs, and nothing that is slow to import."""

import doctest
import importlib
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import eqlearn

MODULES = [
    "eqlearn",
    "eqlearn._discover",
    "eqlearn._fit",
    "eqlearn._study",
    "eqlearn._system",
    "eqlearn.estimators",
    "eqlearn.plots",
]


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")
def test_examples_in_the_docs_are_true(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert tried > 0


def test_importing_loads_nothing_heavy():
    script = "import sys, eqlearn; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "eqlearn" in loaded
    for heavy in (
        "numpy",
        "sklearn",
        "scipy",
        "pandas",
        "pyarrow",
        "matplotlib",
        "sympy",
        "jax",
        "tqdm",
    ):
        assert heavy not in loaded


def test_every_public_name_is_there_and_documented():
    for name in eqlearn.__all__:
        thing = getattr(eqlearn, name)
        assert name == "__version__" or thing.__doc__, name
    assert set(dir(eqlearn)) == set(eqlearn.__all__)
    with pytest.raises(AttributeError, match="wisdom"):
        eqlearn.wisdom  # noqa: B018


def test_the_version_is_that_of_the_library():
    assert eqlearn.__version__ == version("eqlearn")


def test_types_are_shipped_and_name_all_that_is_native():
    folder = Path(eqlearn.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_native.pyi").read_text()
    native = importlib.import_module("eqlearn._native")
    for name in dir(native):
        if not name.startswith("__"):
            assert f"def {name}(" in stub or f"class {name}" in stub, name
            thing = getattr(native, name)
            for member in vars(thing) if isinstance(thing, type) else ():
                if not member.startswith("__"):
                    assert f"def {member}(" in stub, f"{name}.{member}"
