"""Cues: the words of a language by which texts are judged as headlines, quotes and names.

They decide only how stories are described, never which stories there are. English and
Chinese have cues; a text in another language is judged by its length and punctuation alone.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from scstory.text.languages import profile_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pattern(*alternatives: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), flags)


_NOTHING = re.compile(r"(?!)")


@dataclass(frozen=True)
class Cues:
    """The cues of a language; those of none match nothing."""

    dependent_opening: re.Pattern[str] = _NOTHING
    """How a sentence starts that continues an earlier one."""
    person_pronoun: re.Pattern[str] = _NOTHING
    """A pronoun that needs somebody named before it."""
    person: re.Pattern[str] = _NOTHING
    """A name, with the preposition before it that makes it a place."""
    indefinite: re.Pattern[str] = _NOTHING
    """What introduces somebody or something for the first time."""
    address: re.Pattern[str] = _NOTHING
    """Words by which writers speak of themselves or to the reader."""
    reporting: re.Pattern[str] = re.compile("")
    """What a sentence has that reports: a day, or who said so, or what happened."""
    furniture: re.Pattern[str] = _NOTHING
    """Bylines, credits, teasers and other parts of a page that are not of the text."""
    outlet: re.Pattern[str] = _NOTHING
    """Words in the names of outlets."""
    label: re.Pattern[str] = _NOTHING
    """A label before a headline, such as BREAKING."""
    question: re.Pattern[str] = _NOTHING
    """How a headline starts that asks or explains, with or without a question mark."""
    listing: re.Pattern[str] = _NOTHING
    """How the headline of a list starts."""
    feature: re.Pattern[str] = _NOTHING
    """Words of headlines of opinion, features, reviews and guides."""
    lure: re.Pattern[str] = _NOTHING
    """Words of headlines that hold back what they are about."""
    honorifics: frozenset[str] = frozenset()
    """Words before a person's name that are no part of it."""
    second_honorifics: frozenset[str] = frozenset()
    """Words that are no part of a name if they follow one of the honorifics."""
    linking: frozenset[str] = frozenset()
    """Words that may stand within a name."""
    determiners: frozenset[str] = frozenset()
    """Words after which a noun follows; without any, every word may be one."""
    no_noun: re.Pattern[str] = _NOTHING
    """How words end, or start, that are no nouns."""
    calendar: frozenset[str] = frozenset()
    """Capitalised words that name a time and no thing."""
    common: frozenset[str] = frozenset()
    """The most common words, which are no keywords."""
    vague: frozenset[str] = frozenset()
    """Nouns that tell one story from another as little as a verb does."""
    around_name: frozenset[str] = frozenset()
    """Words with a capital at either end of a name that are no part of it."""
    general_names: frozenset[str] = frozenset()
    """Names that tell a story only if its headlines have them."""
    before_of: frozenset[str] = frozenset()
    """Words that make one name with what follows their "of"."""
    origins: frozenset[str] = frozenset()
    """Words for where somebody is from; alone they name nobody."""


_DEPENDENT = (
    r"(?:he|she|it|they|we|i|you|this|that|these|those|his|her|its|their|our|my|your|him|them"
    r"|someone|somebody|everyone|everybody|who|which|what|why|how|where|here)\b",
    r"(?:and|but|or|so|nor|yet|however|meanwhile|also|then|still|instead|moreover|furthermore"
    r"|nevertheless|nonetheless|therefore|thus|hence|additionally|besides|likewise|similarly"
    r"|otherwise|consequently|subsequently|afterwards?|thereafter|again|indeed|perhaps|maybe|plus"
    r"|because|except|rather|accordingly|conversely|regardless|either|neither|both|another|others"
    r"|such|not|no|yes|well|oh|ok|okay|sure|asked|finally|lastly|secondly|thirdly|too|even|only"
    r"|just|later|earlier|soon|now|eventually|apparently|obviously|of course|in fact)\b",
    r"(?:in addition|as a result|on the other hand|for (?:example|instance|now|this|that|his|her)"
    r"|in other words|after (?:that|this|which|all)|since then|by then|until then|at (?:the|that) "
    r"time|at (?:first|last|this|that)|in (?:this|that|these|those|the end|turn|response|return"
    r"|contrast|particular|any case|short|reality)|despite (?:this|that|these)|because of (?:this"
    r"|that)|with (?:that|this)|on (?:this|that|top)|to (?:that|this|be)|among (?:them|those|these)"
    r"|one of (?:them|these|those)|some of (?:them|these|those)|all of (?:this|that|them)"
    r"|other (?:\w+)|the (?:same|other|others|latter|former|rest|two|three|pair|duo|trio|couple"
    r"|answer|reason|result|question|problem|truth|point|idea|news|move|decision|incident"
    r"|announcement|statement|revelation)|more than that|speaking of|when asked|if so|if not"
    r"|that said|not only|no one|first(?:ly)?,|second,|third,)\b",
    r"\w+ (?:it|he|she|they|them|him|this|that|these|those)\b",
    # Somebody who was introduced before, unless the next words say who.
    r"the (?:\d+-year-old |young |elderly |alleged |former |late )*(?:man|woman|boy|girl|teen"
    r"|teenager|suspects?|victims?|gunman|shooter|officers?|actor|actress|singer|star|family"
    r"|player|driver|company|group|agency|officials?|child|children|student|patient|parents"
    r"|mother|father|businessman|politician|reporter|author|site|website|newspaper|outlet"
    r"|\d+-year-old)\b(?!,? (?:of|who|whose|in|at|from|behind|accused|charged|suspected|arrested"
    r"|named|identified|that|killed|shot|(?-i:[A-Z])))",
)

_FURNITURE = (
    r"\((?i:photos?|sources?|file|images?|credit|video|via|by|wire)\b",
    r"^(?i:image|caption|photo|video|file) [A-Z]{3,}",
    r"\b(?i:enable javascript|photos?:|sources?:|credit:|originally published)",
    r"^(?i:by) [A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+)*(?:,|$|\s+(?:for|updated|and [A-Z]))",
    r"\b(?i:read (?:more|also|the full|next|on|it here)|click (?:here|to|on)|sign up|subscribe|"
    r"subscri(?:ber|ption)s? (?:to|only)|newsletters?|follow (?:us|him|her|me|@)|share this|"
    r"scroll (?:down|to)|watch (?:the|a|it|more|below|live|our)|listen to|see (?:also|more|below|"
    r"photos|video)|find out more|learn more|check out|stay tuned|tune in|log ?in|"
    r"cookies?|privacy policy|terms of (?:use|service)|all rights reserved|copyright|©|"
    r"advertisements?|sponsored|story (?:highlights|continues)|continue reading|recommended for|"
    r"most (?:read|popular|viewed)|related (?:stories|articles|content|:)|more (?:from|on this)|"
    r"comments? (?:section|below|are)|leave a comment|contact (?:us|the)|email (?:us|me|the)|"
    r"download (?:our|the app)|image (?:via|credit|copyright|:)|photos? (?:by|via|credit|:)|"
    r"photograph(?:s|ed)? (?:by|:)|file (?:photo|image|picture)|getty(?: images)?|ap photo|"
    r"screen ?(?:grab|shot)s?|(?:pictured|seen|shown) (?:above|below|here|left|right)|"
    r"(?:video|photo|picture|image|map|tweet|graphic|gallery|clip|post|link) (?:above|below)|"
    r"editor['’]s? note|h/t|correction:|clarification:|update:|updated (?:at|on|:)|(?:this|an "
    r"earlier version of this) (?:story|article|post|report|page|piece|column|item|version)|"
    r"contributed to this|(?:additional )?report(?:ing|ed) by|(?:writing|editing|compiled|edited|"
    r"written|posted|published) by|staff writer|press play|you (?:can|may|might) )",
    r"\b(?i:updated|published|posted|created|modified):? ?(?:on |at |by )?(?:\d|[A-Z][a-z]+day\b|"
    r"[A-Z][a-z]+\.? \d|:)",
    r"\b(?i:related (?:coverage|news|video)|top stories|breaking news|news alerts?|viewer "
    r"discretion|all rights|web staff|news staff|stay with|crime stoppers at|anyone with "
    r"information)\b",
)

_LABEL = (
    r"^(?i:breaking(?: news)?|just in|update ?\d*|updated|exclusive|video|watch|photos?|gallery|"
    r"live(?: updates?| blog)?|report|developing|alert|flash|urgent|urgent update|rumou?r|"
    r"confirmed|official|first look|must see|hot|audio|listen|poll|graphic|wow|shock|"
    r"satire|hoax alert|fact check)\s*(?:[:!|]|\s[–—-]\s)+\s*",
)

_QUESTION = (
    r"^(?:[\w’' -]{1,30}: )?(?i:why|how|what|who|when|where|which|is|are|was|were|does|do|did|can|"
    r"could|should|would|will|has|have|whose)\b(?!-)",
    r"\?",
)

_LISTING = (
    r"^(?i:here(?:['’]s| (?:is|are|come))|these (?:are )?|this is|the \d+ |top \d+ |"
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){0,2}(?:things|reasons|ways|"
    r"facts|photos|pictures|questions|takeaways|lessons|tips|times|stories|videos|moments|"
    r"theories|signs|charts|tweets|points|key))\b",
    r"(?i:\bwhat (?:we|you) (?:know|need)|everything (?:you|we)|need to know|explained\b|"
    r"\bin (?:pictures|photos|charts|full)\b|\bas it happened|\btimeline\b|\btranscript\b|"
    r"live (?:updates|blog|coverage)|by the numbers|\bround-?up\b|full (?:text|transcript))",
)

_FEATURE = (
    r"\bshould\b",
    r"^(?i:opinion|analysis|editorial|comment|commentary|column|review|letters?|profile|obituary|"
    r"interview|podcast|essay|view|viewpoint|perspective|explainer|background|inside|meet|"
    r"behind|remembering|reflections?|q ?& ?a|ask|dear|diary|sketch|notebook|guide)\b",
    r"\b(?i:(?:the )?(?:art|tale|lessons?|psychology|anatomy|meaning|joy|curse|secrets?|"
    r"rise and fall|story|truth|myth) (?:of|from|behind)\b)",
    r"\b(?i:(?:and|but|on|of) (?:what|how|why|so|yet)\b|(?:town|city|night|days?|weeks?|year) "
    r"(?:who|that|when)\b)",
)

_LURE = (
    r"^(?:see|watch|look|listen|check|meet|read|hear|find out|get|no|yes|ok|oh|hey|wait|so|yep|"
    r"nope|sorry|don['’]t|forget|stop|say|think)\b",
    r"(?:\b(?:update|updated|nope|yep|poll|quiz)\b|: (?:nope|yes|no)\b)",
    r"\b(?:you won['’]t believe|will (?:shock|blow|make you|surprise)|shocking(?:ly)?|"
    r"unbelievable|insane|epic|awesome|amazing|bizarre|wtf|omg|lol|guess (?:what|who)|"
    r"this (?:is|man|woman|guy|girl|boy|video|photo|one|week|kid|mom|dad|couple|dog|cat|new|will|"
    r"might|could|may)|that time|nobody|something|somebody|someone|sort of|kind of|actually|"
    r"literally|just (?:got|did|made|became|won|lost)|probably|really|maybe|apparently|so much|"
    r"the internet|internet (?:is|goes)|going viral|gone viral|goes viral)\b",
)

ENGLISH = Cues(
    dependent_opening=_pattern(*_DEPENDENT, flags=re.IGNORECASE),
    person_pronoun=_pattern(
        r", (?:he|she)\b|\b(?:he|she|him|her|his|hers|himself|herself)\b", flags=re.IGNORECASE
    ),
    person=_pattern(
        r"\b(?:(?:in|at|on|to|near|from|outside|across|through|around|towards?|of) )?(?:the )?"
        r"(?!(?:The|An?|In|At|On|By|For|From|When|While|As|If|After|Before|Since|With|It)\b)"
        r"[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+)*"
    ),
    indefinite=_pattern(r"\b(?:an?|every|each|one|two|three|another|any) \w", flags=re.IGNORECASE),
    address=_pattern(
        r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]e|[Mm]y|[Mm]yself|[Ww]e|[Ww]e['’](?:re|ve|d|ll)|us|[Oo]urs?"
        r"|[Oo]urselves|[Yy]ou|[Yy]ou['’](?:re|ve|d|ll)|[Yy]ours?|[Yy]ourself)\b",
    ),
    reporting=_pattern(
        r"\b(?:said|told|announced|confirmed|reported|reportedly|according to|alleged|allegedly"
        r"|denied|ruled|ordered|agreed|arrested|charged|killed|found|voted|signed|released|approved"
        r"|rejected|accused|warned|admitted|filed|sued|died|shot|recalled|resigned|sentenced"
        r"|convicted|pleaded|won|beat|launched|fell|rose|detained|rescued|recovered|identified"
        r"|appointed|dropped|raised|opened|closed|claimed|claims|yesterday|today|tonight"
        r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b"
    ),
    furniture=_pattern(*_FURNITURE),
    outlet=_pattern(
        r"\b(?:news|weather|sports?|tv|radio|times|post|herald|journal|gazette|tribune|chronicle|"
        r"daily|online|magazine|media|press|mail|telegraph|guardian|independent|mirror|observer|"
        r"channel|reuters|cnn|bbc|abc|nbc|cbs|fox|politics|entertainment|examiner|courier|beacon|"
        r"inquirer|globe|dispatch|eyewitness|mashable|(?-i:[KW][A-Z]{3}))\b",
        flags=re.IGNORECASE,
    ),
    label=_pattern(*_LABEL),
    question=_pattern(*_QUESTION),
    listing=_pattern(*_LISTING),
    feature=_pattern(*_FEATURE),
    lure=_pattern(*_LURE, flags=re.IGNORECASE),
    honorifics=_words(
        "mr mrs ms miss dr prof professor sir rev reverend judge justice sen senator rep "
        "representative gov governor president chancellor mayor councillor councilman "
        "councilwoman king queen prince princess pope sgt sergeant lt lieutenant col colonel "
        "gen maj capt captain cpl pvt officer detective det sheriff undersheriff chief "
        "inspector constable trooper agent attorney prosecutor secretary spokesman spokeswoman "
        "spokesperson director chairman chairwoman ceo coach manager minister actor actress "
        "singer rapper comedian ambassador commissioner superintendent bishop archbishop "
        "cardinal imam rabbi leader speaker reporter correspondent editor administrator deputy "
        "counsel adviser advisor strategist candidate nominee founder journalist author analyst "
        "blogger businessman lawyer congressman congresswoman lawmaker democrat democrats "
        "republican republicans democratic dci insp supt father pastor deacon corporal adm "
        "admiral coroner"
    ),
    second_honorifics=_words("general major executive deputy vice majority minority"),
    linking=_words("of de la del della di da do dos du van von der den bin ibn al el le"),
    determiners=_words(
        "a an the this that these those its his her their our my your no any some each every of "
        "in on at by for with from into over under against about after before during near "
        "through between within across outside inside behind despite without like than as"
    ),
    no_noun=_pattern(
        r"(?<!se)(?<!bl)(?<!sp)(?<!br)(?<!w)ed$",
        r"ly$",
        r"['’]",
        r"^(?:n['’]t|re|ve|ll)$",
        r"(?:ful|ous|(?<=\w{3})able|ible|less|like|wide|tional|ential|ical)$",
        r"\w{3}(?<!oot)(?<!bomb)(?<!stabb)(?<!wedd)(?<!jack)(?<!hack)(?<!head)(?<!ling)ing$",
    ),
    calendar=_words(
        "monday tuesday wednesday thursday friday saturday sunday january february march april may "
        "june july august september october november december christmas easter thanksgiving mon "
        "tue tues wed thu thur thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec "
        "et est edt gmt pst pdt bst am pm i ii iii"
    ),
    vague=_words((files("scstory.text") / "general_nouns.txt").read_text("utf-8")),
    around_name=_words(
        "police officials authorities said related coverage advertisement photo photos image "
        "images video mobile news breaking update updated exclusive www "
        "http https com twenty thirty dozens hundreds thousands former u.s us posted "
        "copyright constable plus suites club metro abc nbc cbs cnn submit"
    ),
    general_names=frozenset(
        {
            "united states",
            "united kingdom",
            "united nations",
            "white house",
            "social media",
            "crime stoppers",
        }
        | _words(
            "facebook twitter youtube instagram reddit internet web google earth god america usa "
            "europe africa asia west east north south republicans democrats gop congress senate "
            "house republican democrat suv va crimestoppers reuters ap afp cnn bbc abc nbc cbs npr "
            "msnbc fox bloomberg buzzfeed independent tmz"
        )
    ),
    before_of=_words(
        "academy act army articles association bank battle bay bishop board book bureau cape "
        "cathedral center centre chamber church city club college commission committee council "
        "county court cub daughters declaration department district duke faculty federation "
        "friends game gulf hall heart house institute isle king kingdom knights lady league "
        "library lord ministry museum office order people port prince princess queen republic "
        "school sea secretary sisters society sons speaker state states statue strait temple tower "
        "union university war"
    ),
    origins=_words(
        "afghan african african-american african-americans albanian algerian american americans "
        "arab arabs argentine armenian asian australian austrian belgian bolivian brazilian "
        "british briton britons bulgarian cambodian canadian canadians chilean chinese christian "
        "christians colombian croatian cuban cubans czech danish dutch egyptian egyptians english "
        "ethiopian european europeans finnish french german germans greek greeks haitian hispanic "
        "hispanics hungarian indian indians indonesian iranian iranians iraqi iraqis irish islamic "
        "islamist islamists israeli israelis italian italians jamaican japanese jewish jews "
        "jordanian kenyan korean koreans kurdish kurds kuwaiti latino latinos lebanese libyan "
        "lithuanian malaysian mexican mexicans moroccan muslim muslims nepalese nigerian nigerians "
        "norwegian pakistani pakistanis palestinian palestinians persian peruvian philippine "
        "polish portuguese qatari romanian russian russians saudi saudis scottish serbian shia "
        "shiite shiites somali southern spanish sudanese sunni sunnis swedish swiss syrian syrians "
        "thai tibetan tunisian turkish turks ugandan ukrainian ukrainians venezuelan vietnamese "
        "welsh western yemeni"
    ),
)

CHINESE = Cues(
    dependent_opening=_pattern(
        r"(?:他|她|它|其|这|那|此|该|对此|不过|但|然而|而|同时|此外|另外|因此|所以|于是|随后|之后|后来|最终|"
        r"最后|其中|另|并|也|还|就|可|且|却|如果|虽然|因为|由于此|当时|目前，他|目前，她|一方面|总之|事实上)"
    ),
    address=_pattern(r"(?<![自本])我(?!国|军|省|市)|咱们|大家|你|您|笔者|小编|本文"),
    furniture=_pattern(
        r"(?:责任)?编辑[：:]|来源[：:]|作者[：:]|记者[：:]|摄影[：:]|图[源片]|供图|图/|文/|截图|视频截|"
        r"版权|转载|点击|扫码|二维码|关注我们|公众号|往期|延伸阅读|相关阅读|更多精彩|详情$|APP|客户端下载"
    ),
    outlet=_pattern(
        r"[网报社台]$|新闻|日报|晚报|时报|周刊|电视|客户端|媒体|财经|网易|搜狐|新浪|腾讯"
    ),
    label=_pattern(
        r"^(?:[^丨｜|：]{2,8}[丨｜|]\s*|【[^】]{2,10}】\s*|[\[［][^\]］]{2,8}[\]］]\s*"
        r"|(?:突发|快讯|重磅|最新|独家|刚刚|紧急|持续关注|重磅消息)[！!：:，,]\s*)+"
    ),
    question=_pattern(r"为什么|为何|如何|怎么|怎样|什么|谁[是在能会]|吗[？?]?$|是否|[？?]"),
    listing=_pattern(
        r"盘点|一文|回顾|大全|合集|汇总|[一二三四五六七八九十\d]+(?:大|个)(?:看点|问题|细节|原因)"
    ),
    feature=_pattern(r"评论|锐评|社论|观点|快评|时评|热评|漫评|网友|专访|人物|解读|分析|揭秘|深度"),
    lure=_pattern(r"竟然?|震惊|原来|真相|内幕|没想到|惊呆|曝光|太|终于"),
)

_CUES = {"en": ENGLISH, "zh": CHINESE}


@cache
def cues_of(language: str) -> Cues:
    """Return the cues of a language, with its most common words."""
    return replace(_CUES.get(language, Cues()), common=profile_of(language).stop_words)
