"""Names that a dictionary cuts into pieces, put together again.

Where no spaces divide words, a name that the dictionary does not have comes out in pieces: 昂山 and
素季, 杜 and 新枝, 孔子 and 学院. The texts of a story show it: the pieces stand side by side nearly
always, and hardly ever apart.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from scstory.text.languages import Kind, Part

if TYPE_CHECKING:
    from scstory.text.wording import Wording

PIECES = 3
"""Pieces of a name, at most."""
LONGEST = 8
"""Characters of a name in pieces."""
TWICE = 2
"""How often pieces stand side by side in a text that are counted."""
FEWEST = 3
"""How often they do so in all texts of a story, at least."""
SHARE = 0.8
"""The share of the uses of each piece that stand beside the others, at least."""

_SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢"
    "姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
"""The only characters that are a piece by themselves before another one."""
_BEHIND = frozenset(
    "的了着过和与及或等在是不有被把将对向从到为以于也都就还又再很太最更个名位人次起元万亿年月日时分号"
    "内外前后中上下左右里间新老大小多少副正总市县区省国家套团队组台会局院部处所说称者们"
)
"""Characters that are no piece by themselves behind another one."""

Pieces = tuple[str, ...]


def side_by_side(found: Sequence[Sequence[Part]], sentences: Sequence[str]) -> dict[Pieces, int]:
    """Return how often some words stand side by side in sentences, and how often each does at all.

    A piece is a name or a thing; the first may be a surname, the last a single character.

    >>> parts = [[Part("孔子", Kind.NAME), Part("学院", Kind.THING)]] * 2
    >>> side_by_side(parts, ["孔子学院", "孔子学院"])
    {('孔子', '学院'): 2, ('孔子',): 2, ('学院',): 2}
    """
    together: Counter[Pieces] = Counter()
    for parts, sentence in zip(found, sentences, strict=True):
        for size in range(2, PIECES + 1):
            for start in range(len(parts) - size + 1):
                some = parts[start : start + size]
                if _may_be_pieces(some):
                    name = "".join(part.text for part in some)
                    if len(name) <= LONGEST and name in sentence:
                        together[tuple(part.text for part in some)] += 1
    often = {pieces: uses for pieces, uses in together.items() if uses >= TWICE}
    wanted = {piece for pieces in often for piece in pieces}
    alone = Counter(part.text for part in chain.from_iterable(found) if part.text in wanted)
    return often | {(piece,): uses for piece, uses in alone.items()}


def _may_be_pieces(parts: Sequence[Part]) -> bool:
    first, *between, last = parts
    return (
        any(_is_word(part) for part in parts)
        and (_is_word(first) or first.text in _SURNAMES)
        and all(map(_is_word, between))
        and (_is_word(last) or _is_character(last))
    )


def _is_word(part: Part) -> bool:
    return part.kind is not Kind.OTHER and not part.text.isascii()


def _is_character(part: Part) -> bool:
    return len(part.text) == 1 and "\u4e00" <= part.text <= "\u9fff" and part.text not in _BEHIND


def joined(texts: Sequence["Wording"]) -> list["Wording"]:
    """Return the wordings of a story's texts with names whole that were in pieces."""
    together: Counter[Pieces] = Counter()
    for text in texts:
        together.update(text.together)
    for (piece,) in [pieces for pieces in together if len(pieces) == 1]:
        uses = sum(text.names.get(piece, 0) + text.nouns.get(piece, 0) for text in texts)
        together[piece,] = max(together[piece,], uses)
    names = [
        pieces
        for pieces, uses in together.items()
        if len(pieces) > 1
        and uses >= FEWEST
        and all(uses >= SHARE * together[(piece,)] for piece in pieces)
    ]
    # The longest first: what is part of a longer name is no name of its own.
    names.sort(key=lambda pieces: (-len(pieces), pieces))
    taken: set[str] = set()
    chosen = []
    for pieces in names:
        if not taken & set(pieces):
            chosen.append(pieces)
            taken.update(pieces)
    return [_with_whole(text, chosen) for text in texts] if chosen else list(texts)


def _with_whole(text: "Wording", names: Sequence[Pieces]) -> "Wording":
    pieces = {piece: whole for whole in names for piece in whole}
    if not pieces.keys() & {piece for several in text.together for piece in several}:
        return text

    def whole(word: str) -> str:
        return "".join(pieces[word]) if word in pieces else word

    def counted(words: Mapping[str, int]) -> dict[str, int]:
        found: dict[str, int] = {}
        for word, uses in words.items():
            found[whole(word)] = max(found.get(whole(word), 0), uses)
        return found

    named = {whole(name) for name in text.names}
    rest = {word: uses for word, uses in counted(text.words).items() if word not in named}
    return text._replace(
        names=counted(text.names),
        words=rest,
        nouns={word: uses for word, uses in counted(text.nouns).items() if word in rest},
        titled=frozenset(map(whole, text.titled)),
    )
