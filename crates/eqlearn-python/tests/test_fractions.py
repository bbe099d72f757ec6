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


def test_a_fraction_tells_what_is_below_its_line(fraction):
    assert set(fraction.coefficients) == {"s"}
    below = fraction.denominator
    assert set(below) == {"1", "s"}
    assert abs(below["1"] / below["s"] - 0.6) < 0.02


def test_a_parameter_inside_a_term_is_found_with_its_error(family):
    assert abs(family.parameters["k"] - 0.6) < 0.02
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


def test_an_estimator_finds_a_fraction_when_it_may_go_beyond_its_terms(enzyme):
    X, y = enzyme["s"][:, None], enzyme["rate"]
    plain = eqlearn.ComprehensiveSearch(max_degree=3).fit(X, y)
    model = eqlearn.ComprehensiveSearch(max_degree=3, vocabulary="auto").fit(X, y)
    assert model.score(X, y) > plain.score(X, y)
    assert set(model.study_.denominator) == {"1", "x0"}
    assert set(model.study_.coefficients) == {"x0"} == set(model.terms_[model.coef_ != 0])
    np.testing.assert_allclose(model.predict(X), saturation(enzyme["s"]), rtol=0.01)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))


def test_targets_of_an_estimator_have_laws_of_their_own(enzyme):
    X = enzyme["s"][:, None]
    Y = np.stack([enzyme["rate"], 3 * enzyme["s"] ** 2], axis=1)
    model = eqlearn.ComprehensiveSearch(max_degree=2, vocabulary="auto").fit(X, Y)
    assert [bool(study.denominator) for study in model.study_] == [True, False]
    assert model.coef_.shape == (2, len(model.terms_))
    truth = np.stack([saturation(enzyme["s"]), Y[:, 1]], axis=1)
    np.testing.assert_allclose(model.predict(X), truth, rtol=0.01)


def test_an_estimator_leaves_out_rows_that_do_not_belong(enzyme):
    X, y = enzyme["s"][:, None], 3 * enzyme["s"] + 0.01 * np.sin(99 * enzyme["s"])
    y[::20] = -999
    model = eqlearn.ComprehensiveSearch(robust=True).fit(X, y)
    np.testing.assert_allclose(model.coef_, [3], rtol=0.01)
    assert any(w["code"] == "distrusted-rows" for w in model.study_.warnings), model.study_.warnings


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
