"""What was learned about one equation, and how sure one can be of it."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._native import Model, Outcome

if TYPE_CHECKING:
    import pandas as pd


class EquationWarning(UserWarning):
    """Something that a careful reader of an equation should know.

    Attributes
    ----------
    code : str
        A stable name for programs, such as 'ambiguous'.
    """

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])


def warn_of(told: list[dict[str, str]], *, prefix: str = "", stacklevel: int = 2) -> None:
    """Issue the warnings of a document as Python warnings."""
    for warning in told:
        message = prefix + warning["message"]
        warnings.warn(EquationWarning(message, warning["code"]), stacklevel=stacklevel + 1)


@dataclass(frozen=True, repr=False)
class Study:
    """What was learned about one equation.

    Attributes
    ----------
    model : Model
        The equation; without one, the best constant or nothing.
    document : dict
        The result document, as `eqlearn fit --json` prints it.
    candidates : list of str
        All terms that there were to choose from.
    notes : list of str
        Remarks on the table.

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> x = np.linspace(-2, 2, 50)
    >>> noise = 0.01 * np.sin(50 * x)
    >>> study = eqlearn.fit({"x": x, "y": 1 - x**2 + noise}, target="y")
    >>> study.terms
    ['1', 'x^2']
    >>> study.probability > 0.9
    True
    """

    _outcome: Outcome
    notes: list[str] = field(default_factory=list)

    @property
    def model(self) -> Model:
        """The equation; without one, the best constant or nothing."""
        if len(self.experiments) > 1:
            raise ValueError("each experiment has its own equation; experiments has them by name")
        return self._outcome.model

    @property
    def experiments(self) -> dict[str, Model]:
        """The equation of each experiment of one law for several; empty for any other."""
        return dict(self._outcome.experiments)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The result document, as `eqlearn fit --json` prints it."""
        document: dict[str, Any] = json.loads(self._outcome.document)
        return document

    @property
    def candidates(self) -> list[str]:
        """All terms that there were to choose from."""
        return self._outcome.terms

    @property
    def inclusion(self) -> list[float]:
        """For each of them the probability that it belongs in the equation."""
        return self._outcome.inclusion

    @property
    def found(self) -> bool:
        """Whether the data support an equation."""
        return self._outcome.answer is not None

    @property
    def equation(self) -> str | None:
        """The equation as text, or None if the data support none."""
        equations = self.document["equations"]
        if self.experiments and equations:
            return str(equations[0]["text"])
        return str(self.model) if self.found else None

    @property
    def equations(self) -> list[str]:
        """Every equation that was compared, best first, as its terms."""
        return [", ".join(terms) or "nothing" for terms, *_ in self._ranked()]

    @property
    def latex(self) -> str:
        """The equation in LaTeX."""
        equations = self.document["equations"]
        if self.experiments and equations:
            return str(equations[0]["latex"])
        return self.model.latex

    @property
    def terms(self) -> list[str]:
        """The terms of the equation."""
        return self._outcome.model.terms

    @property
    def coefficients(self) -> dict[str, float]:
        """The coefficient of each term; of a fraction, of those above the line.

        Of one law for several experiments the mean of all; `experiments` has those of each.
        """
        if self.experiments and self.found:
            terms = self.document["equations"][0]["terms"]
            return {entry["term"]: entry["coefficient"] for entry in terms}
        model = self._outcome.model
        return dict(zip(model.terms, model.coefficients, strict=True))

    @property
    def denominator(self) -> dict[str, float]:
        """The coefficient of each term below the line of a fraction; empty for any other law."""
        return dict(self._outcome.model.denominator)

    @property
    def parameters(self) -> dict[str, float]:
        """The value of each parameter inside a term, such as the rate of an exponential."""
        return dict(self._outcome.model.parameters)

    @property
    def probability(self) -> float | None:
        """The probability of the equation among those listed; None for methods without one."""
        equations = self.document["equations"]
        return equations[0]["probability"] if equations else None

    @property
    def probabilities(self) -> dict[str, float]:
        """For each term the probability that it belongs in the equation."""
        return dict(zip(self.candidates, self.inclusion, strict=True))

    @property
    def warnings(self) -> list[dict[str, str]]:
        """What a careful reader should know: `code` for programs, `message` for people."""
        return list(self.document["warnings"])

    @property
    def ranking(self) -> pd.DataFrame:
        """Every equation that was compared, best first."""
        import pandas as pd

        answer = self._outcome.answer
        rows = [
            {
                "terms": terms,
                "size": len(terms),
                "score": score,
                "probability": probability,
                "one_minus_r2": share,
                "answer": place == answer,
            }
            for place, (terms, score, probability, share) in enumerate(self._ranked())
        ]
        return pd.DataFrame(rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that `eqlearn predict` and `eqlearn.load` read."""
        if not self.found:
            raise ValueError("the data support no equation, so there is none to save")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._outcome.model_file())

    def warn(self, *, prefix: str = "", stacklevel: int = 2) -> None:
        """Issue the warnings as Python warnings."""
        warn_of(self.warnings, prefix=prefix, stacklevel=stacklevel + 1)

    def _ranked(self) -> list[tuple[list[str], float, float, float]]:
        """Every equation that was compared: its terms, score, probability and 1 − R²."""
        candidates = self.candidates
        return [
            ([candidates[place] for place in support], score, probability, share)
            for support, score, probability, share in self._outcome.ranking
        ]

    def __reduce__(self) -> tuple[type, tuple[Outcome, list[str]]]:
        return (type(self), (self._outcome, self.notes))

    def __repr__(self) -> str:
        return f"<Study {self.equation or 'no equation'}>"

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"
