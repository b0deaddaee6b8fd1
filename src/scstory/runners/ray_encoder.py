"""Encoders on other processors and machines, behind the seam of a single one: Ray actors.

Every machine of the cluster has as many encoders as it has cores (or GPUs) to give; they come and
go with the machines. A batch is given to one encoder at a time, and to another one if the first is
lost: vectors are a function of the text alone, so doing it twice does no harm.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scstory.errors import ClusterError, EncoderError
from scstory.runners.cluster import Node, connect, load_ray, nodes
from scstory.types import Vectors
from scstory.vectors.registry import CPU_ONLY
from scstory.vectors.remote import Described, RemoteEncoder

BATCH_CPU, BATCH_GPU = 32, 512
"""Articles of a batch: about a second's work for a core, or a GPU."""
MAX_LANES = 64
"""Encoders that are given work at the same time."""
LOOK = 1.0
"""Seconds between two looks at who has come and who has gone."""
MAX_WITHOUT_ENCODER = 120.0
"""Seconds without any encoder before that is an error."""
DEATHS = 3
"""How often an encoder's process may die over the same sentences before they are to blame."""


@dataclass(eq=False, slots=True)
class _Worker:
    """An encoder in the cluster. `told` is its answer to what it is, while that is awaited."""

    actor: Any
    node: Node
    told: Any
    ready: bool = False


class RayEncoder:
    """All encoders of a cluster as one, which takes as many calls at a time as there are.

    Parameters
    ----------
    spec, device
        Which encoder, as in `make_encoder`. Without a device it is a GPU if the encoder can use
        one and the cluster has any.
    threads
        Cores of each encoder on a CPU.
    address
        Where Ray is: "auto" for the cluster this machine is part of, "local" to start it here.
    worker
        What encodes there.
    on_problem
        Called with what is wrong with a machine that is left out.
    """

    def __init__(
        self,
        spec: str | None = None,
        *,
        device: str | None = None,
        threads: int | None = None,
        address: str = "auto",
        worker: type[RemoteEncoder] = RemoteEncoder,
        on_problem: Callable[[str], None] = lambda problem: None,
    ) -> None:
        self._disconnect = connect(address)
        self._ray = load_ray()
        self._spec, self._threads, self._worker = spec, threads or 1, worker
        self._on_problem = on_problem
        self._on_gpu = _wants_gpu(spec, device) and any(node.gpus for node in nodes())
        if device and device != "cpu" and not self._on_gpu:
            self._disconnect()
            raise ClusterError(f"device {device}: no machine of the cluster has a GPU to give")
        self.at_once = BATCH_GPU if self._on_gpu else BATCH_CPU
        self._workers: dict[str, list[_Worker]] = {}
        self._free: list[_Worker] = []
        self._changed = threading.Condition()
        self._described: Described | None = None
        self._left_out: dict[str, str] = {}
        self._since = time.monotonic()  # when there was an encoder last
        self._closed = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="cluster", daemon=True)
        self._watcher.start()
        try:
            first = self._wait_for_one()
        except BaseException:
            self.close()
            raise
        self.name, self.dim, self.fingerprint = first.name, first.dim, first.fingerprint

    @property
    def lanes(self) -> int:
        """How many encoders there are right now, at least 1."""
        with self._changed:
            return min(MAX_LANES, max(1, self._ready()))

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return one vector a sentence; wait for an encoder that is free."""
        from ray.exceptions import RayActorError, RayError, RayTaskError

        for _ in range(DEATHS):
            worker = self._borrow()
            try:
                # A copy: what Ray gives lies in shared memory, which is small.
                found: Vectors = np.array(self._ray.get(worker.actor.encode.remote(sentences)))
            except RayTaskError as error:  # the sentences' own fault
                self._give_back(worker)
                raise error.cause from None
            except RayActorError:
                self._mourn(worker)
            except RayError as error:
                self._mourn(worker)
                if self._closed.is_set():
                    raise ClusterError("the connection to Ray was closed") from error
            else:
                self._give_back(worker)
                return found
        raise EncoderError(f"the encoder's process died over it, {DEATHS} times")

    def close(self) -> None:
        """Let the encoders go, and Ray if it was connected to for this."""
        self._closed.set()
        with self._changed:
            self._changed.notify_all()
        self._watcher.join()
        for node in list(self._workers):
            self._dismiss(node)
        self._disconnect()

    # -- who is there -------------------------------------------------------------------------

    def _watch(self) -> None:
        """Follow the machines of the cluster as they come and go."""
        while not self._closed.is_set():
            try:
                self._look()
            except Exception as error:  # another time it may go better
                self._on_problem(f"the cluster cannot be seen ({str(error).splitlines()[0]})")
            self._closed.wait(LOOK)

    def _look(self) -> None:
        there = {node.id: node for node in nodes()}
        for gone in [node for node in self._workers if node not in there]:
            self._dismiss(gone)
        for node in there.values():
            if node.id not in self._left_out:
                missing = self._room(node) - len(self._workers.get(node.id, ()))
                hired = [self._hire(node) for _ in range(missing)]
                with self._changed:
                    self._workers.setdefault(node.id, []).extend(hired)
        for worker in [w for some in self._workers.values() for w in some if w.told is not None]:
            if worker.told is not None and self._ray.wait([worker.told], timeout=0)[0]:
                self._welcome(worker)
        with self._changed:
            if self._ready():
                self._since = time.monotonic()
            self._changed.notify_all()

    def _room(self, node: Node) -> int:
        return node.gpus if self._on_gpu else node.cpus // self._threads

    def _hire(self, node: Node) -> _Worker:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        actor = (
            self._ray.remote(self._worker)
            .options(
                num_cpus=1 if self._on_gpu else self._threads,
                num_gpus=1 if self._on_gpu else 0,
                max_restarts=-1,
                max_task_retries=0,  # another encoder is tried instead, and it is counted
                scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False),
            )
            .remote(self._spec, self._threads, "cuda" if self._on_gpu else None)
        )
        return _Worker(actor, node, actor.describe.remote())

    def _welcome(self, worker: _Worker) -> None:
        """Take on an encoder that has said what it is, if it is what the others are."""
        from ray.exceptions import ActorDiedError, ActorUnavailableError

        try:
            described: Described = self._ray.get(worker.told)
        except ActorUnavailableError:  # it is being started again
            worker.told = worker.actor.describe.remote()
            return
        except Exception as error:
            if isinstance(error, ActorDiedError) and not error.actor_init_failed:
                with self._changed:  # another one takes its place if its machine is still there
                    self._workers[worker.node.id].remove(worker)
                return
            self._leave_out(worker.node, f"has no encoder ({_reason(error)})")
            return
        with self._changed:
            known = self._described or described
            if (known.name, known.fingerprint) == (described.name, described.fingerprint):
                self._described, worker.told, worker.ready = known, None, True
                self._free.append(worker)
                return
        self._leave_out(
            worker.node,
            f"encodes differently ({described.name} {described.fingerprint}, scstory "
            f"{described.version}; the others {known.name} {known.fingerprint}, scstory "
            f"{known.version}): another version or another kind of processor",
        )

    def _leave_out(self, node: Node, problem: str) -> None:
        self._left_out[node.id] = problem
        self._dismiss(node.id)
        self._on_problem(f"machine {node.address} {problem}; it is not used")

    def _dismiss(self, node: str) -> None:
        with self._changed:
            workers = self._workers.pop(node, [])
            for worker in workers:
                worker.ready, worker.told = False, None
            self._free = [worker for worker in self._free if worker.ready]
        for worker in workers:
            self._ray.kill(worker.actor)

    # -- giving work --------------------------------------------------------------------------

    def _borrow(self) -> _Worker:
        with self._changed:
            while not self._free:
                self._refuse_to_wait_longer()
                self._changed.wait(LOOK)
            self._refuse_to_wait_longer()
            return self._free.pop(0)

    def _refuse_to_wait_longer(self) -> None:
        if self._closed.is_set():
            raise ClusterError("the connection to Ray was closed")
        if not self._ready() and time.monotonic() - self._since > MAX_WITHOUT_ENCODER:
            told = "; ".join(dict.fromkeys(self._left_out.values()))
            raise ClusterError(
                f"no encoder in the cluster for {MAX_WITHOUT_ENCODER:.0f} seconds"
                + (f": a machine {told}" if told else ": no core is free (another writer's?)")
            )

    def _wait_for_one(self) -> Described:
        with self._changed:
            while self._described is None:
                self._refuse_to_wait_longer()
                if self._left_out and not any(self._workers.values()):
                    raise ClusterError(f"a machine {next(iter(self._left_out.values()))}")
                self._changed.wait(LOOK)
            return self._described

    def _give_back(self, worker: _Worker) -> None:
        with self._changed:
            if worker.ready:
                self._free.append(worker)
                self._changed.notify()

    def _mourn(self, worker: _Worker) -> None:
        """An encoder is lost; Ray starts it again, unless its machine is lost too."""
        with self._changed:
            if worker.ready:
                worker.ready = False
                worker.told = worker.actor.describe.remote()

    def _ready(self) -> int:
        return sum(worker.ready for some in self._workers.values() for worker in some)


def _wants_gpu(spec: str | None, device: str | None) -> bool:
    if device:
        return device != "cpu"
    return spec is not None and spec.partition(":")[0] not in CPU_ONLY


def _reason(error: Exception) -> str:
    """Return what went wrong at the other end, in a line."""
    cause = getattr(error, "cause", None) or error
    lines = [line.strip() for line in str(cause).strip().splitlines() if line.strip()]
    return lines[-1].rstrip(".") if lines else type(cause).__name__
