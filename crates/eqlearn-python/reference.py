"""The book's reference of the Python package, made from its signatures and docs.

`python crates/eqlearn-python/reference.py > book/src/python-reference.md` writes it anew; a test
compares the two.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import eqlearn
from eqlearn import plots

GROUPS = {
    "Learning": ["fit", "discover", "reduce", "stability", "load", "engine"],
    "What was learned": [
        "Study",
        "Discovery",
        "System",
        "Simulation",
        "FieldSystem",
        "FieldSimulation",
        "Stability",
        "Model",
        "Triangle",
        "EquationWarning",
    ],
    "Estimators": [
        "ComprehensiveSearch",
        "BestSubset",
        "BayesianStepwise",
        "STLSQ",
        "SR3",
        "FROLS",
        "MIOSR",
    ],
}
UNDERLINED = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
# What scikit-learn gives to every estimator is explained there.
INHERITED = ("get_metadata_routing", "get_params", "set_params", "set_fit_request")


def reference() -> str:
    """The whole page."""
    lines = [
        "# Reference",
        "",
        "Every name of the package with its parameters, from the docs of the package itself:",
        "`help(eqlearn.fit)` prints the same. [In Python](python.md) has examples.",
    ]
    for title, names in GROUPS.items():
        lines += ["", f"## {title}"]
        for name in names:
            lines += entry(name, getattr(eqlearn, name))
    lines += ["", "## Plots", "", "Functions of `eqlearn.plots`; they need matplotlib."]
    for name in plots.__all__:
        lines += entry(f"plots.{name}", getattr(plots, name))
    return "\n".join(lines) + "\n"


def entry(name: str, thing: Any) -> list[str]:
    """A function or a class with its public members."""
    lines = ["", f"### {name}", "", f"`{signature(name, thing)}`", *sections(thing)]
    if not inspect.isclass(thing):
        return lines
    members = [(member, value) for member, value in vars_of(thing) if inspect.getdoc(value)]
    if members:
        lines += ["", "| member | meaning |", "|---|---|"]
    for member, value in members:
        is_call = callable(value)
        shown = signature(member, value, bound=True) if is_call else member
        first = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
        lines.append(f"| `{shown}` | {cell(first)} |")
    return lines


def vars_of(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class, its own and those of our base classes."""
    seen = set()
    for owner in thing.__mro__:
        if not owner.__module__.startswith("eqlearn"):
            continue
        # By name: native classes have no order of their own.
        for name, value in sorted(vars(owner).items()):
            is_member = isinstance(value, property) or hasattr(value, "func") or callable(value)
            is_data = inspect.isgetsetdescriptor(value)
            hidden = name.startswith("_") or name in INHERITED or name in seen
            if not hidden and (is_member or is_data):
                seen.add(name)
                yield name, value


def signature(name: str, thing: Any, *, bound: bool = False) -> str:
    """The call, without annotations: the docs say what is expected."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return name
    if bound and parameters and parameters[0].name in ("self", "$self"):
        parameters = parameters[1:]
    shown = [str(parameter.replace(annotation=inspect.Parameter.empty)) for parameter in parameters]
    kinds = [parameter.kind for parameter in parameters]
    keyword = inspect.Parameter.KEYWORD_ONLY
    if keyword in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(keyword), "*")
    return f"{name}({', '.join(shown)})"


def sections(thing: Any) -> list[str]:
    """The docs as Markdown: text, then a table of each list of names."""
    text = inspect.getdoc(thing) or ""
    first, *rest = UNDERLINED.split(text)
    lines = ["", first.strip()]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        if title == "Examples":
            code = [f"    {line}".rstrip() for line in body.strip("\n").splitlines()]
            lines += ["", "Example:", "", *code]
        elif title in ("Returns", "Yields"):
            lines += ["", f"{title}: {' '.join(body.split())}"]
        else:
            head = f"| {title.lower().removesuffix('s')} | type | meaning |"
            lines += ["", head, "|---|---|---|", *rows(body)]
    return lines


def rows(body: str) -> Iterator[str]:
    """`name : type` lines with the indented text below each, as rows of a table."""
    for block in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, text = block.partition("\n")
        name, _, kind = head.partition(" : ")
        yield f"| `{name}` | {cell(kind)} | {cell(' '.join(text.split()))} |"


def cell(text: str) -> str:
    """A text that may stand in a table."""
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(reference())
