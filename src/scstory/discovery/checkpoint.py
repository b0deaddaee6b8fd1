"""Checkpoints: an engine's scope, stories and method as a state, and back again."""

from itertools import islice

from scstory.discovery.catalogue import Catalogue
from scstory.discovery.members import Members
from scstory.discovery.method import Method, MethodState, Scope, prefixed, unprefixed
from scstory.discovery.state import FORMAT, check_format
from scstory.errors import ConfigError, ScstoryError, StoreError
from scstory.types import EncodedArticle, State


def save_scope(
    scope: Scope, catalogue: Catalogue, method: Method, encoder: str, open_articles: int
) -> State:
    """Return all that is needed to go on exactly from here."""
    own = method.state()
    documents, used, counts = scope.statistics.state()
    meta = {
        "format": FORMAT,
        "method": method.name,
        "parameters": scope.settings.to_dict(),
        "encoder": encoder,
        "slide": scope.slide,
        "first_slide": scope.first_slide,
        "next_story": scope.next_story,
        "open": open_articles,
        "documents": documents,
        "own": own.meta,
        "window": scope.window.layout(),
        **catalogue.state(),
    }
    arrays = {**prefixed("window", scope.window.arrays()), **own.arrays}
    arrays |= {"terms.used": used, "terms.counts": counts}
    # Copies: what was saved must not change when the engine goes on.
    copied = {name: value.copy() for name, value in arrays.items()}
    kept = scope.window.members[:]
    return State(meta, copied, Members([*own.members, *kept]) if own.members else kept)


def restore_scope(
    state: State, scope: Scope, catalogue: Catalogue, method: Method, encoder: str
) -> int:
    """Go back to what `save_scope` returned; return how many articles the open slide has."""
    meta = state.meta
    check_format(meta)
    if meta.get("method") != method.name:
        raise StoreError(f"saved state of method {meta.get('method')!r}: this is {method.name!r}")
    if meta.get("encoder") != encoder:
        raise ConfigError(
            f"encoder {encoder}: the saved state was made with {meta.get('encoder')}; "
            "use that encoder, or start afresh"
        )
    if scope.settings.from_dict(meta.get("parameters") or {}) != scope.settings:
        raise ConfigError("saved state: it was made with other settings than this engine has")
    try:
        _restore(state, scope, catalogue, method)
        return int(meta["open"])
    except ScstoryError:
        raise
    except Exception as error:
        # A damaged state can fail in any way.
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise StoreError(f"saved state: damaged ({reason}); restore a backup") from error


def _restore(state: State, scope: Scope, catalogue: Catalogue, method: Method) -> None:
    meta, arrays, read = state.meta, state.arrays, scope.settings.reader()
    scope.slide, scope.first_slide = (
        None if meta[name] is None else int(meta[name]) for name in ("slide", "first_slide")
    )
    scope.next_story = int(meta["next_story"])
    catalogue.restore(meta)
    scope.statistics.restore(float(meta["documents"]), arrays["terms.used"], arrays["terms.counts"])
    members = (
        EncodedArticle(m.article, read(m.article, sentences=m.sentences), m.vectors)
        for m in state.members
    )
    columns = unprefixed("window", arrays)
    held = len(state.members) - len(columns["story"])
    own = tuple(islice(members, max(held, 0)))
    scope.window.restore(members, columns, meta["window"])
    method.restore(scope, MethodState(meta["own"], arrays, own))
