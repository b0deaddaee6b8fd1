"""The server process: the web server and, beside it, the writer."""

import gc
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn

from scstory.config import Settings
from scstory.errors import AlreadyClaimed, ConfigError
from scstory.runners import opened
from scstory.serve.app import make_app
from scstory.serve.background import EngineReplica, FeedThread, WriterThread
from scstory.serve.demo_player import Player
from scstory.serve.guard import host_name
from scstory.serve.images import Images
from scstory.serve.rewriting import Rewriter
from scstory.serve.service import Service
from scstory.store import open_store
from scstory.store.address import database_name
from scstory.store.rewritten import RewrittenSummaries
from scstory.store.store_reader import SharedReader
from scstory.store.webhooks import Webhooks

THREAD_SWITCH_SECONDS = 0.0005
"""How long the writer's thread may compute before the server's; ten times less than usual."""
SHUTDOWN_SECONDS = 5
"""How long unfinished responses may take when the service stops."""


def serve(
    settings: Settings, *, read_only: bool = False, demo: bool = False, program: str = "scstory"
) -> None:
    """Serve until a signal; then finish the current work and return.

    `program` is the command that pages tell a reader to type.
    """
    listening = _listen(settings.host, settings.port)
    with ExitStack() as stack:
        stack.callback(listening.close)
        if demo:
            folder = stack.enter_context(TemporaryDirectory(prefix="scstory-demo-"))
            settings = settings.model_copy(update={"db": str(Path(folder) / "demo.db")})
        token = settings.token.get_secret_value() if settings.token else None
        made = None
        if read_only:
            service = _reading_service(settings, program)
        else:
            made = None if token else secrets.token_urlsafe(24)
            service = _writing_service(
                settings, stack, token or made or "", demo=demo, program=program
            )
        sys.setswitchinterval(THREAD_SWITCH_SECONDS)
        gc.collect()
        gc.freeze()  # loaded modules stay; collecting them again and again pauses every thread
        listening.listen()  # from here on connections wait and are not refused
        _announce(listening, settings, made, read_only=read_only, demo=demo)
        config = uvicorn.Config(
            make_app(service),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
            timeout_keep_alive=30,
        )
        _Server(config, service).run(sockets=[listening])


def _reading_service(settings: Settings, program: str) -> Service:
    open_store(settings.db, create=False).close()  # fails now if it is missing or of another schema
    return Service(
        SharedReader(settings.db),
        matcher=EngineReplica(settings),
        images=_images(settings),
        hosts=tuple(settings.allow_hosts),
        origins=tuple(settings.allow_origins),
        program=program,
        language=settings.language,
    )


def _writing_service(
    settings: Settings, stack: ExitStack, token: str, *, demo: bool, program: str
) -> Service:
    store = stack.enter_context(closing(open_store(settings.db)))
    inbox = stack.enter_context(closing(open_store(settings.db)))
    player = Player(inbox) if demo else None

    def report(problem: str) -> None:
        _say(f"scstory: {problem}")

    clock = player.now if player else lambda: datetime.now(UTC)
    with suppress(AlreadyClaimed):  # reported below, or this process stands by
        store.claim()
    # Prefetching in this process would take the core that is left to readers.
    engine, encoding = stack.enter_context(
        opened(store, settings, prefetch=False, on_problem=report)
    )
    writer = WriterThread(
        engine,
        store,
        clock=clock,
        encoding=encoding,
        replica=EngineReplica(settings),
        on_problem=report,
    )
    stack.callback(writer.stop)
    if player:
        player.start()
        stack.callback(player.stop)
    if writer.standing_by:
        report(f"standing by: {writer.standing_by}")
    feed_thread = (
        None if demo else FeedThread(inbox, settings, active=writer.is_writer, on_problem=report)
    )
    browser = SharedReader(settings.db, clock=clock)
    return Service(
        browser,
        token=token,
        inbox=inbox,
        writer=writer,
        feed_thread=feed_thread,
        rewriter=_rewriter(settings, browser, writer, report),
        images=_images(settings),
        hooks=Webhooks(settings.db),
        hosts=(settings.host, *settings.allow_hosts),
        origins=tuple(settings.allow_origins),
        max_characters=settings.max_characters,
        feeds=None if demo else settings.feeds,
        allow_private=settings.feeds.allow_private,
        demo=player,
        program=program,
        language=settings.language,
    )


def _images(settings: Settings) -> Images | None:
    return Images(settings.feeds) if settings.images else None


def _rewriter(
    settings: Settings,
    browser: SharedReader,
    writer: WriterThread,
    report: Callable[[str], None],
) -> Rewriter | None:
    if settings.rewrite.url is None:
        return None
    report(f"summaries are sent to {settings.rewrite.url} to be rewritten (rewrite.url)")
    return Rewriter(
        settings.rewrite,
        RewrittenSummaries(settings.db),
        browser,
        active=writer.is_writer,
        on_problem=report,
    )


class _Server(uvicorn.Server):
    """Ends event streams before it waits for connections, and handles signals until the end."""

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
    """Return a bound socket; raise ConfigError with the reason if there can be none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"host {host!r}: not an address of this machine ({error})") from error
    family, kind, protocol, _, address = found[0]
    # The protocol is named because only then asyncio disables Nagle's delay.
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
    name = database_name(settings.db) + (", read-only," if read_only else "")
    what = "a demonstration" if demo else name
    _say(f"serving {what} at http://{host}:{port}/ (stop with Ctrl-C)")
    if made:
        _say(f"token for writing, shown once (or set SCSTORY_TOKEN): {made}")
    if host_name(str(address)) in ("0.0.0.0", "::"):
        _say("reachable from other machines; put a proxy with TLS in front, see docs/serve.md")


def _say(line: str) -> None:
    # Problems quote untrusted text, which must not control the terminal.
    shown = "".join(c if c.isprintable() else "?" for c in line)
    sys.stderr.write(f"{shown}\n")
    sys.stderr.flush()
