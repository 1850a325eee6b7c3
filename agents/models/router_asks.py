"""What a question asks for beyond its kind: one side of the views, or a count of them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from agents.models.router_data import alternatives
from agents.models.router_text import Clause

Side = Literal["positive", "negative"]
#: ``authors`` counts who wrote, ``mean`` asks for the mean of the documents' own ratings.
Count = Literal["number", "share", "authors", "mean"]
#: Sum of valences from which a count asks for one side ("found the room dirty").
_LEANS = 0.8

_SHARE = (
    r"\b(?:what|which)(?: is| was| are)?(?: the)?(?: (?:approximate|exact|overall|total|rough))?"
    r" (?:share|percentage|percent|proportion|fraction|ratio|part|portion)\b(?!-)"
    r"|\b(?:share|percentage|percent|proportion|fraction) of\b"
    r"|\bhow (?:large|big|high|small) (?:is |of )?(?:a |the )?(?:share|percentage|proportion|fraction|part)\b"
    r"|\bhow much of the (?:feedback|reviews|comments)\b|\bout of (?:all|every|how many)\b"
)
_NUMBER = (
    r"\bhow may(?= \w+s (?:mention|complain|say|talk|discuss|prais|like|love|hate|find|think))|"
    r"\bhow many(?: different| of the| of)?\b|\b(?:number|count|tally) of\b|^count\b"
    r"|\bhow (?:often|frequently|commonly)\b|\bhow common (?:is|are)\b"
)
_SAYING = (
    r"mention\w*|complain\w*|prais\w*|refer\w*|talk\w*|discuss\w*|critici[sz]\w*|comment\w*|recommend\w*|rate\w*"
    r"|rating|said|say|says|think|thought|feel|felt|find|found|like|liked|love|loved|hate|hated|dislike\w*|enjoy\w*"
    r"|prefer\w*|appreciate\w*|agree\w*|disagree\w*"
    r"|g[ai]ve (?:\w+ ){0,3}(?:stars?|ratings?|marks?|points|thumbs|scores?|reviews?)"
    r"|(?:gave|scored) (?:(?:it|them|this|a|an|below|above|under|over|at least|at most|less than|more than) ){0,3}"
    r"(?:\d+|one|two|three|four|five|ten)(?: out of \d+| points?)?(?= in | from | since | after | before |$)"
    r"|believe\w*|report\w*|describe\w*|express\w*"
    r"|regret\w*|trust\w*|support\w*|oppose\w*|favou?r\w*|bring up|brought up|raise\w*|note|noted"
    r"|(?:had|have|having|experienced) (?:\w+ )?(?:problems?|issues?|trouble)"
    r"|happy|satisfied|dissatisfied|unhappy|disappointed|pleased|impressed|positive|negative|critical|angry|upset"
    r"|annoyed|frustrated|neutral|mixed|unsatisfied|delighted"
)
_SAID_OF = (
    r"\b(?:is|are|was|were|gets?|got|been|does|do) (?:[\w'-]+ ){0,6}?(?:mentioned|prais\w+|critici[sz]ed"
    r"|complained|discussed|talked about|recommended|described as|brought up|noted|cited|come up|comes up)\b"
    r"|\b(?:positive|negative|neutral|favou?rable|unfavou?rable)\b"
    r"|\b(?:mentions?|mentioning|discuss\w*|refers?|refer to|talks? about|complains?|praises?|critici[sz]es?)\b"
)
_THING = (
    r"\bhow many (?:reviews|posts|comments|messages|texts|tweets|answers|questions|reports|surveys)"
    r" (?:can|could|may|must|should|do|does|will) (?:i|we|you|one|it)\b"
)
#: "How many rated the breakfast 1": the people are left out.
_ELIDED = (
    r"^ (?:(?:of )?(?:them|these|those) )?(?:(?:also|actually|really) )?(?:rated|liked|loved|hated|disliked|enjoyed"
    r"|praised|recommended|complained|criti[cs]i[sz]ed|mentioned"
    r"|(?:gave|scored) (?:[\w'-]+ ){1,6}?(?:\d+|one|two|three|four|five|stars?)\b)"
)


#: Those on one side of a matter, whoever they are: "are against the tram", "came out in favour of it".
_TAKE_SIDES = (
    r"^(?: (?!(?:do|does|did|has|have|can|will)\b)\S+){0,7}?"
    r" (?:is|are|was|were|came out|come out|spoke|speak|stand|stood|voted)"
    r" (?:(?:strongly|clearly|firmly|mostly|fully|also|really|still) )?"
    r"(?:against|in favou?r of|opposed to|supportive of|critical of|not in favou?r of|for or against"
    r"|(?:not )?(?:happy|unhappy|satisfied|dissatisfied|unsatisfied|pleased|displeased|disappointed|annoyed|impressed"
    r"|unimpressed|delighted|thrilled|frustrated|angry|worried))\b"
    r"|^ (?:(?:of )?(?:them|these|those) )?(?:do|did|does) not (?:\w+ly )?(?:like|love|enjoy|recommend"
    r"|appreciate|support|want|trust|mind|agree)\b"
    r"|^(?: \S+){0,4}? (?:support|supports|supported|oppose|opposes|opposed|welcome|welcomed|reject|rejected)"
    r" (?:the|this|a|it)\b"
)
_WROTE = (
    r"wrote|commented|responded|replied|posted|took part|participated|contributed|answered|reviewed|left (?:a |their )?"
    r"(?:comments?|reviews?|feedback)|gave (?:their )?(?:feedback|an opinion)|had their say|spoke up|submitted"
)
_MEAN = (
    r"\b(?:average|mean|median|avg) (?:(?:star|user|customer|guest|overall|review) )?"
    r"(?:ratings?|scores?|stars|star rating)\b"
    r"(?! (?:on the|for the|in the|of the) (?:test|exam|sat|act|game|season))"
    r"|\b(?:ratings?|scores?) on average\b"
)


@lru_cache(maxsize=1)
def _author_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return: people before any document; those who wrote, or are there; a mean rating."""
    documents = alternatives("documents")
    who = r"(?:PPL|authors?|writers?)"
    first = rf"^(?: (?!(?:{documents}|{who})\b)\S+){{0,3}}? {who}\b"
    there = (
        rf"(?: \S+){{0,8}}? (?:{_WROTE})(?:$|(?: (?:in|from|since|after|before|during|between|on|at|this|last)\b))"
        r"|(?: (?:from|of|in|aged|who|over|under) (?:\S+ ?){1,5})?(?: (?:are|were))? there(?: (?:in|from|are)\b.*)?$"
        r"|(?: \S+){0,6}? (?:are|were) there$"
    )
    return re.compile(first), re.compile(rf"{first}(?:{there})"), re.compile(_MEAN)


@lru_cache(maxsize=1)
def _count_patterns() -> tuple[re.Pattern[str], ...]:
    documents = alternatives("documents")
    voiced = rf"\b(?:PPL|they)\b.*?\b(?:{_SAYING}|EVAL|not happy|not want|not approve)\b"
    aux = r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would)"
    named = rf"^(?: (?!{aux}\b)\S+){{0,4}}? (?:{documents})\b"
    return tuple(
        re.compile(p) for p in (_SHARE, _NUMBER, named, voiced, _SAID_OF, _THING, _ELIDED, _TAKE_SIDES)
    )


@lru_cache(maxsize=1)
def _stance() -> re.Pattern[str]:
    """Verbs and adjectives by which people judge."""
    stances = alternatives("negative_stance", "positive_stance")
    return re.compile(rf"\b(?:{stances}|{_PRO}|{_CONTRA}|found|find|recommend\w*|rated?|prefer\w*)\b")


def counted(clause: Clause, *, groups: bool = False) -> Count | None:
    """Return what a clause counts in the corpus: a number or a share of documents, or of people with a view.

    ``groups`` says that the question names an author group ("Germans", "nurses"), whose word alone may not tell.
    """
    share, number, documents, voiced, said_of, thing, elided, sides = _count_patterns()
    _, wrote, mean = _author_patterns()
    text = clause.text
    by_share = share.search(text)
    found = by_share or number.search(text)
    if mean.search(text) and found is None:
        return "mean"
    if found is None or thing.search(text):
        return None
    rest = text[found.end() :]
    asked = number.search(clause.shape)
    if asked and not by_share and wrote.search(clause.shape[asked.end() :]):
        return "authors"
    said = (
        documents.search(rest)
        or said_of.search(rest)
        or voiced.search(clause.shape)
        or elided.search(rest)
        or sides.search(rest)
    )
    if not (said or (groups and _stance().search(rest))):
        return None
    return "share" if by_share else "number"


_PRO = r"support(?:s|ed)?|favou?r(?:s|ed)?|approve[sd]?|back(?:s|ed)?|in favou?r|welcome[sd]?"
_CONTRA = r"oppose[sd]?|against|reject(?:s|ed)?|disapprove[sd]?|object(?:s|ed)?"
_JUDGING = re.compile(
    r"\b(?:finds?|found|thinks?|thought|calls?|called|considers?|considered|describes?|described|feels?|felt"
    r"|says?|said|rates?|rated)\b"
)
_PLUS = "positive|good|great|pleasant|favou?rable|wonderful|excellent|glowing"
_MINUS = "negative|bad|poor|unpleasant|terrible|awful|unfavou?rable|critical"
_ABOUT = (
    "experiences?|reviews?|opinions?|feedback|comments?|things?|points?|aspects?|sides?|views?|impressions?|ratings?"
    "|remarks?|stories|parts?|features?|sentiments?|mentions?|qualities|bits?|thing"
)
_OR = r"(?:or|and|versus|vs|rather than|nor)"


@lru_cache(maxsize=1)
def _side_patterns() -> dict[str, re.Pattern[str]]:
    plus = rf"(?:{_PLUS}|best|like|likes|love|loves|praise|happy|satisfied|liked|loved|better|well|compliments?|pros)"
    minus = (
        rf"(?:{_MINUS}|worst|dislikes?|hates?|complain|complaints?|unhappy|dissatisfied|not|disliked|hated|worse"
        r"|criticisms?|badly|cons)"
    )
    between = rf"[\w ]{{0,30}}?\b{_OR} (?:\w+ ){{0,2}}?"
    nouns = alternatives("negative_asks", "positive_asks")
    raw = {
        "balanced": rf"\b{plus}\b{between}{minus}\b|\b{minus}\b{between}{plus}\b|\bups and downs\b|\bboth sides\b"
        r"|\bwho (?:likes?|loves?|prefers?|enjoys?|rates?) .*\b(?:more|better|most)\b"
        r"|\b(?:problems?|issues?|complaints?|flaws?|downsides?|drawbacks?|criticisms?)\b[\w ]{0,30}?\b"
        rf"{_OR} [\w ]{{0,25}}?\b(?:great|good|fine|ok|okay|praise|compliments?|positives?|highlights?|strengths?)\b"
        rf"|\b(?:praise|compliments?|positives?|highlights?)\b[\w ]{{0,30}}?\b{_OR} (?:\w+ ){{0,2}}?"
        r"(?:problems?|issues?|complaints?|criticisms?|negatives?)\b"
        r"|\b(?:advantages|strengths|upsides|benefits) and (?:\w+ )?(?:disadvantages|weaknesses|downsides|drawbacks)\b",
        "negated": r"\b(?:no|without|not any|zero|free of|not only|not just|other than|apart from|besides|never)"
        rf"(?: the| any| more| real| major| serious)? (?:{nouns})\b",
        "negative_noun": rf"\b(?:{alternatives('negative_asks')})\b",
        "positive_noun": rf"\b(?:{alternatives('positive_asks')})\b",
        "negative_phrase": rf"\b(?:{_MINUS}|worst) (?:\w+ )?(?:{_ABOUT})\b|\b(?:worst|bad) about\b|\bwrong with\b"
        r"|\b(?:do|does|did|would) not (?:\w+ )?(?:like|love|enjoy|appreciate|recommend"
        r"|support|favou?r|approve|want|trust|welcome|back|agree)\b|\bpain points?\b|\bmost hated\b"
        r"|\bleast (?:liked?|favou?rite|popular|satisf\w+)\b|\blike[ds]? (?:\w+ ){0,3}?least\b|\bdeal ?breakers?\b"
        r"|\bnot (?:happy|satisfied|impressed|pleased|like|liked)\b"
        r"|\b(?:be|needs?) (?:improved|improvement|improving|better)\b"
        r"|\broom for improvement\b|\bimprove on\b|\b(?:goes|go|went) wrong\b|\blets? (?:\w+ )+down\b"
        r"|\b(?:fed up|sick of|tired of)\b|\bturn\w* (?:\w+ )*off\b"
        r"|\bputs? (?:\w+ )*off\b|\b(?:reasons?|arguments?|case|points?) (?:\w+ ){0,2}?(?:not to|against)\b|\bwhy not\b"
        r"|\bnot in favou?r\b"
        r"|\b(?:would|could|should) (?:\w+ )?(?:change|fix|improve) (?:about|in|on|at|the)\b"
        r"|\b(?:against the|to avoid|stop (?:using|buying|going|coming))\b",
        "positive_phrase": rf"\b(?:{_PLUS}|best) (?:\w+ )?(?:{_ABOUT})\b|\b(?:best|good|great) about\b|\bstand ?outs?\b"
        r"|\bmost (?:liked|loved|praised|appreciated|enjoyed|valued)\b"
        r"|\b(?:value|enjoy|appreciate|love) (?:\w+ )*most\b"
        r"|\blike[ds]? (?:\w+ ){0,3}?(?:most|best)\b"
        r"|\bfavou?rite (?:\w+ )?(?:thing|things|part|parts|aspect|aspects|feature|features)\b|\bwon over\b"
        r"|\b(?:reasons?|arguments?|case|points?) (?:\w+ ){0,2}?(?:to|for|in favou?r of)\b|(?<!not )\bin favou?r of\b"
        r"|\b(?:come|comes|coming|keep|keeps) (?:\w+ )?(?:back|returning)\b",
        "asked": r"^(?:what|which|why|who|whom|where|when|list|show|give|name|summari[sz]e|describe"
        r"|the|main|top|biggest|reasons?)\b"
        r"|^(?:how (?:many|often|much|common|frequently)|count)\b",
        "negative_stance": rf"\b(?:{alternatives('negative_stance')})\b",
        "positive_stance": rf"\b(?:{alternatives('positive_stance')})\b",
        "people": rf"\b(?:{alternatives('people', 'documents')}|they|you)\b",
        "likeness": r"\b(?:what|how) (?:is|are|was|were) (?:[\w'-]+ )*like\b|\bwould (?:you )?like\b"
        r"|\b(?:looks?|tastes?|feels?|smells?|sounds?|seems?) like\b|\bdo you think\b|\bas opposed to\b",
    }
    return {name: re.compile(pattern) for name, pattern in raw.items()}


def side_of(text: str, *, counting: bool = False) -> Side | None:
    """Return the one side that a question asks for, or None when it asks for all.

    Nouns of one side ("complaints", "praise", "problems with") ask for that side in any form of question. Verbs
    and adjectives ("hate", "disappointed") do so only in open questions and counts: "do people hate it?" asks
    whether, and only the whole population answers that.
    """
    p = _side_patterns()
    if p["balanced"].search(text):
        return None
    text = p["negated"].sub(" ", text)
    negative = bool(p["negative_phrase"].search(text) or p["negative_noun"].search(text))
    positive = bool(p["positive_phrase"].search(text) or p["positive_noun"].search(text))
    if not (negative or positive) and (counting or p["asked"].search(text)):
        rest = p["likeness"].sub(" ", text)
        if counting or p["people"].search(rest):
            negative = bool(p["negative_stance"].search(rest) or (counting and re.search(r"\btoo \w+", rest)))
            positive = not negative and bool(p["positive_stance"].search(rest))
        if counting and not (negative or positive):
            positive, negative = _told(rest)
    if negative == positive:
        return None
    return "negative" if negative else "positive"


def _told(text: str) -> tuple[bool, bool]:
    """Whether a count asks for those in favour, or those against: by stance, or by how people found a thing."""
    against = bool(re.search(rf"\b(?:{_CONTRA})\b", text))
    if against or re.search(rf"\b(?:{_PRO})\b", text):
        return not against, against
    if not _JUDGING.search(text):
        return False, False
    from store.enrich.polarity import valences, words_of

    lean = sum(valences(words_of(text)))
    return lean >= _LEANS, lean <= -_LEANS


__all__ = ["Count", "Side", "counted", "side_of"]
