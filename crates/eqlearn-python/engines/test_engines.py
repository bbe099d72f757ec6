"""Ray and Spark: the same bytes as one process, also when a worker is killed."""

import os
import signal
import threading
import time

import psutil
import pytest
from test_workers import (  # noqa: F401
    alone,
    counting,
    decided,
    lasting,
    learn_all,
    polynomial,
    send_everything,
)

import eqlearn

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", params=["ray", "spark"])
def name(request):
    if request.param == "ray":
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield "ray"
        ray.shutdown()
    else:
        from pyspark.sql import SparkSession

        # Two tasks at a time, each tried up to four times.
        session = (
            SparkSession.builder.master("local[2,4]")
            .config("spark.ui.enabled", "false")
            .getOrCreate()
        )
        yield "spark"
        session.stop()


def worker_processes(name):
    """The processes that run tasks, all below this one."""
    words = {"ray": "ray::PoolActor", "spark": "pyspark.daemon"}[name]
    children = psutil.Process().children(recursive=True)
    found = [child for child in children if words in " ".join(child.cmdline())]
    # Spark's daemon forks the workers.
    return (
        found
        if name == "ray"
        else [child for daemon in found for child in daemon.children()] or found
    )


def test_an_engine_gives_the_same_bytes(name, alone, counting):  # noqa: F811
    with eqlearn.engine(name, n_jobs=2):
        assert learn_all() == alone
    assert counting.sent > 10


def test_a_killed_worker_changes_nothing(name, counting):  # noqa: F811
    problem = polynomial(20)
    learner = eqlearn.BestSubset(max_degree=6, max_terms=8)
    whole = learner.fit(*problem).study_.document
    killed = []

    def kill_a_worker():
        # As soon as there is one, and a little later, so that it has a task.
        while not worker_processes(name):
            time.sleep(0.1)
        time.sleep(2.0)
        victim = worker_processes(name)[0]
        os.kill(victim.pid, signal.SIGKILL)
        killed.append(victim.pid)

    killer = threading.Thread(target=kill_a_worker)
    with eqlearn.engine(name, n_jobs=2):
        killer.start()
        found = learner.fit(*problem).study_.document
        still_running = killer.is_alive()
        killer.join()
    assert killed
    assert not still_running, "the search was over before the worker was killed"
    assert lasting(found) == lasting(whole)
    assert all(decided(size) == size["subsets"] for size in found["search"]["sizes"])
