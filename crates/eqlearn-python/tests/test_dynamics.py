"""Systems from trajectories, and what can be done with them."""

import pickle

import jax
import numpy as np
import pandas as pd
import pytest
import sympy
from scipy.integrate import solve_ivp

import eqlearn

jax.config.update("jax_enable_x64", True)


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


@pytest.fixture(scope="module")
def record():
    t = np.linspace(0, 8, 1600)
    x = solve_ivp(lorenz, (0, 8), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10).y.T
    return t, x + 0.05 * np.random.default_rng(0).normal(size=x.shape)


@pytest.fixture(scope="module")
def found(record):
    t, x = record
    return eqlearn.discover(x, time=t, states=["x", "y", "z"], max_degree=3)


def test_noisy_lorenz_is_found(found):
    truth = {"x": ["x", "y"], "y": ["x", "y", "x*z"], "z": ["z", "x*y"]}
    assert {state: study.terms for state, study in found.studies.items()} == truth
    assert len(found.equations) == 3
    assert found.document["discovery"]["rows"] == "weak"
    assert found._repr_latex_().startswith(r"$\begin{gathered} \dot{x} = ")


def test_tables_arrays_and_lists_of_both_are_records(record, found):
    t, x = record
    table = pd.DataFrame(x, columns=["x", "y", "z"]).assign(t=t)
    columns = {"x": x[:, 0], "y": x[:, 1], "z": x[:, 2], "t": t}
    expected = found.system
    assert eqlearn.discover(table, time="t", max_degree=3).system == expected
    assert eqlearn.discover(columns, time="t", max_degree=3).system == expected
    halves = [x[:800], x[800:]]
    arrays = eqlearn.discover(halves, time=[t[:800], t[800:]], states=["x", "y", "z"], max_degree=3)
    tables = eqlearn.discover([table[:800], table[800:]], time="t", max_degree=3)
    assert arrays.system == tables.system
    assert arrays.system != expected


def test_integrators_can_call_it(found, record):
    t, x = record
    system = found.system
    np.testing.assert_allclose(system(0.0, x[5]), lorenz(0, x[5]), rtol=0.02, atol=0.5)
    solution = solve_ivp(system, (0, 1), x[0], t_eval=t[:100], rtol=1e-9, atol=1e-9)
    own = system.simulate(x[0], t[:100])
    assert own.reached
    assert own.why == ""
    np.testing.assert_allclose(own.x, solution.y.T, rtol=1e-4)
    assert list(own.to_frame().columns) == ["x", "y", "z"]
    vectorized = solve_ivp(system, (0, 1), x[0], method="BDF", vectorized=True)
    assert vectorized.success


def test_other_libraries_compute_the_same(found, record):
    _, x = record
    system = found.system
    expected = system(0.0, x[7])
    np.testing.assert_allclose(system.to_numpy()(0.0, x[7]), expected, rtol=1e-14)
    many = system.to_numpy()(0.0, x[:50].T)
    np.testing.assert_allclose(many[:, 7], expected, rtol=1e-14)
    slope = jax.jit(system.to_jax())
    np.testing.assert_allclose(slope(0.0, x[7]), expected, rtol=1e-12)
    jacobian = jax.jacobian(system.to_jax(), argnums=1)(0.0, x[7])
    sides = system.to_sympy()
    symbols = list(sides)
    values = dict(zip(symbols, x[7], strict=True))
    exact = [
        [float(side.diff(symbol).subs(values)) for symbol in symbols] for side in sides.values()
    ]
    np.testing.assert_allclose(jacobian, exact, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        [float(side.subs(values)) for side in sides.values()], expected, rtol=1e-12
    )


def test_every_function_of_terms_has_a_counterpart():
    rng = np.random.default_rng(0)
    x = rng.uniform(0.2, 0.9, size=80)
    names = [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "log10",
        "log2",
        "cbrt",
        "abs",
        "sign",
        "sqrt",
    ]
    from eqlearn._system import to_sympy

    for name in names:
        y = 2 * eval_numpy(
            name, x - 0.5 if name in ("abs", "sign", "cbrt") else x
        ) + 1e-6 * rng.normal(size=80)
        argument = "x-0.5" if name in ("abs", "sign", "cbrt") else "x"
        study = eqlearn.fit(
            {"x": x, "y": y},
            "y",
            terms=f"{name}({argument})",
            only_terms=True,
            method="ols",
            constant="none",
        )
        symbol = sympy.Symbol("x", real=True)
        side = to_sympy(study.model, [symbol])
        assert float(side.subs(symbol, x[3])) == pytest.approx(
            study.model.predict(x[3:4, None])[0], rel=1e-12
        )


def eval_numpy(name, x):
    name = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name)
    return getattr(np, name)(x)


def test_printed_python_computes_the_same(found, record):
    _, x = record
    names = {}
    exec(found.system.code("python"), names)
    for state in (x[7], [0.0, 0.0, 0.0], [1, -2, 3]):
        np.testing.assert_allclose(names["slope"](0.0, state), found.system(0.0, state), rtol=1e-14)


def test_systems_travel(found, tmp_path):
    system = found.system
    copy = pickle.loads(pickle.dumps(system))
    assert isinstance(copy, eqlearn.System)
    assert copy == system
    system.save(tmp_path / "system.json")
    assert eqlearn.load(tmp_path / "system.json") == system
    assert "function slope" in system.code("julia")
    assert "fn slope" in system.code("rust")
    with pytest.raises(ValueError, match="'python', 'julia' and 'rust'"):
        system.code("cobol")
    assert repr(system).startswith("<System x' = ")


def test_inputs_are_given_to_the_system():
    t = np.linspace(0, 20, 2000)
    u = np.sin(1.7 * t)
    x = solve_ivp(
        lambda s, x: -x + 2 * np.sin(1.7 * s), (0, 20), [1.0], t_eval=t, rtol=1e-10, atol=1e-12
    ).y[0]
    found = eqlearn.discover(
        np.stack([x, u], axis=1), time=t, states=["x"], inputs=["u"], max_degree=2
    )
    system = found.system
    assert found.studies["x"].terms == ["x", "u"]
    np.testing.assert_allclose(system(0.0, [1.0], u=[0.5]), [0.0], atol=1e-3)
    forced = solve_ivp(
        system, (0, 5), [1.0], args=(lambda s: np.sin(1.7 * s),), t_eval=t[:400], rtol=1e-9
    )
    np.testing.assert_allclose(forced.y[0], x[:400], atol=1e-3)
    with pytest.raises(ValueError, match="values of u"):
        system(0.0, [1.0])
    with pytest.raises(ValueError, match="no state"):
        system.simulate([1.0], [0.0, 1.0])


def test_maps_are_learned():
    x = np.empty(200)
    x[0] = 0.3
    for n in range(199):
        x[n + 1] = 3.7 * x[n] * (1 - x[n])
    system = eqlearn.discover(x, discrete=True, max_degree=3).system
    assert system.is_map
    assert system.equations[0].terms == ["x0", "x0^2"]
    np.testing.assert_allclose(system.simulate([0.3], np.arange(10)).x[:, 0], x[:10], rtol=1e-6)


def test_a_system_that_runs_away_says_so():
    t = np.linspace(0, 0.9, 300)
    found = eqlearn.discover((1 / (1 - t))[:, None], time=t, states=["x"], max_degree=3)
    simulation = found.system.simulate({"x": 1.0}, np.linspace(0, 5, 50))
    assert not simulation.reached
    assert "time" in simulation.why
    assert len(simulation.t) < 50


def test_noise_is_no_system_and_says_so():
    x = np.random.default_rng(0).normal(size=(300, 1))
    with pytest.warns(eqlearn.EquationWarning):
        found = eqlearn.discover(x, dt=0.1, max_degree=2, derivative="central2")
    assert found.system is None
    assert found.equations == []
    assert [warning["code"] for warning in found.warnings] == ["no-equation"]
    assert "chance" in found.warnings[0]["message"]


def test_states_without_noise_are_tables():
    t = np.arange(300) * 0.05
    rng = np.random.default_rng(1)
    turn = 2 * np.exp(-0.1 * t[:, None]) * np.stack([np.cos(2 * t), np.sin(2 * t)], axis=1)
    noisy = turn + 0.2 * rng.normal(size=turn.shape)
    states = ["x", "y"]
    found = eqlearn.discover(noisy, time=t, states=states, max_degree=2)
    (cleaned,) = found.cleaned
    assert list(cleaned) == ["t", "x", "y"]
    np.testing.assert_array_equal(cleaned["t"], t)
    frame = pd.DataFrame(cleaned)
    left = np.abs(frame[states].to_numpy() - turn).mean()
    assert left < 0.5 * np.abs(noisy - turn).mean()
    told = found.document["discovery"]["denoised"]["states"]
    assert [one["state"] for one in told] == states
    assert all(abs(one["chi2_per_sample"] - 1) < 0.3 for one in told)

    halves = [noisy[:150], noisy[150:]]
    two = eqlearn.discover(halves, time=[t[:150], t[150:]], states=states, max_degree=2)
    assert list(two.cleaned[1]) == ["record", "t", "x", "y"]
    assert len({one["record"] for one in two.cleaned}) == 2
    np.testing.assert_array_equal(two.cleaned[1]["t"], t[150:])

    apart = eqlearn.discover(noisy, time=t, states=states, max_degree=2, denoise="off")
    assert apart.cleaned is None


def test_terms_that_a_record_does_not_decide_are_named():
    def slope(x):
        return np.array([10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]])

    x, h, clean = np.array([-8.0, 8.0, 27.0]), 0.001, []
    for i in range(4001):
        if i % 10 == 0:
            clean.append(x)
        x = x + h * slope(x + h / 2 * slope(x))
    clean = np.array(clean)
    noise = np.random.default_rng(5).normal(size=clean.shape)
    with pytest.warns(eqlearn.EquationWarning):
        found = eqlearn.discover(clean + 2.5 * noise, dt=0.01, states=["x", "y", "z"], max_degree=2)
    named = {(one["state"], one["term"]): one for one in found.undecided}
    one = named["y", "y"]
    assert 0.05 < one["probability"] < 0.95
    assert one["longer"] > 1
    assert "hidden-terms" in [warning["code"] for warning in found.warnings]
    quiet = eqlearn.discover(clean + 0.5 * noise, dt=0.01, states=["x", "y", "z"], max_degree=2)
    assert ("y", "y") not in {(one["state"], one["term"]) for one in quiet.undecided}
