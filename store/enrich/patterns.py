"""Turns of phrase that decide how a clause is read, whatever the single words say."""

from __future__ import annotations

import re
from typing import Final

_PRAISED: Final = (
    r"luxury|luxurious|deluxe|clean|renovated|fresh|free|gourmet|quiet|friendly|helpful|service|hot|breakfast"
    r"|continental|view|ocean\sview|suite|upgraded?|customer\sservice|hospitality|great|nice|non-?smoking"
)
SARCASM: Final = re.compile(
    r"\byeah,?\sright\b|\bthanks\sfor\snothing\b|\bso\smuch\sfor\b|\bif\syou\scan\scall\b"
    r"|\bso[-\s]called\b"
    r"|\b(?:oh|wow|gee),?\s(?:great|joy|wonderful|lovely|fantastic|fun|how)\b"
    r"|\bhow\s(?:lovely|nice|wonderful|kind)\sof\b|\bwhat\sa\s(?:joke|treat|surprise)\b|\bbig\ssurprise\b"
    r"|\bgood\sluck\s(?:with|getting|finding|trying)\b|\bunless\syou\s(?:like|love|enjoy)\b"
    r"|\bif\syou\s(?:like|love|enjoy)\s(?:being|having|waiting|the\ssmell)\b"
    r"|\bjust\swhat\s(?:i|we|you)\s(?:need|needed|want|wanted)\b|(?<!\w)/s(?!\w)|\blol\b.*\bnot\b$"
    rf'|["“](?:{_PRAISED})["”]'
    r"|\b(?:great|nice|good|excellent|fantastic|brilliant|lovely),?\s(?:job|work|start)\b.*\bnot\b",
    re.IGNORECASE,
)
#: Questions that tell: "why is it so slow?".
RHETORICAL: Final = re.compile(
    r"\b(?:why|how\shard|how\scan|how\scould|really|seriously"
    r"|who\s(?:would|wants?|needs?|cares|thought|in\stheir\sright\smind|came\sup))\b",
    re.IGNORECASE,
)
_ONE: Final = r"\b(?:i|we|i[’']m|we[’']re)"
#: The writer takes no side.
INDIFFERENT: Final = re.compile(
    r"\beither\sway\b|\bone\sway\sor\s(?:the\sother|another)\b|\btake\s(?:it|them)?\s?or\sleave\b"
    r"|\bno\s(?:strong|real|particular|firm|big)?\s?(?:feelings?|opinions?|views?|preference)\b"
    rf"|{_ONE}\s(?:really\s|honestly\s|personally\s)?(?:do|did)(?:n[’']?t|\snot)\s(?:really\s|much\s)?"
    r"(?:mind\b|care\s(?:about|whether|if|which|either|much|too\smuch|one)\b|have\s(?:a|an|any)\s(?:\w+\s)?"
    r"(?:opinion|view|preference|feelings?)\b)"
    rf"|{_ONE}\s(?:am|are|was|were|feel|felt)?\s?(?:quite\s|pretty\s|totally\s)?(?:indifferent|neutral|agnostic|undecided"
    r"|ambivalent|on\sthe\sfence)\b"
    rf"|{_ONE}\scould(?:n[’']t|\snot)\scare\sless\b"
    r"|\b(?:does|did)(?:n[’']?t|\snot)\s(?:really\s)?(?:matter|bother)\s?(?:to\s)?(?:me|us)\b"
    r"|\bmakes?\sno\sdifference\s(?:to\s(?:me|us))\b|\bno\sskin\soff\b|\bit[’']?s\sall\sthe\ssame\sto\s(?:me|us)\b",
    re.IGNORECASE,
)
#: The writer says that there are two sides.
MIXED: Final = re.compile(
    r"\bmixed\s(?:feelings?|bag|opinions?|reviews?|views?|emotions?|experiences?|results?)\b|\blove[-\s/]hate\b"
    r"|\bhit[-\s](?:or|and)[-\s]miss\b|\btorn\s(?:about|on|between)\b|\b(?:in|of)\stwo\sminds\b"
    r"|\b(?:its|has|have|are|both)\s(?:the\s)?(?:pros\sand\s(?:the\s)?cons|ups\sand\sdowns|good\sand\s(?:its\s)?bad)\b",
    re.IGNORECASE,
)
#: Some are so and others are not.
PARTED: Final = re.compile(
    r"\bsome\b(?!\sof\s(?:us|my|the\sbest))[^.!?;]{3,90}?(?:,\s|\s(?:and|but|while|whereas)\s)(?:some\b(?!\sof\s(?:us|my|the\sbest))|others?\b|the\s(?:rest|others?)\b)"
    r"|\bsome\s[a-z]+\ssome\s[a-z]+\b|\bone\s[^.!?;]{3,80}?(?:,\s|\s(?:and|but|while)\s)(?:and\s|but\s)?(?:another\b|the\s(?:other|next|second)\b)"
    r"|(?:,\s|\s(?:and|but|while)\s)the\s(?:one|ones|other|others)\s(?:who|that|which|in|on|at|from|upstairs|downstairs|after)\b",
    re.IGNORECASE,
)
_NUMBER: Final = (
    r"(?:[£$€]\s?)?(?:\d[\d.,:]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty|thirty|forty|fifty|sixty)"
)
#: Where, when, how many and how a thing is: told, not judged.
FACT: Final = re.compile(
    r"\b(?:is|are|was|were)\s(?:(?:all|both|also|now|located|situated|based|found|held|kept|parked|down|up|just|right)\s){0,2}?"
    r"(?:on|in|at|by|near|next\sto|opposite|behind|between|inside|outside|below|above|beside|across\sfrom|from|under|there|here|upstairs|downstairs)\b"
    rf"|\b(?:is|are|was|were|costs?|counts?|lasts?|requires?|opens?|closes?|starts?|ends?|runs?|has|have|holds?|seats?|includes?|for)\s(?:(?:for|from|at|until|till|about|around|between|on)\s)?{_NUMBER}\b"
    rf"|\bthere(?:\s(?:is|are|was|were)|'s)\s(?:also\s)?(?:an?\s|{_NUMBER}\b)|\b(?:is|are)\s(?:the\ssame|called|made\sof|included|optional|closed\son|open\s(?:on|from|until|till|to))\b"
    r"|\b(?:is|are|was|were|has\sbeen|have\sbeen|can\sbe|must\sbe|get|gets)\s(?:searched|booked|collected|returned|paid|posted|sent|delivered|borrowed|ordered|recorded|replaced\sby|moved|printed|issued|reached\sby|used\sfor|shared\swith)\b"
    r"|\b(?:moved|changed|switched|relocated)\s(?:to|in|from|on)\b|\b(?:comes?|came)\s(?:with|in|as|on)\b|\b(?:counts?|goes|go)\s(?:towards|for)\b"
    r"|\byou\s(?:can|pay|get|need\sto|have\sto|must|may|book|hold|press|scan|enter|hand|collect)\b|\b(?:used|use|visited|visit|attended|attend|went\sto|go\sto|come\shere|borrow|read|take|took)\b[^.!?]{0,40}\b(?:mostly|mainly|usually|in\s(?:january|february|march|april|may|june|july|august|september|october|november|december|20\d\d)|every|on\s(?:mon|tues|wednes|thurs|fri|satur|sun)days?|about\s[a-z]+|for\sa)\b"
    r"|\b(?:set|sits?|stands?|lies|hangs?|lives?|stops?|runs?|leaves?|departs?|meets?|starts?|ends?|opens?|closes?|takes\splace|happens?)\s(?:right\s|just\s|only\s)?"
    r"(?:on|in|at|by|near|next\sto|opposite|outside|inside|behind|from|between|every|daily|weekly|monthly|twice\sa|once\sa|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?)\b"
    r"|\b(?:consists?\sof|contains?|comprises?|belongs?\sto|includes?|covers?|weighs?|measures?)\b|\b(?:is|are)\s(?:called|named|run\sby|owned\sby|written\sby)\b|\byou(?:'ll)?\s(?:find|see|reach)\b"
    rf"|\b(?:is|are|was)\s(?:an?\s|about\s|around\s|roughly\s)?{_NUMBER}[-\s](?:minutes?|mins?|metres?|meters?|miles?|km|pages?|hours?|weeks?|days?|euros?|pounds?|dollars?|storeys?|floors?)\b"
    r"|\b(?:i|we)\s(?:then\s|also\s|both\s|mostly\s|usually\s)?(?:used|use|visited|attended|landed|arrived|parked|collected|booked|stayed|bought|ordered|saw|sat|(?:was|were)\sgiven|checked\sin|signed\sup|joined|had\sthe)\b"
    r"|\bpicked\s(?:me|us)\sup\s(?:at|from|in)\b|\b(?:mostly|mainly|usually)\s(?:use|go|come|take|visit)\b|\bi'm\son\b|\bthey(?:'ve|\shave)\s(?:put|added|opened|installed)\b",
    re.IGNORECASE,
)
#: Something that happened, or happened to the writer: without these words a clause describes.
HAPPENED: Final = re.compile(
    r"\b(?:me|us|my|our|mine|was|were|had|did|[a-z]{3,}ed|went|took|got|gave|made|came|told|rang|saw|put|found|said|left|kept|felt|broke|lost|brought|sent)\b",
    re.IGNORECASE,
)
#: What makes even a plain fact a view.
PRESSED: Final = re.compile(
    r"!|\b(?:so(?!\s(?:is|are|do|does|did)\b)|too(?=\s[a-z])|very|just|only|still|even|never|always|nothing|nobody|not|no|again|finally|at\slast|actually|really|could|should|would|needs?|wish|hardly|barely|apparently|supposedly|already|but|though)\b|n['’]t\b",
    re.IGNORECASE,
)
#: Advice to others says how to get something, not how it was.
ADVICE: Final = re.compile(
    r"^\W*(?:(?:so|but|and|just|please|also)\s)?(?:if\syou\s(?:want|need|like|prefer|are\slooking|can|plan|go|get|do)\b"
    r"|(?:ask|look|opt|go)\sfor\s|(?:make|be)\ssure\s|request\s|bring\syour\s|don[’']?t\sforget\s)",
    re.IGNORECASE,
)
#: "If it worked, I would ...": it does not.
UNREAL: Final = re.compile(
    r"\bif\s(?:only\s)?[^,.;!?]{1,40}?\b(?:worked|were|had|was|did|could|came|lasted|stayed|wasn[’']t|weren[’']t|didn[’']t)\b"
    r"[^.;!?]*\b(?:would|could|might)\b|\b(?:would|could)\b[^.;!?]*\bif\s(?:only\s)?(?:it|they)\s(?:were|had|was|did)\b",
    re.IGNORECASE,
)
_MORE: Final = r"(?:much\s|far\s|way\s|a\slot\s|even\s|so\smuch\s)?"
_FOR: Final = (
    r"\bin\sfavou?r\sof\b|\b(?:fully|strongly|completely|really|i|we|residents|people)\s(?:do\s)?support(?:s|ed)?\s"
    r"(?:the|this|a|an|that|these|it|more)\b|(?<!at\s)\ball\sfor\s(?:the|this|it)\b"
    r"|\bplease\s(?:build|keep|approve|pass|bring\sback|expand|extend|implement)\b|\bwe\s(?:really\s)?need\s(?:the|this|that)\b"
    r"|\b(?:everyone|everybody|we\sall|i)\s(?:really\s)?wants?\s(?:the|this)\b|\blong\soverdue\b"
)
_AGAINST: Final = (
    r"\b(?:am|are|is|[’']m|[’']re|strongly|firmly|totally|completely|dead)\sagainst\s|\bopposed?\sto\b"
    r"|\b(?:oppose[sd]?|reject[s]?|object\sto)\s(?:the|this|a|an|any|that|these|it)\b"
    r"|\b(?:nobody|no\sone|noone|none\sof\sus)\s(?:[a-z]+\s){0,4}?(?:wants?|needs?|likes?|asked\sfor|supports?)\b"
    r"|\bplease\s(?:do\snot|don[’']?t|stop|scrap|cancel|remove|get\srid\sof|reconsider|drop)\b"
    r"|\b(?:should|must|needs?\sto|has\sto|ought\sto)\s(?:be\s)?(?:scrapped|cancell?ed|removed|abolished|rejected|banned"
    r"|stopped|withdrawn|go)\b|\b(?:would|will|going\sto)\s(?:ruin|destroy|kill|hurt|harm|wreck|worsen)\b"
    r"|\bnot\swhat\s(?:i|we)(?:\swould|[’']d)\scall\b|\b(?:nothing|hardly\sanything)\s[a-z]+\sabout\b"
    rf"|\b(?:i|we)(?:\shave|[’']ve)\s(?:had|seen|eaten|tasted|tried|used|owned|found|flown|read|stayed\s(?:in|at))\s{_MORE}better\b"
    rf"|\b{_MORE}(?:better|cheaper)\s(?:(?!than\b)[a-z]+\s)?elsewhere\b"
    r"|\b(?:old|previous|former|prior|earlier|original)\s(?:[a-z]+\s){1,3}(?:was|were|is|worked|looked|felt|tasted)\s"
    rf"{_MORE}(?:better|nicer|faster|easier|superior)\b|\b(?:like|liked|prefer|preferred|miss)\sthe\s(?:old|previous|former|original)\b"
    r"|\b(?!better\b|nicer\b|larger\b|bigger\b|faster\b)[a-z]{2,}er\s(?:[a-z]+\s)?than\s(?:advertised|described|pictured|promised|shown"
    r"|(?:in|on)\sthe\s(?:pictures?|photos?|website|site|brochure))\b"
)
#: Words that take a side on the thing itself, for it and against it.
TAKES_SIDE: Final = re.compile(f"(?P<pro>{_FOR})|(?P<contra>{_AGAINST})", re.IGNORECASE)
_DENIED: Final = re.compile(
    r"(?:\b(?:not|never|hardly|no\slonger)|n[’']t)\s(?:[a-z]+\s){0,2}$", re.IGNORECASE
)


def side_taken(words: str) -> int:
    """Return 1 where the words say that the writer is for a thing, -1 where against, 0 where they do not say."""
    match = TAKES_SIDE.search(words)
    if match is None:
        return 0
    side = 1 if match["pro"] else -1
    return -side if _DENIED.search(words, 0, match.start()) else side


#: Words that open a new subject after "and" or "but".
SUBJECTS: Final[frozenset[str]] = frozenset([
    "a", "all", "an", "every", "he", "her", "his", "i", "it", "its", "my", "no", "our", "she", "some", "that",
    "the", "their", "there", "these", "they", "this", "those", "we", "you", "your",
])  # fmt: skip

__all__ = [
    "ADVICE",
    "FACT",
    "HAPPENED",
    "INDIFFERENT",
    "MIXED",
    "PARTED",
    "PRESSED",
    "RHETORICAL",
    "SARCASM",
    "SUBJECTS",
    "TAKES_SIDE",
    "UNREAL",
    "side_taken",
]
