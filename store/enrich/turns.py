"""What takes a side though no single word praises or blames: trouble denied, things that fail, waiting, remedies.

"Never had a problem", "it crashes", "we queued for an hour", "they fixed the lag", "not bad at all", "nowhere near as
good as". Each kind is a pattern of closed word lists with a weight in (0, 1]; the sides of all that match are added.
Words whose side depends on their own valence ("could not have been ruder", "not as noisy as") ask the lexicon.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final

from store.enrich.deeds import deeds
from store.enrich.lexicon import lexicon

_NOT: Final = r"(?:not|never|[a-z]+n't|cannot)"
#: What nobody wants to have had.
_TROUBLE: Final = (
    r"(?:problems?|troubles?|issues?|complaints?|hassles?|faults?|fuss|flaws?|glitch(?:es)?|bugs?|crash(?:es)?|delays?|lags?"
    r"|hiccups?|worr(?:y|ies)|regrets?|downsides?|drawbacks?|headaches?|errors?|mistakes?|dull\smoment|bad\s[a-z]+|hidden\s[a-z]+)\b"
)
#: What a thing does when it is broken.
_BREAKS: Final = (
    r"(?:crash(?:es|ed)|freez(?:es|ing)|froze|broke|breaks|(?:came|comes?)\s(?:loose|off|apart|undone|unstuck)"
    r"|(?:fell|falls?)\s(?:off|out)|leak(?:s|ed)|jams|jammed|stall(?:s|ed)|overheat(?:s|ed)|glitch(?:es|ed)"
    r"|lags|lagged|disconnect(?:s|ed)|shuts?\s(?:itself\s)?(?:off|down)|(?:went|goes|gone)\s(?:missing|dead|blank|wrong)"
    r"|crack(?:s|ed)|peel(?:s|ed)|shr[au]nk|wears?\sout|wore\sout)\b"
)
#: What a thing or its people are there to do.
_DUTY: Final = (
    r"(?:bother(?:ed|s)?|repl(?:y|ied|ies)|respon(?:d|ds|ded|se)|answer(?:ed|s)?|listen(?:ed|s)?|recogni[sz]e[ds]?|load(?:ed|s)?"
    r"|start(?:ed|s)?|charge[ds]?|connect(?:ed|s)?|arrive[ds]?|(?:show|turn)(?:ed|s)?\sup|turn(?:ed|s)?\son|apologi[sz]e[ds]?"
    r"|help(?:ed|s)?|care[ds]?|sync(?:ed|s)?|save[ds]?|flush(?:ed|es)?|drain(?:ed|s)?|lock(?:ed|s)?|update[ds]?|refund(?:ed|s)?"
    r"|call(?:ed|s)?\sback|c[oa]mes?\sback|hold\s(?:up|a\scharge)|last(?:ed)?|go(?:es)?\sanywhere|add(?:s|ed)?\sup|respect(?:ed|s)?"
    r"|explain(?:ed|s)?|deliver(?:ed|s)?|open\sproperly|close\sproperly)\b"
)
_NUMBER: Final = (
    r"(?:\d+(?:[.,-]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half\san"
    r"|several|many|(?:a\s)?couple\sof|a\sfew)(?:\sand\sa\shalf)?"
)
_UNIT: Final = r"(?:hours?|hrs?|days?|weeks?|months?|years?)\b"
_SPELL: Final = (
    rf"(?:{_NUMBER}\s?-?(?:(?:long|whole|full|entire|solid)\s)?"
    rf"(?:min(?:ute)?s?\b|{_UNIT})|ages\b|forever\b)"
)
_LONG: Final = (
    rf"(?:{_NUMBER}\s?(?:whole\s|full\s)?{_UNIT}"
    r"|(?:[2-9]\d|\d{3}|twenty|thirty|forty|fifty|sixty|ninety)"
    r"(?:-\d+)?\s?min(?:ute)?s?\b|ages\b|forever\b|an\seternity\b)"
)
_NOT_SHORT: Final = r"(?!\s(?:[a-z]+\s){0,3}?(?:only|just|within|less|under|barely)\b)"
#: Past and present forms of mending, before what was mended.
_MENDS: Final = (
    r"(?:fix(?:ed|es)|cure[ds]|solve[ds]|resolve[ds]|(?:sort|iron|straighten|clear)(?:ed|s)\s(?:out|up)|(?:got|gets)\srid\sof|puts?\san\send\sto"
    r"|eliminate[ds]|repair(?:ed|s)|remed(?:ied|ies)|rectif(?:ied|ies)|patch(?:ed|es))\s(?:all\s|both\s)?(?:the|my|our|this|that|these|those|it|its|their"
    r"|every|most|any|[a-z]+ing)\b|\bputs?\s(?:everything|things|it|this|that|matters)\s(?:right|straight)\b"
)
_KINDS: Final[tuple[tuple[float, str], ...]] = (
    # Trouble that was not there: "without any hassle", "have yet to have a problem", "not a single complaint".
    (
        0.8,
        rf"\b(?:no|zero|without|not\sa|not\sone|never\sa|yet\sto\s[a-z]+|(?:never|n't|\bnot)\s(?:once\s)?(?:had|have|seen?|found|find|met|run\sinto"
        rf"|ran\sinto|encounter(?:ed)?|experienced?|got|get))\s(?!end\sof\b)(?:an?\s|any\s|the\s)?(?:single\s|real\s|major\s|slightest\s)?{_TROUBLE}"
        r"(?!\s(?:was|were|is|are)\s(?:solved|fixed|resolved|answered))",
    ),
    # "Never lets me down", "has yet to fail", "hasn't crashed".
    (
        1.0,
        rf"\b(?:{_NOT}|yet\sto|not\sonce)\s(?:once\s|ever\s|yet\s|even\s)?(?:(?:has|have|had|been)\s)?(?:once\s|ever\s)?(?:lets?\s(?:me|us|you|anyone)\sdown"
        rf"|fail(?:s|ed)?\b|disappoint(?:s|ed)?\b|miss(?:es|ed)?\sa\sbeat|put\sa\sfoot\swrong|bore[ds]?\b|annoy(?:s|ed)?\b|crash\b|freeze\b|break\b|leak\b|jam\b|lag\b|{_BREAKS})",
    ),
    # "Not bad at all", "not too shabby".
    (
        1.0,
        r"(?:\bnot|n't)\s(?:at\sall\s|a\s|so\s|too\s|that\s|half\s|all\sthat\s)?(?:bad|shabby|terrible|awful|horrible|unpleasant|unreasonable)\b"
        r"(?!\senough)",
    ),
    # Trouble that went away.
    (0.7, rf"\b(?:{_MENDS})"),
    (0.6, r"\bno\s(?:more|longer)\s(?:any\s)?(?:need(?:s|ed)?|have\sto|has\sto|worry|worrying|struggle)\b"),
    (0.5, r"\b(?:you|we|i|one)\s(?:do|did)(?:n't|\snot)\s(?:even\s)?need\s(?:an?\b|to\b|any\b)"),
    # What should happen and does not; "we did not bother" is the writer's own doing.
    (
        -0.7,
        rf"(?<!\bi\s)(?<!\bwe\s)(?<!\byou\s)\b(?:(?:do|does|did|has|have|had|will|would|could|can|is|are|was|were)(?:n't|\snot|\snever)|cannot|never"
        rf"|refuse[sd]?\sto|fail(?:s|ed)?\sto|nobody|no\sone|no-one|without)\s(?:even\s|once\s|ever\s|always\s|been\s|really\s)?{_DUTY}(?!\s(?:about|if|whether)\b)",
    ),
    (
        -0.7,
        r"\b(?:never|(?:did|have|has)(?:n't|\snot))\s(?:yet\s|even\s|ever\s|once\s)?(?:got(?:ten)?|get|receive[ds]?|heard|hear|seen|saw)\s"
        r"(?:my|our|the|any|back|an?\s(?:reply|answer|response|refund|call))\b",
    ),
    (
        -0.7,
        rf"(?<!never\s)(?<!not\s)(?<!n't\s)(?<!yet\sto\s)(?<!\bi\s)(?<!\bto\s)(?<!once\s)(?<!could\s)\b{_BREAKS}(?!\s(?:bread|even|down\sinto)\b)",
    ),
    (
        -0.7,
        r"\b(?:stop(?:s|ped)|quits?|ceased)\s(?:to\s)?(?:work|function|respond|charg|sync|load|play|connect)[a-z]*\b|\bwould\snot\s(?:open|start|play|work|load)\b"
        r"|\b(?:kick|log|lock|throw)(?:s|ed)\s(?:me|us|you)\sout\b|\bdrop(?:s|ped)\s(?:calls?|(?:the\s)?connection)\b"
        r"|\bcancel(?:l)?ed\s(?:my|our|the)\b|\b(?:over)?charged\s(?:me|us)\s(?:twice|again|for\s(?:something|things))\b|\bblocked\s(?:my|our)\b"
        r"|\blost\s(?:my|our|all)\b(?!\s(?:mind|breath))",
    ),
    # Having to do again what should work at once.
    (
        -0.7,
        r"\b(?:had|have|has)\sto\s(?:ask|call|phone|beg|remind|chase|complain|queue|restart|reset|reinstall|re-?enter|resend|return|send)\b",
    ),
    # Waiting.
    (
        -0.9,
        rf"\b(?:(?:wait(?:ed|ing|s)?|queu(?:ed|ing|e)|stuck)\b{_NOT_SHORT}(?:\s[a-z]+){{0,4}}?\s{_SPELL}"
        rf"|(?:sat|stood|hung\saround|hanging\saround){_NOT_SHORT}(?:\s[a-z]+){{0,3}}?\s{_SPELL}\s(?:before|until|waiting|without|with\sno)\b"
        rf"|(?:spent|wasted|lost){_NOT_SHORT}(?:\s[a-z]+){{0,3}}?\s{_SPELL}\s(?:just\s)?(?:on\s(?:hold|the\sphone)|waiting|queu|trying|arguing|chasing|looking"
        r"|in\s(?:a\s|the\s)?(?:line|queue)|to\s(?:get|reach|find))"
        rf"|(?:took|takes|taking)\b{_NOT_SHORT}(?:\s[a-z]+){{0,3}}?\s{_LONG}(?!\s(?:by|on\sfoot|walk|drive|ride)\b)"
        rf"|{_SPELL}\s(?:late\b|behind\sschedule|overdue)"
        rf"|(?:arriv|c[ao]me|show|turn|deliver|land|left)[a-z]*{_NOT_SHORT}(?:\s[a-z]+){{0,2}}?\s{_SPELL}\s(?:after|later?)\b"
        r"|still\s(?:waiting|no\s(?:reply|answer|response|refund|sign))|on\shold\sfor)",
    ),
    (
        -0.7,
        r"\b(?:used\sto\sbe|was|were|worked|looked|tasted)\s(?:so\s|much\s|far\s|a\slot\s)?(?:better|nicer|faster|easier)\s(?:before|in\sthe\spast|under|back\sthen|years\sago)\b",
    ),
)
_SIDES: Final = tuple((weight, re.compile(pattern)) for weight, pattern in _KINDS)
#: "Could not have been kinder": as much so as can be.
_UTMOST: Final = re.compile(
    r"\bcould(?:n'?t|\snot|\snever)\s(?:possibly\s)?(?:have\s)?(?:been|be|asked?\sfor|hoped?\sfor|wished?\sfor|felt|feel|find|found|got|get|had|made|done)\s"
    r"(?:it\s|us\s|me\s|any\s|an?\s)*(?:(?P<less>less)\s(?P<a>[a-z]+)|more\s(?!than\b)(?P<b>[a-z]+)|(?!(?:other|further|another|over|under|later|longer)\b)(?P<c>[a-z]+er)\b)",
)
#: "Never met more helpful staff": of all there were, the most so.
_UNEQUALLED: Final = re.compile(
    r"\b(?:never|yet\sto|not\sonce)\s(?:ever\s|once\s|before\s)?(?:had|have|seen?|met|meet|experienced?|encountered|eaten|eat|tasted"
    r"|taste|used|visited|known|come\sacross|heard|worked\swith|dealt\swith|felt|tried|owned|bought|stayed\s(?:at|in)|been\s(?:to|in))\s"
    r"(?:any\s|an?\s)*(?:(?P<less>less)\s(?P<a>[a-z]+)|more\s(?!than\b)(?P<b>[a-z]+)|(?P<c>[a-z]+er|worse)\b)"
)
#: "Nowhere near as good as", "not exactly cheap": the opposite of the adjective.
_SHORT_OF: Final = re.compile(
    r"(?:\bnot|n't|\bnowhere)\s(?:near(?:ly)?\s)?(?:quite\s)?(?:(?:as|so)\s(?P<as>[a-z]+)\sas\b|(?:exactly|particularly|especially|all\sthat|terribly)\s(?P<very>[a-z]+)(?=\s*(?:[.,;!]|$|\s(?:for|to|in|and|or|but)\b)))",
)
#: Much of something: good, unless of something bad.
_MUCH: Final = re.compile(
    r"\b(?:loads|tons|heaps|stacks|oodles|masses|an\sabundance|a\swealth)\sof\s((?:[a-z]+\s?){1,3})",
    re.IGNORECASE,
)
_REAL: Final = re.compile(
    r"\b(?:if|unless|hope(?:d)?|wish|please|should|would|when\s(?:they|it|you)\s(?:have|has))\b"
)
_DENIES: Final = re.compile(rf"\b{_NOT}\s(?:[a-z]+\s){{0,2}}$")
#: Something bad that is over.
_GONE: Final = re.compile(
    r"\b(?:no\s(?:more|longer)|goodbye\sto|an\send\sto|gone\s(?:is|are)\sthe|without(?:\s(?:an?|any|the\sslightest|so\smuch\sas\sa))?)"
    r"\s((?:[a-z]+\s?){1,3})"
)
#: Nothing bad was done: "never rushed me", "nobody sneered".
_SPARED: Final = re.compile(
    r"\b(?:(?:never|not\sonce)\s(?:(?:once|ever|yet|been|felt|feel|made|make|met|me|us|had|a|an|any|anyone)\s){0,4}"
    r"|(?:nobody|no\sone)\s(?:ever\s|once\s)?)(?!(?:warned|told|again|mind|worse)\b)([a-z]+)\b(?!\s(?:up|it|the))"
)
#: A verdict on what was just told: "which I appreciate", "which is a pain".
_WHICH: Final = re.compile(
    r",\swhich\s(?:i|we|is|was|are|were|has\sbeen|my\s[a-z]+|our\s[a-z]+)\s(?:(?:really|so|very|a\sbit|quite|a|just|always|greatly|also)\s){0,2}([a-z]+)"
)
_UTMOST_SIDE, _SHORT_SIDE, _MUCH_SIDE, _GONE_SIDE, _IDIOM_SIDE = 1.0, 0.7, 0.5, 0.7, 1.0
_SPARED_SIDE, _WHICH_SIDE = 0.9, 0.9
_WORDS: Final = re.compile(r"[^\s.,;:!?()\"]+")
_NEW_CLAUSE: Final = re.compile(r"[,;:]|\s(?:but|and|then|yet)\s")


def turn(words: str) -> float:
    """Return the side that turns of phrase in ``words`` take, in [-1, 1]: above 0 for the thing, below 0 against it.

    0 where there is none, or where they cancel. What stands under a wish or a condition takes no side.
    """
    words = words.lower().replace("’", "'")
    if _REAL.search(words):
        return 0.0
    total = 0.0
    told = words
    for weight, pattern in _SIDES:
        match = pattern.search(told)
        if match:
            total += -weight if weight > 0.5 and _denied(words, match) else weight
            if weight > 0:
                # What was mended or never happened is no failure: "fixed the broken lift".
                after = _NEW_CLAUSE.search(told, match.end())
                stop = after.start() if after else len(told)
                told = told[: match.end()] + " " * (stop - match.end()) + told[stop:]
    total += sum(
        _graded(words, pattern, side)
        for pattern, side in (
            (_UTMOST, _utmost),
            (_UNEQUALLED, _unequalled),
            (_SHORT_OF, _short),
            (_MUCH, _much),
            (_GONE, _gone),
            (_SPARED, _spared),
            (_WHICH, _which),
        )
    )
    there = set(_WORDS.findall(words))
    for weight, match in deeds(words, there):
        total += -weight if weight > 0 and _denied(words, match) else weight
    known = idioms()
    for word in there & known.keys():
        for side, pattern in known[word]:
            match = pattern.search(words)
            if match:
                total += -side * _IDIOM_SIDE if _denied(words, match) else side * _IDIOM_SIDE
    return max(-1.0, min(1.0, total))


def _denied(words: str, match: re.Match[str]) -> bool:
    return _DENIES.search(words, 0, match.start()) is not None


def _graded(words: str, pattern: re.Pattern[str], side: Callable[[re.Match[str]], float]) -> float:
    match = pattern.search(words)
    return side(match) if match else 0.0


def _utmost(match: re.Match[str]) -> float:
    side = -1.0 if _valence(match["a"] or match["b"] or match["c"]) < 0 else 1.0
    return _UTMOST_SIDE * (-side if match["less"] else side)


def _unequalled(match: re.Match[str]) -> float:
    # "Never seen more people" tells nothing.
    return _utmost(match) if _valence(match["a"] or match["b"] or match["c"]) else 0.0


def _short(match: re.Match[str]) -> float:
    return _SHORT_SIDE if _valence(match["as"] or match["very"]) < 0 else -_SHORT_SIDE


def _much(match: re.Match[str]) -> float:
    known = lexicon().words
    return 0.0 if any(known.get(word, 0.0) < 0 for word in match[1].split()) else _MUCH_SIDE


def _gone(match: re.Match[str]) -> float:
    known = lexicon().words
    return _GONE_SIDE if any(known.get(word, 0.0) < 0 for word in match[1].split()) else 0.0


def _spared(match: re.Match[str]) -> float:
    return _SPARED_SIDE if lexicon().words.get(match[1], 0.0) < 0 else 0.0


def _which(match: re.Match[str]) -> float:
    value = lexicon().words.get(match[1], 0.0)
    return _WHICH_SIDE if value > 0 else -_WHICH_SIDE if value < 0 else 0.0


def _valence(word: str) -> float:
    """Valence of an adjective or of the one that a comparative is made of ("ruder", "noisier", "bigger")."""
    known, word = lexicon().words, word
    if word.startswith("cheap"):
        # Of quality it blames; against others, and denied, it is the price.
        return 1.0
    forms = [word]
    if word.endswith("er"):
        stem = word[:-2]
        forms += [stem, stem + "e", stem[:-1] + "y" if stem.endswith("i") else stem[:-1]]
    return next((known[form] for form in forms if known.get(form)), 0.0)


@cache
def idioms() -> dict[str, tuple[tuple[int, re.Pattern[str]], ...]]:
    """Read the shipped list: longest word -> the phrases that hold it, each with its side (+1 or -1)."""
    table = json.loads((files("store.enrich") / "data" / "idioms.json").read_text("utf-8"))
    found: dict[str, list[tuple[int, re.Pattern[str]]]] = {}
    for side, name in ((1, "for"), (-1, "against")):
        for phrase in table[name]:
            words = [word.split("/") for word in phrase.split()]
            pattern = r"\s".join("(?:" + "|".join(map(re.escape, forms)) + ")" for forms in words)
            side_of = (side, re.compile(rf"(?<!\w){pattern}(?!\w)"))
            for rare in max(words, key=lambda forms: len(forms[0])):
                found.setdefault(rare, []).append(side_of)
    return {rare: tuple(each) for rare, each in found.items()}


__all__ = ["idioms", "turn"]
