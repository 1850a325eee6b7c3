"""What takes a side by telling what happened: how people behaved, how fast, how often, and what the writer then did.

"They walked us to the door", "replied within the hour", "I rang four times", "I brought my own pillow", "would it kill
them to ...?" hold no word of praise or blame. Each kind is a pattern with a side in [-1, 1] and the words without which
it cannot match, so that most kinds cost one look-up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import cache
from typing import Final

_COUNT: Final = r"(?:two|three|four|five|six|seven|eight|nine|ten|a\sdozen|\d+|several|many|countless)"
_ME: Final = r"(?:me|us|him|her|them|you|everyone|everybody|people|my\s[a-z]+|our\s[a-z]+)"
_OWN: Final = r"(?:his|her|their|its)"
_SOON: Final = (
    r"(?:within\s(?:(?:the|an?|one|two|three|four|five|ten|\d+|half\san|a\sfew|a\scouple\sof)\s)?(?:minutes?|mins?|seconds?|hours?|day)"
    r"|in\s(?:just\s|only\s|about\s|under\s|less\sthan\s)?(?:(?:an?|one|two|three|four|five|ten|\d|1\d|a\sfew|a\scouple\sof)\s)(?:minutes?|mins?|seconds?)"
    r"|(?:in|inside|under)\s(?:under\s|less\sthan\s)?(?:an\shour|a\sday|half\san\shour)|(?:the\s)?(?:very\s)?(?:same|next)\sday"
    r"|(?:straight|right)\s?(?:away|off)|at\sonce|immediately|instantly|on\sthe\sspot|there\sand\sthen|before\s(?:i|we)(?:'d|\shad)\b)"
)
#: (side, words of which one must be there, pattern)
_TABLE: Final[tuple[tuple[float, str, str], ...]] = (
    # Nothing had to be endured: "never had to wait", "I did not have to ask twice".
    (
        0.9,
        "never once haven't didn't don't hasn't not",
        r"\b(?:never|not\sonce|(?:have|has|did|do)(?:n't|\snot)(?:\sonce)?)\s(?:once\s|ever\s|yet\s)?(?:had|have|needed|need|has)\sto\s"
        r"(?:wait|queue|ask|chase|call|ring|fight|worry|struggle|search|hunt|look|pay|rewind|restart|reset|repeat|complain|stand|explain|be\b|do\b|go\b)",
    ),
    # Kindness and care.
    (
        0.8,
        "way time times",
        rf"\b(?:went|go|goes|going)\sout\sof\s{_OWN}\sway\b|\b(?:took|takes|take|has|have|had|makes?|made)\s(?:all\s)?(?:the|{_OWN})\s"
        r"(?:time|time\sin\sthe\sworld)\s(?:to|with|for)\b|\balways\s(?:has|have|had|makes?|made)\stime\b",
    ),
    (
        0.8,
        "feel felt",
        r"\b(?:ma[dk]e[s]?)\s(?:me|us|you|everyone|him|her|them|my\s[a-z]+|our\s[a-z]+)\sfeel\s(?:so\s|very\s|really\s|right\s|truly\s)?"
        r"(?:welcome|at\shome|at\sease|safe|special|heard|comfortable|valued|part\sof|like\sfamily)\b|\bfelt\s(?:so\s|very\s|really\s)?(?:looked\safter|heard)\b",
    ),
    (
        0.8,
        "like as",
        rf"\btreat(?:ed|s)?\s{_ME}\s(?:like|as)\s(?:one\sof\s)?(?:{_OWN}\sown|family|friends?|royalty|an?\s(?:king|queen|friend|human|person|guest|vip)|old\sfriends?)",
    ),
    (
        -0.9,
        "like as",
        rf"\btreat(?:ed|s)?\s{_ME}\s(?:like|as)\s(?:an?\s)?(?:number|dirt|criminals?|idiots?|fools?|child|children|nuisance|cattle|rubbish)",
    ),
    (
        0.6,
        "name names",
        r"\b(?:know|knows|knew|remember|remembers|remembered|greet|greets|greeted)\s(?:\w+\s){0,2}?(?:by\s(?:first\s)?name|(?:my|our)\snames?)\b",
    ),
    (
        0.7,
        "even",
        r"(?<!n't\s)(?<!not\s)\beven\s(?:found|helped|offered|gave|brought|phoned|called|rang|stayed|walked|carried|waited|lent|sent|drove|came\sback|threw\sin)\b",
    ),
    (
        0.7,
        "walked carried showed stayed waited phoned called rang checked followed kept listened listens "
        "apologised apologized",
        rf"\b(?:walked|carried|showed)\s{_ME}\s(?:to|through|up|down|over|in|all)\b|\bstayed\s(?:late|behind|open\slate|on\slate)\b|\bwaited\s(?:for|with)\s(?:me|us)\b"
        r"|\b(?:phoned|called|rang)\s(?:me|us)\s(?:back|herself|himself|themselves)\b|\b(?:checked|followed)\s(?:up\s)?(?:on|with)\s(?:me|us)\b"
        r"|\bkept\s(?:me|us)\s(?:informed|posted|updated|up\sto\sdate|in\sthe\sloop|company)\b|\blisten(?:s|ed)\b(?!\sto\s(?:music|the\sradio|it|podcasts?|them|an?\b))|\bapologi[sz]ed\b",
    ),
    (
        0.7,
        "every each all everything",
        r"\b(?:explain(?:s|ed)?|answer(?:s|ed)?|repl(?:y|ies|ied)\sto|went\sthrough|talk(?:s|ed)\s(?:me|us)\sthrough)\s(?:(?:me|us)\s)?(?:to\s)?(?:every(?:thing)?|each|all)\b"
        r"|\b(?:cleaned|wiped|checked|washed|swept|changed|refilled|restocked|updated|maintained)\s(?:down\s)?(?:every|each|twice\sa|several\stimes\sa)\b",
    ),
    (
        0.9,
        "deserve deserves deserved",
        r"\bdeserve[sd]?\s(?!(?:better|what|nothing|no|to|less|zero|everything)\b)(?:an?|every|all|some|more|huge|full|the)?\b",
    ),
    # Rudeness and neglect.
    (
        -0.9,
        "off up eyes over down through at away shoulders shrug shrugs shrugged",
        rf"\b(?:told\soff|(?:tells?|told)\s{_ME}\soff|hung\sup|hangs\sup|roll(?:s|ed)\s{_OWN}\seyes|shrug(?:s|ged)?(?!\soff)|talk(?:s|ed)?\s(?:right\s)?(?:over|down\sto)\s{_ME}"
        rf"|look(?:s|ed)?\s(?:down\son|right\sthrough|straight\sthrough|past)\s{_ME}|(?:shout|yell|snap|bark|swore|swear)(?:s|ed|ped)?\sat\s{_ME}"
        rf"|(?:turned|sent)\s{_ME}\s(?:away|packing)|fob(?:s|bed)?\s{_ME}\soff|brush(?:es|ed)?\s{_ME}\soff)",
    ),
    (
        -0.8,
        "chatting gossiping texting phones laughing busy",
        r"\b(?:were|was|are|is|stood|sat|stand|sit)\s(?:(?:too\s|all\s|more\s|always\s|just\s)?busy\s)?(?:around\s)?(?:chatting|gossiping|texting|laughing|on\stheir\sphones?|talking\samong)\b",
    ),
    # Soon done.
    (
        0.8,
        "within in same next straight right once immediately instantly spot there under inside before",
        r"\b(?:repl(?:y|ied|ies)|answer(?:s|ed)?|respond(?:s|ed)?|sort(?:s|ed)|fix(?:ed|es)|solve[ds]|resolve[ds]|refunded|arriv(?:e|es|ed)|deliver(?:s|ed)|replaced?|found|finds?|done|seen"
        r"|served|finished|reached|delivered|came|come|back|turned\sup|out)\b(?:\s(?!by\b|but\b|not\b|and\b)[a-z']+){0,6}?\s"
        + _SOON,
    ),
    (
        0.8,
        "time minute dot schedule",
        r"(?<!not\s)(?<!never\s)(?<!n't\s)(?<!rarely\s)\b(?:right\s|always\s|exactly\s|bang\s|dead\s)?(?:on\stime|to\sthe\sminute|on\sthe\sdot|ahead\sof\s(?:schedule|time))\b",
    ),
    # Asked for in vain, again and again.
    (
        -0.8,
        "times twice again over",
        rf"\b(?:rang|ring|called|call|phoned|phone|asked|ask|emailed|e-mailed|email|wrote|written|reported|complained|tried|chased|rebooked|restarted|moved|cancelled|canceled|postponed|changed|broke|broken|failed)\b"
        rf"(?:\s[a-z]+){{0,5}}?\s(?:(?:at\sleast\s|about\s|over\s)?{_COUNT}\stimes|twice|again\sand\sagain|over\sand\sover)\b",
    ),
    (
        -0.7,
        "time",
        r"\b(?:second|third|fourth|fifth|sixth|umpteenth|\d(?:nd|rd|th))\stime\s(?:this|in\sa|in\s(?:two|three|four|as)|now|running)\b",
    ),
    (
        -0.8,
        "single nobody one sign sight soul zero isn't wasn't",
        r"\bnot\sa\s(?:single|soul)\b(?!\s(?:complaint|problem|issue|fault|thing\swrong|bad|drop))|\b(?:no|without\sany)\ssign\sof\b|\b(?:nobody|no\sone|none)\s(?:[a-z]+\s){0,2}?(?:in\ssight|to\sbe\s(?:seen|found)|around|picks?\sup|picked\sup)\b|\bthere\s(?:isn't|wasn't|is\snot|was\snot)\s(?:one|a\ssingle|even\sone)\b",
    ),
    # What the writer does about it.
    (
        -0.8,
        "own",
        r"\b(?:bring|brings|brought|bringing|take|took|taking|carry|carried|bought|use|using)\s(?:my|our|your|his|her)\sown\b",
    ),
    (
        -0.8,
        "up stopped stop elsewhere instead resort resorted resorting",
        r"(?<!never\s)(?<!not\s)(?<!n't\s)\b(?:gave|give|given|giving)\sup\b(?!\s(?:his|her|their)\s(?:seat|time|lunch|evening|day))|(?<!can't\s)(?<!cannot\s)\b(?:i|we)(?:'ve|\shave)?\s(?:now\s)?stopped\s(?:using|going|coming|buying|asking|reading|listening|bothering|booking|ordering|watching)\b"
        r"|\b(?:go|went|gone|going|shop|eat|buy|bought|ate|park|parked)\selsewhere\b|\b(?:drove|walked|went|took|use|used|bought|parked|ate)\b[^.;!?]{0,40}\sinstead\b|\bresort(?:ed|ing)?\sto\b",
    ),
    # Out of use.
    (
        -0.9,
        "out",
        r"(?<!never\s)(?<!not\s)\bout\sof\s(?:order|service|action|stock|paper|soap|toner|ink|date|bounds)\b",
    ),
    (
        -0.9,
        "locked shut",
        r"\b(?:found|was|were|is|are|keep|kept|always|often|usually|been)\s(?:[a-z]+\s){0,3}?(?:locked|shut)\b(?!\s(?:properly|in\splace|first|securely))",
    ),
    (
        -0.8,
        "up doubled doubles doubling tripled rose shot jumped",
        r"\b(?:prices?|fees?|fares?|costs?|charges?|rates?|rents?|bills?|premiums?)\s(?:[a-z]+\s){0,3}?(?:(?:went|gone|go|goes|going|shot|crept|put)\sup|doubl(?:es|ed|ing)|tripled|rose|jumped|shot)\b",
    ),
    # Delight that shows.
    (
        0.8,
        "fly flies flew leave end stop back hooked forward",
        r"\b(?:fl(?:y|ies|ew)\s(?:by|past))\b|\b(?:never|did(?:n't|\snot)|do(?:n't|\snot)|does(?:n't|\snot))\s(?:ever\s)?want(?:s|ed)?\s(?:to\s(?:leave|go\shome|stop)|it\sto\s(?:end|stop))\b"
        r"|\bcan(?:'t|not)\sstop\s(?:[a-z]+ing|looking|talking)\b|\b(?:keeps?|kept)\s(?:[a-z]+\s)?coming\sback\b(?!\sto\s(?:haunt|the\ssame))|\bhooked\b|\blook(?:s|ed|ing)?\sforward\sto\b",
    ),
    (
        0.8,
        "saved saves taught learned learnt helped helps",
        r"\b(?:sav(?:ed|es)|helped|helps)\s(?:me|us|my|our|the\sday)\b|\btaught\s(?:me|us)\b|\b(?:learned|learnt)\s(?:so\smuch|a\slot|loads|more|plenty|tons)\b",
    ),
    (
        0.9,
        "full ten 10 stars marks",
        r"\bfull\smarks\b|\b(?:10|ten)\s?(?:/|out\sof)\s?(?:10|ten)\b|\b(?:five|5)\sstars\b",
    ),
    (-0.9, "zero 0 1 one", r"\b(?:zero|0|one|1)\s(?:stars?\b|(?:/|out\sof)\s?(?:10|ten|5|five)\b)"),
    (
        -0.9,
        "photos photo pictures picture paper website brochure leaflet",
        r"\b(?:look|looks|looked|sounds?|sounded)\s(?:so\s|very\s|really\s)?(?:nice|good|great|lovely|fine|wonderful|amazing|better)\s(?:in|on)\s(?:the\s|your\s|their\s)?(?:photos?|pictures?|paper|website|brochure|leaflet)\b",
    ),
    (
        -0.9,
        "much same",
        r"\b(?:do|did|does)(?:n't|\snot)\sthink\smuch\sof\b|\b(?:can't|cannot|couldn't)\ssay\sthe\ssame\b|\bnot\smuch\sof\san?\b",
    ),
    # Invitations that do not invite.
    (-0.9, "guess", r"(?:^|[.!?,]\s)guess\s(?:when|what|who|where|how)\b"),
    (
        -0.9,
        "designed built written invented someone somebody",
        r"\b(?:designed|built|written|invented|made|chosen|planned|organised|organized)\s(?:by|for)\s(?:someone|somebody|people|a\sperson|a\scommittee)\s(?:who|that|with)\b",
    ),
)

#: Questions that blame: "would it kill them to ...?", "why does it ...?".
BLAMING: Final = re.compile(
    r"^\W*what\s[a-z]+\?|\bwould\sit\s(?:kill|hurt)\b|\bis\sit\s(?:really\s|so\s)?(?:too\smuch\sto\sask|(?:that|so)\shard)\b|\bhow\s(?:hard|difficult)\scan\s(?:it|that)\sbe\b"
    r"|\b(?:am|are)\s(?:i|we|you)\ssupposed\sto\b|\bwhat\s(?:were|are)\sthey\sthinking\b|\bwhat(?:'s|\sis)\sthe\spoint\b|^\W*(?:so\s|and\s|but\s)?why\s(?:on\searth|oh\swhy|does|do|must"
    r"|can't|won't|doesn't|isn't|aren't|is\sit|are\sthere\sno|is\sthere\sno)\b",
    re.IGNORECASE,
)


@cache
def _index() -> dict[str, tuple[tuple[float, re.Pattern[str]], ...]]:
    """Return the word -> the kinds that may match where it stands."""
    found: dict[str, list[tuple[float, re.Pattern[str]]]] = {}
    for side, needed, pattern in _TABLE:
        kind = side, re.compile(pattern)
        for word in needed.split():
            found.setdefault(word, []).append(kind)
    return {word: tuple(kinds) for word, kinds in found.items()}


def deeds(words: str, there: Set[str]) -> Iterator[tuple[float, re.Match[str]]]:
    """Yield the side of each kind of deed told in ``words`` (lower case), with its match; ``there`` are its words."""
    index = _index()
    kinds = {kind for word in there & index.keys() for kind in index[word]}
    for side, pattern in sorted(kinds, key=lambda kind: (kind[0], kind[1].pattern)):
        match = pattern.search(words)
        if match:
            yield side, match


__all__ = ["BLAMING", "deeds"]
