"""Ray: finding it, starting it here, joining it from another machine, looking at it."""

import os
import re
import secrets
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scstory.errors import ClusterError

PORT = 6379
OBJECTS = 512 * 2**20
"""Bytes of shared memory for vectors on their way; what is on its way is bounded."""
ADDRESS, STARTED = "Local node IP: ", "Ray runtime started"
"""What Ray says when it starts."""
LOOPBACK = ("127.0.0.1", "localhost")
ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""With these Ray listens on the loopback only, as it does on other systems by default."""
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Ray must not report to its makers."""


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster, and what it offers."""

    id: str
    address: str
    cpus: int
    gpus: int
    head: bool


def connect(address: str = "auto") -> Callable[[], None]:
    """Connect to Ray, or start it for this process alone if the address is "local".

    Returns what ends the connection. A process that is connected already stays so.
    """
    _set(QUIET)
    if address == "local":  # its token is known to this process alone
        _set({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})
    elif _token_file().is_file() or "RAY_AUTH_TOKEN" in os.environ:
        _set({"RAY_AUTH_MODE": "token"})
    found = ""
    try:
        found = address if address == "local" else _reachable(address)
        if found == "local" or found.rpartition(":")[0] in LOOPBACK:
            _set(ON_LOOPBACK)
        ray = load_ray()
        if ray.is_initialized():
            return lambda: None
        here = {"object_store_memory": OBJECTS, "include_dashboard": False}
        ray.init(
            address=found,
            log_to_driver=False,
            logging_level="CRITICAL",
            **(here if found == "local" else {}),
        )
    except ClusterError:
        raise
    except Exception as error:  # Ray raises what it likes
        reason = str(error).strip().split("\n")[0].rstrip(".")
        way_out = (
            "start it with: scstory cluster start, or name another with --ray-address "
            "(local: here, for this command alone)"
        )
        if found:  # a server listens there
            way_out = f"does it have the same token ({token_place()}) and the same version of Ray?"
        raise ClusterError(f"Ray at {address}: cannot be reached ({reason}); {way_out}") from error
    # Messages of Ray's own processes would land among the lines of --json.
    ray._private.worker._worker_logs_enabled = False
    return lambda: ray.shutdown()


def load_ray() -> Any:
    """Return Ray's module; say how to get it if it is not there."""
    try:
        import ray
    except ImportError as error:
        raise ClusterError("Ray is not installed: pip install 'scstory[ray]'") from error
    return ray


def _reachable(address: str) -> str:
    """Return the address if a server listens there; Ray itself would wait for very long."""
    if address == "auto":
        file = Path(os.environ.get("RAY_TMPDIR") or "/tmp", "ray", "ray_current_cluster")
        written = file.read_text().strip() if file.is_file() else ""
        address = os.environ.get("RAY_ADDRESS") or written
        if not address:
            raise ConnectionError("this machine is part of no cluster")
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        raise ConnectionError("write HOST:PORT")
    socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    return address


def nodes() -> list[Node]:
    """Return the machines that are there, the head first."""
    found = []
    for node in load_ray().nodes():
        if node["Alive"]:
            has: Mapping[str, float] = node["Resources"]
            found.append(
                Node(
                    id=node["NodeID"],
                    address=node["NodeManagerAddress"],
                    cpus=int(has.get("CPU", 0)),
                    gpus=int(has.get("GPU", 0)),
                    head="node:__internal_head__" in has,
                )
            )
    return sorted(found, key=lambda node: (not node.head, node.address, node.id))


def hold(
    *,
    head: str | None = None,
    host: str | None = None,
    port: int = PORT,
    cpus: int | None = None,
    gpus: int | None = None,
    on_started: Callable[[str], None] = lambda address: None,
) -> None:
    """Be a machine of a cluster until told to stop: of a new one, or of the one at `head`.

    Ray runs below this process and ends with it.
    """
    load_ray()
    if head:
        try:
            _reachable(head)
        except OSError as error:
            raise ClusterError(f"no cluster at {head} ({error}); name HOST:PORT") from error
    elif _taken(host or "127.0.0.1", port):
        raise ClusterError(f"port {port}: is in use; name another with --port")
    if not _token_file().is_file() and "RAY_AUTH_TOKEN" not in os.environ:
        if head:
            raise ClusterError(
                f"no token for the cluster at {head}: copy {_token_file()} from there, "
                "or set RAY_AUTH_TOKEN"
            )
        _make_token()
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block"]
    command += ["--disable-usage-stats", "--object-store-memory", str(OBJECTS)]
    command += ["--address", head] if head else ["--head", "--port", str(port)]
    command += [] if head else ["--include-dashboard", "false"]
    command += ["--node-ip-address", host] if host else []
    command += ["--num-cpus", str(cpus)] if cpus is not None else []
    command += ["--num-gpus", str(gpus)] if gpus is not None else []
    environment = {**os.environ, **QUIET, "RAY_AUTH_MODE": "token"}
    environment["RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S"] = "0"  # what is lost is done again
    if host in LOOPBACK:
        environment |= ON_LOOPBACK
    with subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C is for this process; it then ends the other in order
    ) as process:
        _watch(process, head, on_started)


def _watch(ray: subprocess.Popen[str], head: str | None, on_started: Callable[[str], None]) -> None:
    stopped = False

    def stop(number: int, frame: object) -> None:
        nonlocal stopped
        stopped = True
        ray.terminate()

    before = {n: signal.signal(n, stop) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert ray.stdout is not None
        lines, address, started = [""], "", False
        for line in ray.stdout:
            lines = [*lines[-50:], re.sub(r"^.* -- |^\[.*?\] \S+: ", "", line).strip()]
            address = line.rpartition(ADDRESS)[2].strip() if ADDRESS in line else address
            if STARTED in line:
                started = True
                on_started(address)
        code = ray.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not stopped:
        errors = [line for line in lines if re.search(r"\b(Error|Unable|[Ff]ailed|unexpect)", line)]
        reason = (errors or [f"exit code {code}"])[0].rstrip(".:")
        what = "ended" if started else f"cannot {f'join {head}' if head else 'start'}"
        raise ClusterError(f"Ray {what} ({reason}); its logs are in /tmp/ray/session_latest/logs")


def _taken(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def _set(variables: Mapping[str, str]) -> None:
    for name, value in variables.items():
        os.environ.setdefault(name, value)


def token_place() -> str:
    """Return where the token is that all machines of a cluster share."""
    return "RAY_AUTH_TOKEN" if "RAY_AUTH_TOKEN" in os.environ else str(_token_file())


def _token_file() -> Path:
    """Return where Ray looks for the token."""
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")


def _make_token() -> None:
    file = _token_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as token:
        token.write(secrets.token_hex(32))
