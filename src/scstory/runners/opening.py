"""What a run needs, opened as the settings say: the engine, and who encodes for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields

from scstory.config import Settings
from scstory.discovery import StoryDiscovery
from scstory.discovery.presets import Parameters, from_dict, make_parameters
from scstory.errors import ConfigError
from scstory.store import Store
from scstory.vectors import EncodeAhead, Encoder, make_encoder


def open_engine(
    store: Store, settings: Settings, *, encoder_of: Callable[[str | None], Encoder] | None = None
) -> StoryDiscovery:
    """Return the engine a store was left with, or a new one if the store is new.

    A store goes on with the parameters and encoder it was begun with: settings that say
    otherwise are refused rather than ignored. `encoder_of` makes the encoder of a name; unless
    given, it is one in this process.
    """

    def here(spec: str | None) -> Encoder:
        return make_encoder(spec, threads=settings.threads, device=settings.device)

    encoder_of = encoder_of or here
    # On a cluster, `device` speaks of its machines; M stays here, with the one who decides.
    device = settings.device if settings.runner == "local" else None
    state = store.state()
    if state is None:
        return StoryDiscovery(
            settings.preset or "default",
            encoder=encoder_of(settings.encoder),
            device=device,
            **settings.discovery,
        )
    begun = from_dict(state.meta.get("parameters", {}))
    if settings.preset or settings.discovery:
        _refuse_change(begun, settings, store.name)
    encoder = encoder_of(settings.encoder or state.meta.get("encoder"))
    engine = StoryDiscovery(encoder=encoder, device=device)
    engine.restore(state)
    return engine


@contextmanager
def opened(
    store: Store,
    settings: Settings,
    *,
    ahead: bool = True,
    on_problem: Callable[[str], None] = lambda problem: None,
) -> Iterator[tuple[StoryDiscovery, EncodeAhead]]:
    """Open a store's engine and who encodes for it: this process, or a cluster.

    `ahead` says whether this process may encode what comes next while it decides; a cluster
    always does. `on_problem` is called with what is wrong with a machine of the cluster.
    """
    with ExitStack() as stack:
        if settings.runner == "local":
            engine = open_engine(store, settings)
            encoding = EncodeAhead(
                engine.encoder, max_sentences=engine.parameters.max_sentences, ahead=ahead
            )
        else:
            from scstory.runners.ray_encoder import MOST, RayEncoder
            from scstory.vectors.memory import RememberingEncoder

            pools = []

            def there(spec: str | None) -> Encoder:
                pool = RayEncoder(
                    spec,
                    device=settings.device,
                    threads=settings.threads,
                    address=settings.ray_address,
                    on_problem=on_problem,
                )
                stack.callback(pool.close)
                pools.append(pool)
                return RememberingEncoder(pool)

            engine = open_engine(store, settings, encoder_of=there)
            pool = pools[0]
            encoding = EncodeAhead(
                engine.encoder,
                max_sentences=engine.parameters.max_sentences,
                lanes=lambda: pool.lanes,
                most_lanes=MOST,
                at_once=pool.at_once,
            )
        stack.callback(encoding.close)
        yield engine, encoding


def _refuse_change(begun: Parameters, settings: Settings, db: str) -> None:
    if settings.preset:
        asked = make_parameters(settings.preset, settings.discovery)
        names = [field.name for field in fields(Parameters)]
    else:
        asked = make_parameters("default", settings.discovery)
        names = list(settings.discovery)
    for name in names:
        old, new = getattr(begun, name), getattr(asked, name)
        if old != new:
            raise ConfigError(
                f"{name} of {new}: {db} was begun with {old}; leave out --preset and "
                "--set to go on with it, or name another database with --db"
            )
