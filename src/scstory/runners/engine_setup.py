"""The engine of a store and its encoders, set up as the settings say."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from scstory.config import Settings
from scstory.discovery import Engine
from scstory.discovery.presets import load_engine, make_engine, make_settings, saved_settings
from scstory.discovery.settings import MethodSettings
from scstory.errors import ConfigError
from scstory.store import Store
from scstory.vectors import Encoder, Prefetcher, make_encoder
from scstory.vectors.auto_encoder import AUTO


def open_engine(
    store: Store, settings: Settings, *, encoder_of: Callable[[str | None], Encoder] | None = None
) -> Engine:
    """Return the engine with the state that the store has, or a new one if the store is new.

    A store keeps the parameters and the encoder it was created with: settings that contradict them
    are refused rather than ignored. `encoder_of` makes the encoder of a name; unless given, the
    encoder runs in this process.
    """

    def here(spec: str | None) -> Encoder:
        return make_encoder(spec, threads=settings.threads, device=settings.device)

    encoder_of = encoder_of or here
    # On a cluster, `device` is that of its machines; M stays in this process, with the writer.
    device = settings.device if settings.runner == "local" else None
    state = store.state()
    if state is None:
        asked = make_settings(settings.preset or "default", settings.discovery)
        return make_engine(asked, encoder_of(settings.encoder or AUTO), device=device)
    _refuse_change(saved_settings(state.meta), settings, store.name)
    named = None if settings.encoder == AUTO else settings.encoder
    encoder = encoder_of(named or state.meta.get("encoder"))
    return load_engine(state, encoder, device=device)


def refuse_other_settings(store: Store, settings: Settings) -> None:
    """Refuse settings that contradict those that a store was created with."""
    meta = store.engine()
    if not meta:
        return
    _refuse_change(saved_settings(meta), settings, store.name)
    if settings.encoder and settings.encoder != AUTO:
        name = make_encoder(settings.encoder, threads=settings.threads, device=settings.device).name
        if name != meta["encoder"]:
            raise ConfigError(
                f"encoder {name}: the saved state was made with {meta['encoder']}; use that "
                "encoder, or start afresh"
            )


@contextmanager
def opened(
    store: Store,
    settings: Settings,
    *,
    prefetch: bool = True,
    on_problem: Callable[[str], None] = lambda problem: None,
) -> Iterator[tuple[Engine, Prefetcher]]:
    """Open a store's engine and what encodes for it: this process, or a cluster.

    `prefetch` says whether this process may encode the next articles while it decides. A
    cluster always does. `on_problem` is called with what is wrong with a machine of the cluster.
    """
    with ExitStack() as stack:
        if settings.runner == "local":
            engine = open_engine(store, settings)
            encoding = Prefetcher(
                engine.encoder, reader=engine.settings.reader(), prefetch=prefetch
            )
        else:
            from scstory.runners.ray_encoder import MAX_LANES, RayEncoder
            from scstory.vectors.cached_encoder import memory_cached

            pools = []

            def there(spec: str | None) -> Encoder:
                pool = RayEncoder(
                    None if spec == AUTO else spec,
                    device=settings.device,
                    threads=settings.threads,
                    address=settings.ray_address,
                    on_problem=on_problem,
                )
                stack.callback(pool.close)
                pools.append(pool)
                return memory_cached(pool)

            engine = open_engine(store, settings, encoder_of=there)
            pool = pools[0]
            encoding = Prefetcher(
                engine.encoder,
                reader=engine.settings.reader(),
                lanes=lambda: pool.lanes,
                most_lanes=MAX_LANES,
                at_once=pool.at_once,
            )
        stack.callback(encoding.close)
        yield engine, encoding


def _refuse_change(stored: MethodSettings, settings: Settings, db: str) -> None:
    if settings.preset:
        asked = make_settings(settings.preset, settings.discovery)
        if type(asked) is not type(stored):
            raise ConfigError(
                f"preset {settings.preset}: {db} was created with another; leave out --preset to "
                "go on with it, or name another database with --db"
            )
        changes = asked.to_dict()
    else:
        asked, changes = stored.with_changes(settings.discovery), settings.discovery
    for name in changes:
        old, new = getattr(stored, name), getattr(asked, name)
        if old != new:
            raise ConfigError(
                f"{name} of {new}: {db} was created with {old}; leave out --preset and --set to "
                "go on with it, or name another database with --db"
            )
