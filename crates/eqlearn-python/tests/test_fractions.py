"""Laws beyond sums of terms: fractions, and families with parameters inside."""

import pickle

import numpy as np
import pytest

import eqlearn

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")


def saturation(s):
    return 2.4 * s / (0.6 + s)


@pytest.fixture(scope="module")
def enzyme():
    """The rate of an enzyme: Michaelis and Menten's law."""
    rng = np.random.default_rng(3)
    s = rng.uniform(0.05, 5, size=100)
    return {"s": s, "rate": saturation(s) + 0.005 * rng.normal(size=100)}


@pytest.fixture(scope="module")
def fraction(enzyme):
    return eqlearn.fit(enzyme, "rate")


@pytest.fixture(scope="module")
def family(enzyme):
    return eqlearn.fit(
        enzyme, "rate", terms="s/(?k+s)", only_terms=True, method="ols", constant="none"
    )


def predicted(model):
    return model.predict(np.linspace(0.1, 6, 30)[:, None])


def test_a_fraction_is_found_and_predicts(fraction):
    equation = fraction.document["equations"][0]
    assert [term["term"] for term in equation["numerator"]] == ["s"]
    assert {term["term"] for term in equation["denominator"]} == {"1", "s"}
    assert ") / (" in fraction.equation
    truth = saturation(np.linspace(0.1, 6, 30))
    np.testing.assert_allclose(predicted(fraction.model), truth, rtol=0.01)


def test_a_parameter_inside_a_term_is_found_with_its_error(family):
    [k] = family.document["equations"][0]["parameters"]
    assert k["name"] == "k"
    assert abs(k["value"] - 0.6) < 4 * k["std_error"]
    truth = saturation(np.linspace(0.1, 6, 30))
    np.testing.assert_allclose(predicted(family.model), truth, rtol=0.01)


@pytest.mark.parametrize("kind", ["fraction", "family"])
def test_a_law_is_the_same_after_a_file_or_a_pickle(kind, request, tmp_path):
    study = request.getfixturevalue(kind)
    study.save(tmp_path / "law.json")
    copies = [eqlearn.load(tmp_path / "law.json"), pickle.loads(pickle.dumps(study)).model]
    for copy in copies:
        assert str(copy) == str(study.model)
        np.testing.assert_array_equal(predicted(copy), predicted(study.model))


@pytest.mark.parametrize("kind", ["fraction", "family"])
def test_a_law_is_typeset_as_a_fraction(kind, request):
    latex = request.getfixturevalue(kind).latex
    assert r"\frac{" in latex
    assert latex.count("{") == latex.count("}")


def test_an_estimator_learns_a_parameter_inside_a_term(enzyme):
    X, y = enzyme["s"][:, None], enzyme["rate"]
    search = eqlearn.ComprehensiveSearch(terms=["x0/(?k+x0)"], only_terms=True, constant="none")
    model = search.fit(X, y)
    assert model.score(X, y) > 0.999
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    np.testing.assert_allclose(model.predict(X), saturation(enzyme["s"]), rtol=0.01)


@pytest.fixture(scope="module")
def reaction():
    """A substrate that is used up, S' = -S/(0.5 + S), from three starts."""
    rng = np.random.default_rng(4)
    t = 0.02 * np.arange(200)
    records = []
    for start in (2.0, 1.0, 0.5):
        s, values = start, []
        for _ in t:
            values.append(s)
            for _ in range(20):
                middle = s - 0.0005 * s / (0.5 + s)
                s -= 0.001 * middle / (0.5 + middle)
        records.append(np.array(values)[:, None] + 0.001 * rng.normal(size=(200, 1)))
    return eqlearn.discover(records, time=t, states=["S"]).system


def test_a_system_with_a_fraction_is_the_same_in_other_libraries(reaction):
    pytest.importorskip("sympy")
    for s in (0.2, 1.5):
        expected = reaction(0.0, [s])
        np.testing.assert_allclose(expected, [-s / (0.5 + s)], rtol=0.02)
        np.testing.assert_allclose(reaction.to_numpy()(0.0, [s]), expected, rtol=1e-12)
        [(symbol, side)] = reaction.to_sympy().items()
        np.testing.assert_allclose(float(side.subs(symbol, s)), expected, rtol=1e-12)


def test_a_system_with_a_fraction_is_the_same_after_a_file(reaction, tmp_path):
    reaction.save(tmp_path / "reaction.json")
    copy = eqlearn.load(tmp_path / "reaction.json")
    assert str(copy) == str(reaction)
    np.testing.assert_array_equal(copy(0.0, [0.7]), reaction(0.0, [0.7]))
