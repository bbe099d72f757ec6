"""The estimators in scikit-learn: its own checks, and how people use them."""

import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import eqlearn

ALL = [getattr(eqlearn, name) for name in eqlearn.estimators.__all__]
OTHER_SETTINGS = [
    eqlearn.ComprehensiveSearch("cs-r2"),
    eqlearn.ComprehensiveSearch("cs-evidence"),
    eqlearn.ComprehensiveSearch(max_degree=2, max_terms=2, constant="forced"),
    eqlearn.STLSQ(constant="free"),
    eqlearn.FROLS(variant="pysindy"),
]


# No check is skipped and none is expected to fail.
@parametrize_with_checks([*(cls() for cls in ALL), *OTHER_SETTINGS])
@pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")
def test_scikit_learn_has_nothing_to_object(estimator, check):
    check(estimator)


@pytest.fixture
def law():
    """y = 2 a b - c + 3, with a little noise."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    y = 2 * X[:, 0] * X[:, 1] - X[:, 2] + 3 + 0.01 * rng.normal(size=80)
    return X, y


@pytest.mark.parametrize("cls", ALL)
def test_a_planted_law_is_found_and_predicted(cls, law):
    X, y = law
    model = cls(max_degree=2, constant="free").fit(X, y)
    truth = {"x2": -1.0, "x0*x1": 2.0}
    coefficients = dict(zip(model.terms_, model.coef_.round(1), strict=True))
    assert {term: w for term, w in coefficients.items() if w} == truth
    assert model.intercept_ == pytest.approx(3, abs=0.02)
    assert model.score(X, y) > 0.999
    assert model.complexity >= 3


@pytest.mark.parametrize("cls", ALL)
def test_names_come_in_and_go_out(cls, law):
    X, y = law
    table = pd.DataFrame(X, columns=["a", "b", "my c"])
    model = cls(max_degree=2, constant="free").fit(table, pd.Series(y, name="force"))
    assert list(model.feature_names_in_) == ["a", "b", "my c"]
    assert list(model.get_feature_names_out()[:3]) == ["a", "b", "`my c`"]
    assert model.equations_[0].startswith("force = ")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["b", "a", "my c"]])
    polars = cls(max_degree=2, constant="free").fit(pl.DataFrame(table), y)
    np.testing.assert_array_equal(polars.coef_, model.coef_)


@pytest.mark.parametrize("cls", ALL)
def test_several_targets_are_learned(cls, law):
    X, y = law
    both = np.stack([y - 3, X[:, 0]], axis=1)
    model = cls(max_degree=2).fit(X, both)
    assert model.coef_.shape == (2, 9)
    assert model.predict(X).shape == (80, 2)
    assert len(model.study_) == len(model.equations_) == 2
    assert model.score(X, both) > 0.99


@pytest.mark.parametrize(
    "cls", [eqlearn.ComprehensiveSearch, eqlearn.BestSubset, eqlearn.BayesianStepwise]
)
def test_searches_treat_each_target_alone(cls, law):
    X, y = law
    both = np.stack([y, X[:, 0] ** 2], axis=1)
    together = cls(max_degree=2).fit(X, both)
    apart = MultiOutputRegressor(cls(max_degree=2)).fit(X, both)
    for row, one in zip(together.coef_, apart.estimators_, strict=True):
        np.testing.assert_array_equal(row, one.coef_)


@pytest.mark.parametrize("cls", ALL)
def test_copies_by_all_roads_are_the_same(cls, law, tmp_path):
    X, y = law
    model = cls(max_degree=2).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    joblib.dump(model, tmp_path / "model")
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(tmp_path / "model")):
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert copy.study_.document == model.study_.document
        assert copy.models_ == model.models_


@pytest.mark.parametrize("cls", ALL)
def test_pipelines_and_grids_take_them(cls, law):
    X, y = law
    pipe = make_pipeline(StandardScaler(), PolynomialFeatures(2), cls())
    scores = cross_val_score(pipe, X, y, cv=3)
    assert scores.min() > 0.95
    grid = GridSearchCV(cls(constant="free"), {"max_degree": [1, 2]}, cv=3, n_jobs=2).fit(X, y)
    assert grid.best_params_ == {"max_degree": 2}
    assert np.isfinite(grid.cv_results_["mean_test_score"]).all()


def test_whole_weights_are_repetitions_and_others_are_precisions(law):
    X, y = law
    weights = np.random.default_rng(2).integers(0, 3, size=80)
    weighted = eqlearn.ComprehensiveSearch(max_degree=2).fit(X, y, sample_weight=weights)
    repeated = eqlearn.ComprehensiveSearch(max_degree=2).fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-10, atol=1e-12)
    assert weighted.models_[0].n_obs == weights.sum()
    share = eqlearn.ComprehensiveSearch(max_degree=2).fit(
        X, y, sample_weight=weights / weights.sum()
    )
    assert share.models_[0].n_obs == np.count_nonzero(weights)
    np.testing.assert_allclose(share.coef_, weighted.coef_, rtol=1e-10, atol=1e-12)


def test_the_study_tells_how_sure_one_can_be(law):
    X, y = law
    study = eqlearn.ComprehensiveSearch(max_degree=2).fit(X, y).study_
    ranking = study.ranking
    assert list(ranking.columns) == [
        "terms",
        "size",
        "score",
        "probability",
        "one_minus_r2",
        "answer",
    ]
    assert ranking.probability.sum() == pytest.approx(1)
    assert ranking[ranking.answer].terms.tolist() == [["1", "x2", "x0*x1"]]
    assert ranking.score.is_monotonic_decreasing
    assert study.probabilities["x0*x1"] > 0.99
    assert study.equations[0] == "1, x2, x0*x1"
    assert study._repr_latex_().startswith("$y = ")


def test_noise_is_no_equation_and_says_so():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    with pytest.warns(eqlearn.EquationWarning, match="better than chance") as seen:
        model = eqlearn.ComprehensiveSearch().fit(X, y)
    assert "no-equation" in {warning.message.code for warning in seen}
    assert not model.study_.found
    assert model.study_.equation is None
    assert not model.coef_.any()
    assert model.predict(X).tolist() == [model.intercept_] * 60


def test_warnings_of_the_study_are_warnings_of_python():
    x = np.linspace(0, 1, 40)
    X = np.stack([x, x + 1e-9 * np.sin(40 * x)], axis=1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = eqlearn.ComprehensiveSearch().fit(X, 3 * x + 1e-3 * np.cos(99 * x))
    codes = [warning["code"] for warning in model.study_.warnings]
    assert codes
    assert [w.message.code for w in seen if isinstance(w.message, eqlearn.EquationWarning)] == codes
    assert all(w.filename == __file__ for w in seen)


@pytest.mark.parametrize("cls", ALL)
def test_a_target_that_stands_still_is_no_trouble(cls):
    X = np.random.default_rng(0).normal(size=(30, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for y in (np.zeros(30), np.full(30, 5.0)):
            model = cls(constant="free").fit(X, y)
            np.testing.assert_allclose(model.predict(X), y, atol=0.1)
            library = np.column_stack([np.ones(30), X])
            np.testing.assert_allclose(cls().fit(library, y).predict(library), y, atol=0.1)


@pytest.mark.parametrize("cls", ALL)
def test_every_parameter_is_explained_once(cls):
    lines = [line for line in cls.__doc__.splitlines() if " : " in line and line[0] != " "]
    explained = [name for line in lines for name in line.split(" : ")[0].split(", ")]
    assert sorted(name for name in explained if not name.endswith("_")) == sorted(
        cls().get_params()
    )
    assert not {"{learner}", "{search}", "{peer}"} & set(cls.__doc__.splitlines())


def test_the_parameters_of_pysindy_may_be_given_by_place():
    assert eqlearn.STLSQ(0.2, 0.1, 7).get_params()["max_iter"] == 7
    assert eqlearn.SR3(0.1, "l1", 0.5, 1e-3, 7).get_params()["max_iter"] == 7
    assert eqlearn.FROLS(7, 0.1, 0.2).get_params()["kappa"] == 0.2
    assert eqlearn.MIOSR(None, [1, 2], 0.1).get_params()["group_sparsity"] == [1, 2]
    assert eqlearn.BestSubset(3).get_params()["max_terms"] == 3
    with pytest.raises(TypeError):
        eqlearn.BestSubset(3, 2)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (eqlearn.STLSQ(alpha=-1), "alpha is -1"),
        (eqlearn.SR3(reg_weight_lam=-1), "reg_weight_lam is -1"),
        (eqlearn.SR3(relax_coeff_nu=0), "relax_coeff_nu is 0"),
        (eqlearn.SR3(tol=-1), "tol is -1"),
        (eqlearn.FROLS(max_iter=0), "max_iter is 0"),
        (eqlearn.FROLS(kappa=-1, variant="pysindy"), "kappa is -1"),
        (eqlearn.MIOSR(target_sparsity=0), "target_sparsity is 0"),
    ],
)
def test_what_the_library_refuses_has_the_name_of_the_parameter(estimator, words, law):
    with pytest.raises(ValueError, match=words):
        estimator.fit(*law)


@pytest.mark.parametrize("cls", ALL)
def test_nothing_can_be_asked_before_fit(cls):
    for ask in (
        lambda m: m.predict([[1.0]]),
        lambda m: m.complexity,
        lambda m: m.get_feature_names_out(),
    ):
        with pytest.raises(NotFittedError):
            ask(cls())


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (eqlearn.ComprehensiveSearch("worst"), "method is 'worst'"),
        (eqlearn.ComprehensiveSearch(criterion="beauty"), 'criterion is "beauty"'),
        (eqlearn.ComprehensiveSearch(max_terms=0), "max_terms is 0"),
        (eqlearn.ComprehensiveSearch(constant="maybe"), 'constant is "maybe"'),
        (eqlearn.ComprehensiveSearch(terms="sin(q)"), "q"),
        (eqlearn.ComprehensiveSearch(require="x0^7"), "not in the dictionary"),
        (eqlearn.ComprehensiveSearch(n_jobs=0), "n_jobs"),
        (eqlearn.ComprehensiveSearch(time_limit=-1), "time_limit"),
        (eqlearn.STLSQ(threshold=np.inf), "threshold is inf"),
        (eqlearn.STLSQ(folds=1), "folds is 1"),
        (eqlearn.MIOSR(target_sparsity=None), "something must limit the terms"),
        (eqlearn.MIOSR(target_sparsity=None, group_sparsity=[1, 2]), "one limit per target"),
    ],
)
def test_parameters_without_meaning_are_refused_in_words(estimator, words, law):
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace("^", r"\^")):
        estimator.fit(*law)


def test_folds_choose_the_knob(law):
    X, y = law
    model = eqlearn.STLSQ(folds=5, max_degree=2, constant="free").fit(X, y)
    tuning = model.study_.document["regression"]["tuning"]
    assert tuning["knob"] == "threshold"
    assert sorted(model.study_.terms) == ["1", "x0*x1", "x2"]
