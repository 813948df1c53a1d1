"""A crew of Dask workers: on this machine, or wherever a scheduler has them."""

from __future__ import annotations

import importlib.util
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import dask
from distributed import Client, Future, KilledWorker, LocalCluster, WorkerPlugin, get_worker, wait
from distributed.comm import CommClosedError
from distributed.security import Security

from grading.course import Plan, find_course, load_plan
from grading.crew import Batch, CrewError, Done, Lost, score_batch
from grading.results import Edition, Finished, read_edition
from grading.sandboxed import Sandbox, launch_for

_PLUGIN = "course"
_AHEAD = 2  # batches a worker has beside the one that it works on, so that it never waits for the coordinator
_ROUNDS, _BETWEEN_S = 10, 0.5
_STARTS = 3
_PATIENCE_S = 300.0  # without any worker: some take minutes to start


class ScoringWorker(WorkerPlugin):
    """What a Dask worker keeps from one batch to the next: plans, and a sandbox that is started when it is needed."""

    name = _PLUGIN

    def __init__(self, trust_students: bool) -> None:
        self._trust_students = trust_students
        self._sandbox: Sandbox | None = None
        self._plans: dict[str, tuple[Plan, Edition]] = {}

    def teardown(self, worker: Any) -> None:
        """End the sandbox."""
        if self._sandbox is not None:
            self._sandbox.close()

    def score(self, batch: Batch) -> list[Finished]:
        """The results of a batch. Raises CrewError where this machine's course is another, or has no sandbox."""
        plan, edition = self._plan(batch.assignment)
        if edition != batch.edition:
            raise CrewError(
                f"a worker has another course: its files of {batch.assignment}, its code or its Python differ from the "
                "coordinator's. Bring both to the same commit and the same lock file"
            )
        if self._sandbox is None:
            self._sandbox = Sandbox(launch_for(self._trust_students))
        return list(score_batch(batch, plan, self._sandbox))

    def _plan(self, name: str) -> tuple[Plan, Edition]:
        if name not in self._plans:
            course = find_course()
            plan = load_plan(course, name)
            self._plans[name] = plan, read_edition(course, plan)
        return self._plans[name]


def score_on_worker(batch: Batch) -> list[Finished]:
    """Run by Dask, on a worker."""
    plugin: ScoringWorker = get_worker().plugins[_PLUGIN]
    return plugin.score(batch)


class Cluster:
    """The workers that a Dask scheduler has; they may come and go."""

    def __init__(self, client: Client, trust_students: bool) -> None:
        self._client = client
        self._equip(ScoringWorker(trust_students))

    def _equip(self, plugin: ScoringWorker) -> None:
        """Give the plugin to all workers, those still to come too. Raises CrewError.

        A worker that ends just then breaks the round; the scheduler gives its successor what it has been told already.
        """
        for _ in range(_ROUNDS):
            try:
                self._client.register_plugin(plugin)
                return
            except CommClosedError:
                time.sleep(_BETWEEN_S)
        raise CrewError("the workers end while they are being prepared; see their own messages, and run again")

    @property
    def dashboard(self) -> str:
        """The address of Dask's own page about its workers; empty where it is not served."""
        return str(self._client.dashboard_link) if importlib.util.find_spec("bokeh") else ""

    @property
    def size(self) -> int:
        """How many workers there are now."""
        return len(self._client.scheduler_info(n_workers=-1)["workers"])

    def score(self, batches: Iterable[Batch], at_once: int | None = None) -> Iterator[Done | Lost]:
        """A batch whose worker ends is Lost; Dask's own second try would blame whoever was to be next."""
        waiting = iter(batches)
        under_way: dict[Future, Batch] = {}
        while True:
            room = (at_once or max(1, self.size) * (1 + _AHEAD)) - len(under_way)
            for batch in itertools.islice(waiting, max(0, room)):
                under_way[self._client.submit(score_on_worker, batch, pure=False, retries=0)] = batch
            if not under_way:
                return
            for future in self._next_done(list(under_way)):
                yield self._outcome(future, under_way.pop(future))

    def _next_done(self, futures: list[Future]) -> set[Future]:
        try:
            done: set[Future] = wait(futures, timeout=_PATIENCE_S, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            if not self.size:
                raise CrewError("no worker is left; start some and run again: what has been scored stands") from None
            return set()
        return done

    def _outcome(self, future: Future, batch: Batch) -> Done | Lost:
        if future.status == "cancelled":
            raise CrewError("the scheduler has gone; start it and run again: what has been scored stands")
        try:
            return Done(batch, future.result())
        except (KilledWorker, CommClosedError):
            return Lost(batch)
        finally:
            future.release()


@contextmanager
def local_cluster(workers: int, trust_students: bool) -> Iterator[Cluster]:
    """A scheduler and worker processes on this machine, with keys of their own so that nobody else here can talk to them."""
    # Dask serves pages about its scheduler, to every interface if not told otherwise; without bokeh there is none to be seen.
    has_pages = importlib.util.find_spec("bokeh") is not None
    routes: dict[str, Any] = {} if has_pages else {"distributed.scheduler.http.routes": []}
    options = {"threads_per_worker": 1, "processes": True, "memory_limit": 0, "dashboard_address": "127.0.0.1:0"}
    options["scheduler_kwargs"] = {"allowed_failures": 0}  # a batch whose worker ends comes back at once, and is split
    options |= {"n_workers": workers, "security": Security.temporary(), "silence_logs": 50}
    with dask.config.set(routes), started(options) as cluster, Client(cluster) as client:
        yield Cluster(client, trust_students)


def started(options: Mapping[str, Any]) -> LocalCluster:
    """A cluster of this machine, begun anew where a worker ends while it starts. Raises CrewError."""
    reason: Exception | None = None
    for _ in range(_STARTS):
        try:
            return LocalCluster(**options)
        except RuntimeError as error:
            reason = error
    raise CrewError(f"the workers of this machine cannot be started: {reason}. Is there memory for them?") from reason


@contextmanager
def cluster_at(address: str, trust_students: bool) -> Iterator[Cluster]:
    """The workers of a scheduler that runs already. Raises CrewError."""
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise CrewError(f"no scheduler answers at {address}: {error}") from error
    with client:
        yield Cluster(client, trust_students)
