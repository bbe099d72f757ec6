"""Plots draw on the axes they are given."""

import matplotlib as mpl
import numpy as np
import pytest

import eqlearn
from eqlearn import plots

mpl.use("Agg")
import matplotlib.pyplot as plt

x = np.linspace(-2, 2, 60)


@pytest.fixture
def study():
    return eqlearn.fit({"x": x, "y": 1 - x**2 + 0.01 * np.sin(60 * x)}, "y", max_degree=4)


@pytest.fixture(scope="module")
def system():
    t = np.linspace(0, 10, 400)
    return eqlearn.discover(
        np.stack([np.cos(t), -np.sin(t)], 1), time=t, states=["x", "v"], max_degree=2
    ).system


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    figure.canvas.draw()
    plt.close(figure)


def test_ranking_shows_probabilities(study, ax):
    assert plots.ranking(study, ax, most=3) is ax
    assert [bar.get_width() for bar in ax.patches] == study.ranking.probability[:3].tolist()
    assert [label.get_text() for label in ax.get_yticklabels()] == study.equations[:3]


def test_term_map_shows_the_best_of_each_size(study, ax):
    assert plots.term_map(study, ax) is ax
    sizes = study.document["search"]["sizes"]
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        str(size["size"]) for size in sizes
    ]
    terms = [label.get_text() for label in ax.get_yticklabels()]
    (image,) = ax.get_images()
    column = dict(zip(terms, image.get_array()[:, 1], strict=True))
    assert {term for term, there in column.items() if there} == set(sizes[1]["best"][0]["terms"])


def test_term_map_of_a_method_without_sizes_shows_its_ranking(ax):
    study = eqlearn.fit({"x": x, "y": 1 - x**2}, "y", method="bsr", max_degree=3)
    plots.term_map(study, ax)
    assert ax.get_xlabel() == "place in the ranking"


def test_residuals_of_all_that_predicts(study, ax):
    y = 1 - x**2
    for model in (study, study.model, eqlearn.ComprehensiveSearch(max_degree=2).fit(x[:, None], y)):
        plots.residuals(model, x[:, None], y, ax)
    for points in ax.collections:
        assert np.abs(points.get_offsets()[:, 1]).max() < 0.02


def test_phase_portrait_goes_round(system, ax):
    assert plots.phase_portrait(system, ax, x=(-2, 2), y=(-2, 2), n=10) is ax
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "v")
    assert ax.collections


def test_forecast_fan_is_around_the_forecast(system, ax):
    t = np.linspace(0, 3, 40)
    assert plots.forecast_fan(system, [1.0, 0.0], t, ax, n=8, record=(t, np.cos(t))) is ax
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), np.cos(t), atol=0.05)


def test_without_axes_the_current_ones_are_used(study):
    _, current = plt.subplots()
    assert plots.ranking(study) is current
    plt.close("all")
