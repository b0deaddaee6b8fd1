"""How sentences in English show that they depend on others, or are no part of a text."""

DEPENDENT = (
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
    r"|that said|not only|no one|first off|first of all|never fear"
    r"|in a way|to make (?:matters|things|doubly)|sure enough|surely|not surprisingly|ironically"
    r"|as per (?:the|that)|(?:a little|a short time|some ?time|shortly) (?:later|after(?:wards?)?)"
    r"|in other news|according to the (?:report|article|post|statement|complaint|document)s?"
    r"(?! (?:of|by|from|in|on|that)\b)"
    r"|as (?:expected|usual|always|noted|mentioned|stated)|back (?:in|then)|in all|in total"
    r"|(?:one|two|three|four|five|six|several|some) others?|elsewhere|whatever"
    r"|namely|turns out|it turns|fear not|once upon a time|seeking|reports the|one of the"
    r"|according to (?:him|her|them)|an? (?:different|similar|further)|an additional"
    r"|the (?:second|third|fourth|final))\b",
    r"(?:one|some|many|most|all|both|each|several) (?:said|told|was|were|is|are|has|have|had)\b",
    r"(?:next|first|firstly|second|third|sorry),",
    r"(?:[\w’',-]+ ){1,4}(?:also|then)\b",
    # The end of a sentence that was cut behind "p.m.", and the label of a list or a caption.
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:,? (?:jan|feb|mar|apr|may|june|july|aug|sep|oct"
    r"|nov|dec)|,? (?:at|to|in|on|when|after|where|for|and|with|near|as|by|from|who|inside"
    r"|outside|following|during)\b)",
    r"(?:jan|feb|mar|apr|may|june|july|aug|sep|oct|nov|dec)[a-z]*\.? \d+,? (?:at|to|in|on|when"
    r"|after|for|and|with|near|following)\b",
    r"(?:[\w-]+ ){0,3}(?:minutes|hours|days|weeks|months|years|moments|day|week|month|year|hour) "
    r"(?:later|earlier|before)\b",
    r"(?:the|that) (?:next|following|previous) |if true\b",
    r"(?:(?!\w+ (?:said|says|told|added|wrote|tweeted))[\w’'/-]+ ?){1,3}: (?=[“\"]?(?-i:[A-Z]))",
    r"\w+ (?:it|he|she|they|them|him|this|that|these|those)\b",
    # Somebody who was introduced before, unless the next words say who.
    r"the (?:\d+-year-old |young |elderly |alleged |former |late )*(?:man|woman|boy|girl|teen"
    r"|teenager|suspects?|victims?|gunman|shooter|officers?|actor|actress|singer|star|family"
    r"|player|driver|company|group|agency|officials?|child|children|student|patient|parents"
    r"|mother|father|businessman|politician|reporter|author|site|website|newspaper|outlet"
    r"|\d+-year-old)\b(?!,? (?:of|who|whose|in|at|from|behind|accused|charged|suspected|arrested"
    r"|named|identified|that|killed|shot|(?-i:[A-Z])))",
)

FINITE = (
    r"(?<!\bto )\b(?:is|are|was|were|has|have|had|will|would|can|could|may|might|should|must"
    r"|do|does|did"
    r"|said|says?|told|took|made|went|came|got|won|lost|found|left|held|shot|hit|began|begins|fell"
    r"|rose|ran|led|met|saw|gave|gives|set|put|cut|sent|kept|knew|thought|became|brought|built"
    r"|bought|caught|chose|drew|drove|fought|flew|forgot|froze|grew|heard|hid|hurt|laid|lay|let|lit"
    r"|paid|quit|read|rode|sang|sat|sold|shook|showed|shut|spent|spoke|spread|stood|stole|struck"
    r"|swore|taught|threw|wore|wrote|broke|beat|ate|sank|shows?|claims?|remains?|wants?|makes?"
    r"|takes?|plans?|reports?|warns?|calls?|believes?|means?|comes?|goes|faces?|seems?|appears?"
    r"|announces?|needs?|looks?|gets?|includes?|continues?|expects?|describes?|features?|holds?"
    r"|[a-z]+(?<!n)(?<!u)ed)\b|n['’]t\b|[a-z]['’](?:s|re|ve|ll|d) (?:not|been|a|the|\w+ing)\b",
)
"""Verbs that a sentence may have; one without any is a heading or a caption."""

PREFIX = (
    r"^(?:CLOSE|LISTEN|WATCH|LIVE|VIDEO|PHOTOS?|AUDIO|BREAKING|EXCLUSIVE|Outline|Related Photos?)"
    r"\s+(?=[A-Z])",
    r"^.{0,160}\b(?i:updated|posted|published):? [^.]{0,60}?\d(?::\d\d)? ?(?i:[ap]\.?m\.?)"
    r"(?: [A-Z]{2,4}T)? (?=[A-Z])",
    r"^(?i:by|from) (?:[A-Z][\w.’'-]* ){0,4}(?i:staff(?: (?:reports?|writers?|reporters?))?)\s+"
    r"(?=[A-Z])",
)

BOILERPLATE = (
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
"""What pages say about themselves, their writers and their outlet."""

FURNITURE = (
    r"\bthe \w+ of them\b",
    r"\bthere(?!['’])(?! (?:is|are|was|were|has|have|had|will|would|could|may|might|should|can|to"
    r"|seems?|appears?|remains?|isn|aren|wasn|weren)\b)",
    r"\b(?:has|have|had|was|were|is|are|will|would) also\b",
    r"^[“\"‘'](?i:it|they|he|she|this|that|these|those|there|here|now|but|and|so|yes|no|his|her|their"
    r"|him|them)\b",
    r"^\d{1,2}:\d\d|\breached out to\b|\bis told\b",
    r", (?i:though|however|too|meanwhile|therefore)[,.]",
    # A heading, a byline or a caption that runs into the sentence behind it.
    r"(?<=[\w’'.)]) (?<![:.;!?] )(?:A|An|In|On|At|According|After|When|While|As|It|There|Last|This"
    r"|Two|Three|Four|Several|Authorities|Officials|Investigators|Detectives) "
    r"(?=[a-z\d]|[A-Z][a-z]+day\b)",
    r"(?<=[a-z\d]) (?:Police|The|One|He|She|They) (?=[a-z])",
    r"^[^.]{0,40}[a-z]/[A-Z][a-z]",
    r"^(?i:by|provided by) (?:[A-Z][\w.’'-]+ ){2,}(?=[A-Z])",
    r"\b(?:Blvd|Ave|St|Rd|Dr|Ln|[ap]\.m)\. [A-Z]\w* (?:said|says?|told|is|was|were|are|has|have)\b",
    r", (?:They|He|She|It) (?:is|are|was|were|has|have|said)\b|\s(?:-|–|—|--) (?:A|An|The|Police) ",
    # What points at something that was said before, and asides.
    r"\bthat (?:same )?(?:night|day|morning|evening|afternoon)\b"
    r"|\b(?:\d+|two|three|four|five|six) (?:hours|days|weeks|months) later\b|\bthat[’']s when\b"
    r"|\bof those (?:two|three|four) |\bsimilar (?:sentiment|view|concern|comment)s?\b"
    r"|\b(?:he|she|they|it) (?:had|did|was|is|would|has|does)(?:[.,]| [—–-])"
    r"|\bdetails are\b|\bThe Latest on\b"
    r"|\b(?:said|says|done) (?:as much|so)\b|\bmore recent\b|\ba question that\b",
    r"\b(?i:officials|authorities|police|investigators|experts|scientists|researchers|residents"
    r"|witnesses)\b(?: \w+){0,2} (?:said|say|believed?|thought|think|claim(?:ed)?) (?:that )?it\b",
    r"\b(?i:apparently|needless to say|of course|frankly|amazingly|unsurprisingly)\b",
    # Captions.
    r"(?<!\bon )\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, [A-Z][a-z]+\.? \d{1,2}, \d{4}",
    r", [A-Z][a-z]+\.? \d{1,2}, \d{4}\.$",
    r", (?:far |second from )?(?:left|right|cent(?:er|re)),|\((?:left|right|pictured|shown)\)",
    r"\b(?:waves|poses|gestures|looks on|(?:is|are) (?:seen|shown|pictured)|file photo"
    r"|In this (?:image|photo|picture|frame|still))\b",
    # The outlet about itself.
    r"\bas (?:The )?[A-Z]\w+(?: [A-Z]\w+)? (?:has |had )?(?:earlier |previously )?"
    r"(?:reported|noted)\b|\bpreviously reported\b",
    r"[’']s (?:touched|covered|written|reported|noted)\b",
    r"\b(?:Local|Channel|NewsChannel|News ?channel|News|FOX|Fox|ABC|NBC|CBS|CW|KIRO) ?\d+\b",
    r"\b(?i:crews? (?:is|are|was|were) on (?:the |its )?(?:scene|way)|stay with|viewers?"
    r"|ha(?:s|ve) (?:a|the) (?:summary|full story|details|latest|story)"
    r"|ha(?:s|ve) reached out|(?:respond|return)\w* (?:to )?(?:\w+ )?(?:requests?|calls?|messages?)"
    r"|(?:looking for|wanted:?) (?:volunteer )?writers)\b|\bMORE \(",
    r"\((?i:photos?|sources?|file|images?|credit|video|via|by|wire)\b",
    r"^(?i:image|caption|photo|video|file) [A-Z]{3,}",
    r"\b(?i:enable javascript|photos?:|sources?:|credit:|originally published)",
    r"^(?i:by) [A-Z][\w.’'-]+(?: [A-Z][\w.’'-]+)*(?:,|$|\s+(?:for|updated|and [A-Z]))",
    *BOILERPLATE,
)
