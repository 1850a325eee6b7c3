"""Rules that tell a fact from a view: weighted cues on one clause, and the side and the count that it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from agents.models.router_text import Clause, lexicon

Side = Literal["positive", "negative"]
Count = Literal["number", "share"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """How strongly a clause asks for a view and for a fact (weights, 0 = no sign of it), and the words that say so."""

    opinion: float
    factual: float
    opinion_cue: str = ""
    factual_cue: str = ""


def _words(*keys: str) -> str:
    lists = lexicon()
    return "|".join(sorted({word for key in keys for word in lists[key]}, key=lambda w: (-len(w), w)))


@lru_cache(maxsize=1)
def _evaluative() -> frozenset[str]:
    """Evaluative adjectives with their comparatives, superlatives and adverbs."""
    base = lexicon()["evaluative"]
    made = set(base) | lexicon()["comparative"]
    for word in base:
        if len(word) <= 8:
            stem = word[:-1] + "i" if word.endswith("y") else word.removesuffix("e")
            made |= {stem + "er", stem + "est"}
            if re.search(r"[^aeiou][aeiou][bdgmnt]$", word):
                made |= {word + word[-1] + "er", word + word[-1] + "est"}
        made.add(
            (word[:-1] + "ily")
            if word.endswith("y")
            else (word[:-1] + "y" if word.endswith("le") else word + "ly")
        )
    return frozenset(made) - {"nicer than", "worth", "funer", "finer"} | {"worth"}


@lru_cache(maxsize=1)
def _cues() -> tuple[
    tuple[tuple[str, float, re.Pattern[str]], ...], tuple[tuple[str, float, re.Pattern[str]], ...]
]:
    people, stance = _words("people"), _words("stance_verbs")
    evaluative = "|".join(sorted(_evaluative(), key=lambda w: (-len(w), w)))
    be = "is|are|was|were|be|been|being"
    opinion = (
        ("people's stance", 4.0, rf"\b(?:{people})\b(?: (?!to |need )[\w'-]+){{0,7}}? (?:{stance})\b"),
        (
            "what do they think",
            4.0,
            r"^(?:what|how) (?:do|does|did|would|will) (?:[\w'-]+ ){1,12}(?:think|feel|say|believe|respond|react|view|perceive|rate)\b",
        ),
        ("opinion word", 3.5, rf"\b(?:{_words('opinion_nouns')})\b"),
        ("stance verb", 2.5, rf"\b(?:{_words('opinion_verbs')})\b"),
        (
            "should",
            3.0,
            r"^(?:why |when |where |what |which |how )?(?:[\w'-]+ ){0,3}?should (?:i|we|one|you|people|anyone|somebody|someone)\b|^(?:is it|are they|was it|would it be) (?:really |still |actually )?(?:worth|a good idea|a bad idea|advisable)",
        ),
        (
            "would you",
            3.0,
            r"\bwould (?:you|people|anyone|guests|customers|they) (?:ever )?(?:recommend|buy|stay|return|come|go|use|choose|prefer|book|order|visit|do it)\b",
        ),
        (
            "how is it",
            3.0,
            rf"^how (?:{be}) (?!(?:[\w'-]+ )*(?:different|similar|related|able|possible|it possible|called|you)\b)(?:the |a |an |your |their |its |this |that |these |those |my |our |all )?(?:[\w'-]+ ?){{1,8}}$",
        ),
        (
            "what is it like",
            4.0,
            rf"^what (?:{be}|would|will|did|does|do) .*\blike(?:$| to\b| in\b| at\b| for\b| on\b| during\b| when\b| with\b| after\b)",
        ),
        (
            "how does it do",
            3.0,
            r"^how (?:well |good )?(?:do|does|did|has|have) .*\b(?:taste|smell|feel|sound|compare|perform|hold up|held up|fare|fit|measure up|stack up|live up|rank)\b",
        ),
        ("how good", 4.0, rf"\bhow (?:(?:{_words('hedges')}) )?(?:{evaluative})\b"),
        (
            "compare",
            3.0,
            r"^(?:how )?(?:compare|contrast)\b|\bcompared? (?:to|with)\b|\bbetter than\b|\bworse than\b|\bbetter or worse\b",
        ),
        (
            "for and against",
            4.0,
            r"\b(?:pros and cons|good and bad|good or bad|likes and dislikes|for and against|best and worst)\b",
        ),
        ("opinion about", 3.0, r"^(?:summari[sz]e|sum up) "),
        ("evaluation", 2.5, rf"\b(?:{evaluative})\b"),
        (
            "why do people",
            3.0,
            rf"^why (?:do|does|did|are|were|is|would) (?:so many |most |some |many )?(?:{people})\b",
        ),
        (
            "problems with",
            3.0,
            r"\b(?:problems?|issues?|trouble|anything wrong|something wrong|what is wrong|went wrong|flaws?) (?:with|about|regarding)\b|^what (?:problems|issues)\b|\bcommon (?:problems?|issues?)\b",
        ),
    )
    factual = (
        ("how much / far / long", 3.0, r"\bhow (?:much|far|long|old|tall|big|large|wide|deep|high|heavy|hot|cold|late|early|many|often|soon|fast|near|close|thick|frequently)\b"),
        ("what time / which year", 3.0, r"\b(?:what|which) (?:time|year|day|date|month|hours?|century|age|size|number|type|kind|kinds|types|brand|color|colour|country|city|state|language|currency|floor|street|road|airport|terminal|station|address|school|team|company|channel|season|episode|percentage|amount|distance|price|rate|fee|speed|model|version)\b"),
        ("when / where / who", 2.5, r"^(?:(?:in|on|at|from|to|by|of|with|for|during) )?(?:when|where|who|whose|whom)\b"),
        ("named detail", 2.5, r"\b(?:name|names|address|phone|telephone|number|price|prices|cost|costs|fee|fees|charge|charges|hours|schedule|timetable|deadline|policy|policies|capacity|dimensions|weight|height|length|distance|location of|located|definition|meaning|mean|stand for|capital|population|author|founder|owner of|date|dates|warranty|ingredients|calories|password|opening|closing)\b"),
        ("there is / has", 2.5, r"^(?:is|are|was|were) there\b|^(?:do|does|did|has|have|had) (?:[\w'-]+ ){1,8}(?:have|has|offer|offers|provide|provides|include|includes|accept|accepts|allow|allows|serve|serves|sell|sells|come with|contain|contains|charge|support|supports|need|require|requires|open|close|own|got)\b"),
        ("what does it have", 2.5, r"^(?:what|which) (?:[\w'-]+ ){1,6}(?:do|does|did|has|have|are) (?:[\w'-]+ ){0,6}(?:have|has|offer|offers|provide|provides|include|includes|accept|serve|serves|sell|sells|available|offered|provided|included)\b|^(?:what|which) [\w'-]+ (?:has|have|offers?|provides?|includes?|accepts?|allows?|serves?)\b"),
        ("may / can", 2.0, r"^(?:can|could|may|must|do|does|will) (?:i|we|you|they|it|one|guests|customers|visitors|passengers|people)\b"),
        ("how to", 2.5, r"^how (?:do|does|did|can|could|would|to|should) (?:i |we |you |one |it |they )?(?:get|go|reach|book|cancel|make|use|contact|find|connect|install|change|order|pay|work|works|turn|reset|clean|become|build|calculate|access|apply|register|return)\b|^how (?:do|does|did) (?:[\w'-]+ ){1,6}(?:work|function|happen|die|get|begin|start|end|become|form)$"),
        ("measured extreme", 3.0, rf"\b(?:{_words('measurable_superlatives')}|(?:most|least) (?:expensive|recent))\b"),
        ("what is", 1.0, rf"^(?:what|which) (?:{be})\b"),
        ("made / done", 3.5, r"^how (?:is|are|was|were) (?:[\w'-]+ ){1,8}(?:made|done|built|known|given|formed|cut|held|sold|paid|kept|taken|chosen|written|spelled|spelt|run|caught|grown|shown|spread|used|called|named|produced|created|calculated|cleaned|prepared|served|measured|determined|related|different|similar|powered|enforced|elected|appointed|organi[sz]ed|connected|controlled|defined|divided|funded|founded|transmitted|treated|diagnosed|stored|processed|delivered|charged)\b(?! (?:in the reviews|by (?:guests|people|customers)))"),
        ("event", 4.0, r"^(?:who|when|where|what year|which year)\b.*\b(?:won|win|wins|sang|sings|sing|wrote|written|write|writes|played|plays|play|directed|produced|released|release|come out|came out|died|die|dies|born|invented|discovered|founded|built|started|start|starts|began|begin|begins|ended|end|ends|elected|nominated|made|created|recorded|aired|air|filmed|take place|took place|happen|happened|introduced|signed|fought|killed|married|lived|lives|live|located|located|find the|come from|came from|originate|originated|originally|voice|voices|portrayed|portrays|stars|starred|based|set in)\b"),
        ("award", 3.5, r"\b(?:best|worst|greatest) (?:actor|actress|picture|song|album|film|director|supporting|selling|player|foreign|original|animated|friend|friends|known|man|new artist|screenplay)\b|\b(?:won|win|wins|award|awards|oscar|grammy)\b"),
    )  # fmt: skip
    return tuple((n, w, re.compile(p)) for n, w, p in opinion), tuple(
        (n, w, re.compile(p)) for n, w, p in factual
    )


def weigh(clause: Clause) -> Evidence:
    """Return the strongest cue of each kind, plus a little for every further one."""
    opinion, factual = _cues()
    results = []
    for table in (opinion, factual):
        hits = [
            (weight, name, match[0])
            for name, weight, pattern in table
            if (match := pattern.search(clause.text))
        ]
        hits.sort(key=lambda hit: -hit[0])
        total = sum(weight if i == 0 else 0.25 * weight for i, (weight, _, _) in enumerate(hits))
        results.append((total, f"{hits[0][1]} ({hits[0][2].strip()!r})" if hits else ""))
    return Evidence(results[0][0], results[1][0], results[0][1], results[1][1])


@lru_cache(maxsize=1)
def _count_patterns() -> tuple[re.Pattern[str], ...]:
    share = r"(?:what|which|how (?:large|big|high|small) (?:is |of )?(?:a |the )?)(?: is| was| are)?(?: the)?(?: (?:approximate|exact|overall|total|rough))? ?(?:share|percentage|percent|proportion|fraction|ratio|part)\b|\b(?:share|percentage|percent|proportion|fraction) of\b|\bhow much of the (?:feedback|reviews|comments)\b|\bout of (?:all|every|how many)\b"
    number = r"\bhow many(?: different| of the| of)?\b|\b(?:the |total )?(?:number|count|tally) of\b|^count\b|\bcount (?:how many|the|all|of)\b|\bhow (?:often|frequently|commonly|many times)\b|\bhow common (?:is|are)\b"
    documents, people = _words("documents"), _words("people")
    speech = r"mention\w*|complain\w*|praise\w*|refer\w*|talk\w*|discuss\w*|critici[sz]e\w*|comment\w*|recommend\w*|rated?|rate|rating|said|say|says|think|thought|feel|felt|find|found|like|liked|love|loved|hate|hated|dislike\w*|enjoy\w*|prefer\w*|appreciate\w*|agree\w*|disagree\w*|gave|give|believe\w*|report\w*|describe\w*|express\w*|regret\w*|trust\w*|support\w*|oppose\w*|favou?r\w*|(?:are|were|is|was|feel|felt|seem|seemed) (?:very |really |so |not |un|dis)?(?:happy|satisfied|dissatisfied|unhappy|disappointed|pleased|impressed|positive|negative|critical|angry|upset|annoyed|frustrated|neutral|mixed)"
    about = rf"\b(?:{documents})\b"
    by_people = rf"\b(?:{people})\b.*?\b(?:{speech})\b"
    spoken = r"\b(?:is|are|was|were|gets?|got|been) (?:[\w'-]+ ){0,6}?(?:mentioned|praised|critici[sz]ed|complained about|discussed|talked about|recommended|described as|rated|reported|brought up|noted|cited)\b|\b(?:positive|negative|neutral|favou?rable|unfavou?rable|mixed)\b"
    thing = r"\bhow many (?:reviews|posts|comments|messages|texts|tweets|answers|questions) (?:can|could|may|must|should|do|does) (?:i|we|you|one|it)\b"
    return tuple(re.compile(p) for p in (share, number, about, by_people, spoken, thing))


def counted(clause: Clause) -> Count | None:
    """Return what a clause counts in the corpus: a number or a share of documents or of people with a view."""
    share, number, documents, people, spoken, thing = _count_patterns()
    text = clause.text
    by_share, by_number = share.search(text), number.search(text)
    found = by_share or by_number
    if found is None or thing.search(text):
        return None
    rest = text[found.end() :] if found.start() < 25 else text
    if not (documents.search(rest) or people.search(rest) or spoken.search(rest)):
        return None
    return "share" if by_share else "number"


@lru_cache(maxsize=1)
def _side_patterns() -> dict[str, re.Pattern[str]]:
    question = r"^(?:what|which|why|how|who|where|when|summari[sz]e|list|show|give|name|describe|find|tell|any|top|main|biggest|most)\b"
    return {
        "balanced": re.compile(
            r"\b(?:pros and cons|advantages and disadvantages|strengths and weaknesses|likes and dislikes|ups and downs|both sides)\b"
            r"|\b(?:good|positive|best|great|like|likes|love|loves|praise|happy|satisfied|favou?rable|liked|loved|better|well)\b[\w ]{0,12}? ?(?:\bor\b|\band\b|\bversus\b|\bvs\b) (?:[\w]+ ){0,2}?(?:bad|negative|worst|poor|dislike|dislikes|hate|hates|complain|complaints|unhappy|dissatisfied|unfavou?rable|not|disliked|hated|worse|criticism|badly)\b"
            r"|\b(?:bad|negative|worst|poor|dislike|hate|complaints?|complain|unhappy|dissatisfied|criticism)\b[\w ]{0,12}? ?(?:\bor\b|\band\b|\bversus\b|\bvs\b) (?:[\w]+ ){0,2}?(?:good|positive|best|great|like|love|praise|compliments?|happy|satisfied)\b"
        ),
        "negated": re.compile(r"\b(?:no|without|not any|never any|zero|free of|not only|not just|other than|apart from|besides|not the)(?: the| any| more| real| major| serious)? (?:%s)\b" % _words("negative_asks", "positive_asks")),
        "negative_noun": re.compile(r"\b(?:%s)\b" % _words("negative_asks")),
        "positive_noun": re.compile(r"\b(?:%s)\b" % _words("positive_asks")),
        "negative_phrase": re.compile(r"\b(?:negative|bad|poor|unpleasant|terrible|awful|unfavou?rable|critical|worst) (?:\w+ )?(?:experiences?|reviews?|opinions?|feedback|comments?|things?|points?|aspects?|sides?|views?|impressions?|ratings?|remarks?|stories|parts?|features?|sentiments?|mentions?)\b|\b(?:worst|bad) (?:thing |things )?about\b|\bwrong with\b|\b(?:do|does|did) not (?:\w+ )?(?:like|love|enjoy|appreciate|recommend)\b|\bpain points?\b|\bleast (?:liked?|favou?rite|popular|satisf\w+)\b|\blike[ds]? (?:the )?least\b|\bnot (?:happy|satisfied|impressed|pleased)\b|\b(?:could|should|needs? to) be (?:improved|better)\b|\broom for improvement\b|\bmost hated\b"),
        "positive_phrase": re.compile(r"\b(?:positive|good|great|pleasant|favou?rable|wonderful|excellent|best|favou?rite|glowing) (?:\w+ )?(?:experiences?|reviews?|opinions?|feedback|comments?|things?|points?|aspects?|sides?|views?|impressions?|ratings?|remarks?|stories|parts?|features?|sentiments?|mentions?)\b|\b(?:best|good|great) (?:thing |things )?about\b|\bmost (?:liked|loved|praised|appreciated|enjoyed)\b|\blike[ds]? (?:the )?(?:most|best)\b|\bstand ?outs?\b"),
        "question": re.compile(question),
        "negative_stance": re.compile(r"\b(?:%s)\b" % _words("negative_stance")),
        "positive_stance": re.compile(r"\b(?:%s)\b" % _words("positive_stance")),
        "stance_asked": re.compile(r"^(?:(?:what|which|why|who)\b|how (?:many|often|much|common|frequently)|count|(?:the )?(?:share|percentage|proportion|number))"),
        "people": re.compile(r"\b(?:%s|reviews?|comments?|posts?)\b" % _words("people")),
    }  # fmt: skip


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
    if not (negative or positive) and (counting or p["stance_asked"].search(text)):
        unlike = re.sub(
            r"\b(?:what|how) (?:is|are|was|were|does|do|did) (?!people|guests|they|you|customers|users)(?:[\w'-]+ )*like\b|\bwould like\b|\blooks? like\b",
            " ",
            text,
        )
        if p["people"].search(unlike) or counting:
            negative = bool(p["negative_stance"].search(unlike))
            positive = not negative and bool(p["positive_stance"].search(unlike))
    if negative == positive:
        return None
    return "negative" if negative else "positive"


__all__ = ["Count", "Evidence", "Side", "counted", "side_of", "weigh"]
