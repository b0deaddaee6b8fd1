"""The cues of English: how its headlines, quotes and names are recognised."""

import re
from importlib.resources import files

from scstory.text.cues import Cues
from scstory.text.english_headlines import (
    FEATURE,
    LABEL,
    LISTING,
    LURE,
    OPINION_PAGES,
    QUESTION,
    TELLING,
)
from scstory.text.english_references import REFERENCES
from scstory.text.english_sentences import BOILERPLATE, DEPENDENT, FINITE, FURNITURE, PREFIX


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pattern(*alternatives: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), flags)


CUES = Cues(
    dependent_opening=_pattern(*DEPENDENT, flags=re.IGNORECASE),
    person_pronoun=_pattern(
        r", (?:he|she)\b|\b(?:he|she|him|her|his|hers|himself|herself)\b", flags=re.IGNORECASE
    ),
    person=_pattern(
        r"\b(?:(?:in|at|on|to|near|from|outside|across|through|around|towards?|of) )?(?:the )?"
        r"(?!(?:The|An?|In|At|On|By|For|From|When|While|As|If|After|Before|Since|With|It|Due|Despite|"
        r"Because|Although|Though|During|Following|Under|Within|Upon|Once|Until|Unlike|Like)\b)"
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
    most_capitals=0.8,
    finite=_pattern(*FINITE, flags=re.IGNORECASE),
    prefix=_pattern(*PREFIX),
    furniture=_pattern(*FURNITURE),
    boilerplate=_pattern(*BOILERPLATE),
    outlet=_pattern(
        r"\b(?:news|news ?channel|newscast|weather|sports?|tv|radio|times|post|herald|journal|"
        r"gazette|tribune|chronicle|"
        r"daily|online|magazine|media|press|mail|telegraph|guardian|independent|mirror|observer|"
        r"channel|reuters|cnn|bbc|abc|nbc|cbs|fox|politics|entertainment|examiner|courier|beacon|"
        r"inquirer|globe|dispatch|eyewitness|mashable|daily \w+|politico|axios|vox|"
        r"breitbart|huffpost|newsweek|huffington|bloomberg|gawker|(?:fox|abc|nbc|cbs|news|(?-i:[KW][A-Z]{2,3}))\d+|"
        r"(?-i:[KW][A-Z]{3}))\b",
        flags=re.IGNORECASE,
    ),
    label=_pattern(*LABEL),
    mark=_pattern(
        r"\s*[(\[](?i:(?:with |see |watch |full )?(?:videos?|photos?|pictures|audio|gallery"
        r"|updated?|poll|graphic|map)(?: and (?:videos?|photos?))?)[)\]]\s*$",
        r"\s+(?:V(?:IDEOS?|ideos?)|PHOTOS?|UPDATED?)\s*$",
        r"\s+[–—-]\s+(?i:video(?: report)?|live|in pictures|as it happened)\s*$",
    ),
    question=_pattern(*QUESTION),
    listing=_pattern(*LISTING),
    feature=_pattern(*FEATURE),
    lure=_pattern(*LURE, flags=re.IGNORECASE),
    telling=_pattern(*TELLING, flags=re.IGNORECASE),
    opinion_pages=_pattern(*OPINION_PAGES, flags=re.IGNORECASE),
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
        "admiral coroner commander marshal warden ranger firefighter paramedic"
    ),
    second_honorifics=_words("general major executive deputy vice majority minority"),
    linking=_words("of v vs de la del della di da do dos du van von der den bin ibn al el le"),
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
        "copyright constable plus suites club metro abc nbc cbs cnn submit inc llc llp ltd corp plc"
    ),
    general_names=frozenset(
        {
            "united states",
            "united kingdom",
            "united nations",
            "white house",
            "social media",
            "crime stoppers",
            "middle east",
            "south america",
            "north america",
            "latin america",
            "central america",
            "west coast",
            "east coast",
            "capitol hill",
        }
        | _words(
            "facebook twitter youtube instagram reddit internet web google earth god america usa "
            "europe africa asia west east north south republicans democrats gop congress senate "
            "house republican democrat suv va crimestoppers reuters ap afp cnn bbc abc nbc cbs npr "
            "midwest northeast southeast southwest northwest gps gpa dna tv ceo ceos id "
            "msnbc fox bloomberg buzzfeed independent tmz d.c. dc"
        )
    ),
    of="of",
    before_body=frozenset({"State"}),
    before_name=_pattern(r"^[DRI]-[A-Z]", r"s[’']$"),
    compound=_pattern(r"\w-(?:born|area|led|era|style|old|[a-z]{2,}(?:ed|ing))$"),
    numbered=_pattern(
        r"(?i:\d+(?:st|nd|rd|th)|first|second|third|(?:four|fif|six|seven|eigh|nin|ten)th) "
        r"(?:Avenue|Ave|Street|St)\b"
    ),
    places=_words("streets avenues roads boulevards lanes drives"),
    before_of=_words(
        "academy act agency army articles association authority bank battle bay bishop board book "
        "bureau cape "
        "cathedral center centre chamber church city club college commission committee council "
        "county court cub daughters declaration department district duke faculty federation "
        "forum friends game gulf hall heart house institute isle king kingdom knights lady league "
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
    references=REFERENCES,
)
