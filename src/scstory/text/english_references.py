"""English words by which references to people and things are told."""

import re

from scstory.text.cues import References
from scstory.text.languages.profile import word_set

_KNOWN = word_set(
    "president government police public world country state states city internet web media press "
    "sun moon sky sea ocean weather economy military army navy law authorities people market "
    "markets administration government's day days night morning afternoon evening week weekend "
    "month year years decade century time times moment hour hours minute minutes season summer "
    "winter spring autumn fall holiday holidays end beginning start middle top bottom side left "
    "right north south east west southwest southeast northwest northeast number amount majority "
    "minority fact way possibility need ground air street streets road head face arm leg chest "
    "neck back stomach torso hand hands phone floor truth future past present area latest best "
    "worst biggest largest smallest most only whole entire rest average language race poor rich "
    "hospital deadliest oldest highest lowest total hip chin cheek jaw ear ears eye eyes nose "
    "mouth throat shoulder thigh knee ankle foot feet elbow wrist finger groin buttocks abdomen "
    "body river "
    "matter impact region nation republic helm spotlight background loose lack rounds timing leap "
    "effort efforts wake midst verge brink basis sake extent aftermath presence absence chance "
    "opportunity ability right rights help dark light rain snow cold heat wind sidewalk curb "
    "highway freeway interstate bus airport mail radio television tv telephone driveway porch yard "
    "kitchen bathroom bedroom window roof basement garage hallway trunk crossfire earliest "
    "process possible enemy leadership stage crowd sound sight idea odds board table"
)
"""Nouns of which there is one, or one for everybody; and words that make it the only one."""

_ROLES = word_set(
    "man men woman women boy boys girl girls teen teens teenager teenagers youth child children "
    "kid kids baby infant student students patient patients couple pair duo trio suspect suspects "
    "victim victims gunman gunmen shooter shooters attacker attackers assailant assailants officer "
    "officers deputy deputies trooper driver passenger passengers pilot actor actress singer star "
    "rapper musician comedian player players team band group company firm network channel station "
    "agency department organisation organization site website newspaper paper outlet magazine "
    "publication blog author writer reporter journalist owner owners parent parents mother father "
    "mom dad mum son daughter brother sister wife husband family relatives boyfriend girlfriend "
    "friend friends source sources spokesman spokeswoman spokesperson official officials lawmaker "
    "businessman politician lawsuit complaint petition affidavit warrant letter note message email "
    "emails memo document documents report article story post video clip footage photo photos "
    "picture pictures image images recording statement announcement decision move ruling deal "
    "agreement plan proposal measure resolution incident attack shooting crash accident blaze "
    "blast explosion robbery crime case trial hearing probe scene building store shop restaurant "
    "vehicle truck van plane aircraft animal creature device project program policy envelope unit "
    "raid operation conversation meeting encounter change changes issue error person persons "
    "bill law order vote"
)
"""Nouns that say which part somebody or something has in what happened, and not who or what."""


def _evoked(*groups: tuple[str, str]) -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    return tuple(
        (re.compile(rf"\b(?:{cue})\b", re.IGNORECASE), word_set(words)) for cue, words in groups
    )


_EVOKED = _evoked(
    (
        r"shot|shoot\w*|gun\w*|kill\w*|murder\w*|homicide\w*|slay\w*|slain|stab\w*|robbed|robber\w*|"
        r"attack\w*|assault\w*|rape[sd]?|kidnap\w*|bomb\w*|blasts?|explo\w+|crash\w*|arrest\w*|"
        r"suspect\w*|wound\w*|injur\w*|dead|deaths?|dies|died|hostage\w*|stole|stolen|theft",
        "incident scene shooting suspect victim victims gunman gunmen shooter killing murder "
        "attack attacker crime case investigation death deaths weapon homicide slaying wounded "
        "injured",
    ),
    (r"police|officers?|cops?|deput\w+|sheriff\w*|troopers?", "police officer officers department"),
    (
        r"report\w*|claim\w*|rumou?r\w*|hoax\w*|fake\w*|false\w*|debunk\w*|alleged\w*",
        "report claim claims rumor rumors rumour rumours story article hoax",
    ),
    (
        r"elect\w*|vot\w+|polls?|primar\w+|candidate\w*|campaign\w*|nominee\w*|ballot\w*",
        "election campaign vote voters candidate candidates nominee ballot primary",
    ),
    (
        r"courts?|judges?|rul(?:e|es|ed|ing)|sue[sd]?|lawsuit\w*|trial|jury|charg\w+|pleads?|pleaded|"
        r"guilty|sentenc\w+|convict\w*|indict\w*|injunction|justices?",
        "court judge jury trial case ruling lawsuit charges charge verdict decision indictment",
    ),
    (
        r"senate|house|congress|bills?|lawmakers?|senators?|gop|republicans?|democrats?",
        "bill vote legislation measure lawmakers senators chamber leaders republicans democrats",
    ),
    (
        r"videos?|clips?|footage|photo\w*|pictures?|images?",
        "video clip footage photo picture image",
    ),
    (
        r"father|mother|parents?|couple|wife|husband|family|twins?|baby|child\w*|kids?|sons?|"
        r"daughters?",
        "couple parents family child children",
    ),
    (r"\w+-year-old boy|teen\w*|1\d-year-old", "teen teenager victim"),
)
"""What is known once something else was said, such as a suspect once somebody was shot."""

REFERENCES = References(
    polite=word_set("mr mrs ms miss mx dr mme"),
    definite=word_set("the"),
    pointing=word_set("this these"),
    pointing_at_roles=word_set("that those"),
    pointing_at_nouns=word_set("such same"),
    counting=word_set("two three four five six seven eight nine ten other"),
    pointing_behind=word_set("that"),
    known=_KNOWN,
    roles=_ROLES,
    bodies=word_set(
        "team band group company firm network channel station agency department organisation "
        "organization site website newspaper paper outlet magazine publication blog star rapper "
        "singer actor actress musician comedian player author program project report video store "
        "shop restaurant creature device article story post lawmaker businessman politician"
    ),
    evoked=_EVOKED,
    telling=word_set(
        "of who whose whom where when why which to for between behind against involving "
        "accused named called known titled dubbed identified responsible"
    ),
    telling_apart=word_set("who whose which a an identified later named called known dubbed aged"),
    within=word_set("in near outside"),
    placing=word_set("in at on from near outside inside by around along across with about"),
)
