"""How headlines in English are labelled, and by which words they are no news."""

LABEL = (
    r"^(?i:breaking(?: news)?|just in|update ?\d*|updated|exclusive|video|watch|photos?|gallery|"
    r"live(?: updates?| blog)?|report|developing|alert|flash|urgent|urgent update|rumou?r|"
    r"confirmed|official|first look|must see|hot|audio|listen|poll|graphic|wow|shock|"
    r"satire|hoax alert|fact check|the latest)\s*(?:[:!|]|\s[–—-]\s)+\s*",
)

QUESTION = (
    r"^(?:[\w’' -]{1,30}: )?(?i:why|how|what|who|when|where|which|is|are|was|were|does|do|did|can|"
    r"could|should|would|will|has|have|whose)\b(?!-)",
    r"\?",
)

LISTING = (
    r"^(?i:here(?:['’]s| (?:is|are|come))|these (?:are )?|this is|the \d+ |top \d+ |"
    r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten) (?:\w+ ){0,2}(?:things|reasons|ways|"
    r"facts|photos|pictures|questions|takeaways|lessons|tips|times|stories|videos|moments|"
    r"theories|signs|charts|tweets|points|key|winners|losers|takeaways))\b",
    r"(?i:\bwhat (?:we|you) (?:know|need)|everything (?:you|we)|need to know|explained\b|"
    r"\bin (?:pictures|photos|charts|full)\b|\bas it happened|\btimeline\b|\btranscript\b|"
    r"live (?:updates|blog|coverage)|by the numbers|\btakeaways\b|winners and losers|"
    r"\bround-?up\b|full (?:text|transcript))",
)

FEATURE = (
    r"\b(?:should|must|deserves?)\b",
    r"^(?i:opinion|analysis|editorial|comment|commentary|column|review|letters?|profile|obituary|"
    r"interview|podcast|essay|view|viewpoint|perspective|explainer|background|inside|meet|"
    r"behind|remembering|reflections?|q ?& ?a|ask|dear|diary|sketch|notebook|guide|"
    r"(?:reality|fact)[ -]check(?:ing)?|"
    r"the (?:memo|fix|note|day|case (?:for|against)|(?:problem|trouble) with)|"
    r"an? [\w ]{0,20}\blike)\b",
    r"\b(?i:(?:the )?(?:art|tale|lessons?|psychology|anatomy|meaning|joy|curse|secrets?|"
    r"rise and fall|story|truth|myth) (?:of|from|behind)\b)",
    r"(?:^|[:,] )(?i:[ts]?he|it|they|there|that)(?:['’]\w+| (?:is|was|has|had|are))\b",
    r"\b(?i:straight out of|needs? to)\b",
    r"\b(?i:(?:and|but|on|of) (?:what|how|why|so|yet)\b|(?:town|city|night|days?|weeks?|year) "
    r"(?:who|that|when)\b)",
)

LURE = (
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

TELLING = (
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|may|might|do|does|did"
    r"|to (?!the|an?\b)\w+"
    r"|said|told|took|made|went|came|got|won|lost|found|left|held|shot|hit|began|fell|rose|ran|led"
    r"|met|saw|gave|set|put|cut|sent|kept|became|built|bought|caught|sought|drew|drove|fought|hurt"
    r"|paid|quit|sold|shut|spent|spoke|stole|struck|broke|beat|dead|dies|die|guilty|missing"
    r"|seek|say|catch|arrest|find|kill|shoot|search|identify|want|call|vote|plan|\w{3,}ing"
    r"|(?!news|this)\w{2,}[^\Wsu'’]s|[a-z]+(?<!n)(?<!u)ed)\b(?!['’])|n['’]t\b",
)
"""Words by which a headline says that something happened, among them all that may be verbs."""

OPINION_PAGES = (
    r"/(?:opinions?|editorials?|commentary|columns?|columnists?|op-?eds?|voices|letters?|reviews?"
    r"|commentisfree|perspectives?)(?:/|$)",
)
"""Addresses of articles that say what somebody thinks."""
