"""The scripts of the book and the examples of the front pages do what they say."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPTS = sorted((ROOT / "book" / "scripts").glob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "crates" / "eqlearn-python" / "README.md"]


def run(arguments, folder):
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"MPLBACKEND": "Agg", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_scripts_of_the_book_run(script, tmp_path):
    assert run([str(script)], tmp_path)


def test_the_book_shows_every_script():
    page = (ROOT / "book" / "src" / "python.md").read_text()
    shown = re.findall(r"\{\{#include \.\./scripts/(\w+\.py)\}\}", page)
    assert sorted(shown) == [script.name for script in SCRIPTS]


@pytest.mark.parametrize("page", PAGES, ids=["project", "package"])
def test_examples_of_the_front_pages_run(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)
    assert blocks
    run(["-c", "".join(blocks)], tmp_path)


def test_the_reference_is_that_of_the_package(tmp_path):
    page = (ROOT / "book" / "src" / "python-reference.md").read_text()
    script = ROOT / "crates" / "eqlearn-python" / "reference.py"
    assert run([str(script)], tmp_path) == page, f"python {script.name} writes it anew"


def test_the_reference_has_every_name():
    import eqlearn

    page = (ROOT / "book" / "src" / "python-reference.md").read_text()
    told = set(re.findall(r"^### (\w+)$", page, flags=re.MULTILINE))
    assert told == {name for name in eqlearn.__all__ if not name.startswith("__")} - {"plots"}


def test_the_figures_of_the_book_are_drawn_as_its_script_says():
    figures = runpy.run_path(str(ROOT / "book" / "figures.py"))["FIGURES"]
    for name, draw in figures.items():
        assert draw() == (ROOT / "book" / "src" / name).read_text(), name


def test_the_data_of_the_book_are_made_as_its_script_says(tmp_path):
    data = ROOT / "book" / "src" / "data"
    script = tmp_path / "make.py"
    script.write_text((data / "make.py").read_text())
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, check=True)
    made = sorted(tmp_path.glob("*.csv"))
    assert made
    for file in made:
        assert file.read_text() == (data / file.name).read_text(), file.name
