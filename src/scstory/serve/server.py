"""One process: the web server, and beside it the keeper."""

from __future__ import annotations

import gc
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

from scstory.config import Settings
from scstory.errors import ConfigError, Kept
from scstory.runners import opened
from scstory.serve.app import make_app
from scstory.serve.demo import Player
from scstory.serve.guard import host_name
from scstory.serve.keeping import Copied, Deciding, Following
from scstory.serve.service import Service
from scstory.store import open_store
from scstory.store.address import database_name
from scstory.store.browse import Browser
from scstory.store.webhooks import Webhooks

SWITCH = 0.0005
"""Seconds the keeper may compute before the server gets a turn; ten times less than usual."""
GRACE = 5
"""Seconds that answers under way are given when the service stops."""


def serve(
    settings: Settings, *, host: str, port: int, read_only: bool = False, demo: bool = False
) -> None:
    """Serve until told to stop by a signal; then finish what is at hand and return."""
    listening = _listen(host, port)
    with ExitStack() as stack:
        stack.callback(listening.close)
        if demo:
            folder = stack.enter_context(TemporaryDirectory(prefix="scstory-demo-"))
            settings = settings.model_copy(update={"db": str(Path(folder) / "demo.db")})
        token = settings.token.get_secret_value() if settings.token else None
        made = None
        if read_only:
            service = _reader(settings)
        else:
            made = None if token else secrets.token_urlsafe(24)
            service = _keeper(settings, stack, token or made or "", demo=demo, host=host)
        sys.setswitchinterval(SWITCH)
        gc.collect()
        gc.freeze()  # what is loaded stays: looking through it again and again halts everything
        listening.listen()  # from here on whoever comes is let wait, not turned away
        _announce(listening, settings, made, read_only=read_only, demo=demo)
        config = uvicorn.Config(
            make_app(service),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            timeout_keep_alive=30,
        )
        _Server(config, service).run(sockets=[listening])


def _reader(settings: Settings) -> Service:
    open_store(settings.db, create=False).close()  # there, ours, and of this version's schema
    return Service(
        Browser(settings.db), matcher=Copied(settings), hosts=tuple(settings.allow_hosts)
    )


def _keeper(settings: Settings, stack: ExitStack, token: str, *, demo: bool, host: str) -> Service:
    store = open_store(settings.db)
    stack.callback(store.close)
    inbox = open_store(settings.db)
    stack.callback(inbox.close)
    player = Player(inbox) if demo else None

    def report(problem: str) -> None:
        _say(f"scstory: {problem}")

    clock = player.now if player else lambda: datetime.now(UTC)
    with suppress(Kept):  # said below, or stood by
        store.claim()
    # Encoding ahead in this process would take the core that is left to those who read.
    engine, encoding = stack.enter_context(opened(store, settings, ahead=False, on_problem=report))
    deciding = Deciding(
        engine,
        store,
        clock=clock,
        encoding=encoding,
        meanwhile=Copied(settings),
        on_problem=report,
    )
    stack.callback(deciding.stop)
    if player:
        player.start()
        stack.callback(player.stop)
    if deciding.standing_by:
        report(f"standing by: {deciding.standing_by}")
    following = (
        None if demo else Following(inbox, settings, active=deciding.keeping, on_problem=report)
    )
    return Service(
        Browser(settings.db, clock=clock),
        token=token,
        inbox=inbox,
        deciding=deciding,
        following=following,
        hooks=Webhooks(settings.db),
        hosts=(host, *settings.allow_hosts),
        max_characters=settings.max_characters,
        feeds=None if demo else settings.feeds,
        allow_private=settings.feeds.allow_private,
        demo=demo,
    )


class _Server(uvicorn.Server):
    """Ends event streams before it waits for connections, and leaves no signal unanswered."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.hub.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; say in one line why there can be none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"host {host!r}: not an address of this machine ({error})") from error
    family, kind, protocol, _, address = found[0]
    # With its protocol named: only then does asyncio send answers off without delay.
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"port {port} of {host}: cannot be listened on ({error.strerror}); "
            "name another with --port"
        ) from error
    return listening


def _announce(
    listening: socket.socket, settings: Settings, made: str | None, *, read_only: bool, demo: bool
) -> None:
    address, port = listening.getsockname()[:2]
    host = f"[{address}]" if ":" in address else address
    name = database_name(settings.db) + (", reading only," if read_only else "")
    what = "a demonstration" if demo else name
    _say(f"serving {what} at http://{host}:{port}/ (stop with Ctrl-C)")
    if made:
        _say(f"token for posting, shown once (or set SCSTORY_TOKEN): {made}")
    if host_name(str(address)) in ("0.0.0.0", "::"):
        _say("reachable from other machines; put a proxy with TLS in front, see docs/serve.md")


def _say(line: str) -> None:
    # Problems quote strangers: what they write must not steer a terminal.
    shown = "".join(c if c.isprintable() else "?" for c in line)
    sys.stderr.write(f"{shown}\n")
    sys.stderr.flush()
