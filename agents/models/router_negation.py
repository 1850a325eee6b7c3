"""What a count's negation turns: "how many do not mention the cafe" asks for the rest of those who do."""

from __future__ import annotations

import re
from functools import lru_cache

from agents.models.router_asks import Side, side_of
from agents.models.router_data import alternatives
from agents.models.router_text import tokens

_NO = (
    r"(?P<no>not|never|cannot|without|neither|nobody|none|nor|no one"
    r"|fail(?:s|ed)? to|refrain(?:s|ed)? from|no(?! (?:more|less|fewer|matter|longer|doubt)\b))\b"
)
#: Words between a negation and its verb: "did not even once complain", "without any".
_BETWEEN = (
    r"(?:(?:ever|even|really|actually|explicitly|directly|once|yet|say|make|made|have|had|hold|held|express"
    r"|expressed|been|be|feel|felt|any|a|an|one|single|the|to|is|are|was|were|\w+ly) ){0,4}"
)
#: Speaking of a thing, whatever is said of it.
_SPEAKS = (
    r"mention\w*|talk\w*|speak\w*|spoke|discuss\w*|comment\w*|refer\w*|said|say|says|writ\w+|wrote|views?|opinions?"
    r"|bring up|brought up|raised?|touch\w*|describe\w*|address\w*"
)
#: How the verbs of judging are bent, of which lists hold one form.
_AGAINST = r"complain\w*|complaints?|critici[sz]\w*|dislik\w*|hat(?:e|es|ed|ing)|oppos\w*|object\w*|problems?|issues?"
_FOR = r"prais\w*|lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|recommend\w*|support\w*|compliment\w*|appreciat\w*"
#: What is counted is no verb: "how many comments", "what share of opinions".
_COUNTED = (
    r"\b(?:how many|(?:share|percentage|percent|proportion|fraction|number|count) of)"
    r"(?: (?:of|the|all))* (?:views|commenters|{counted})\b"
)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    words = (
        _NO,
        rf"{_NO} {_BETWEEN}(?:{_AGAINST}|{alternatives('negative_stance', 'negative_asks')}|negative|bad|critical)\b",
        rf"{_NO} {_BETWEEN}(?:{_FOR}|{alternatives('positive_stance', 'positive_asks')}|positive|good|favou?rable)\b",
        rf"{_NO} {_BETWEEN}(?:{_SPEAKS})\b",
        rf"(?:{_AGAINST}|{_FOR}|{_SPEAKS})\b",
        _COUNTED.format(counted=alternatives("documents", "people")),
    )
    return tuple(re.compile(rf"\b{pattern}") for pattern in words)


def denies(question: str, side: Side | None) -> str:
    """Return what to make of a negation in a count: ``rest``, ``read``, the word that nobody read, or "".

    ``rest`` asks for those who are not counted ("do not mention", "did not complain" counted by complaints); ``read``
    says that the side stands for the negation already ("did not like it": those against it).

    Parameters
    ----------
    question
        As typed.
    side
        What the router counts.
    """
    text = " ".join(word for word in tokens(question[:2000]) if any(c.isalnum() for c in word))
    anyone, against, in_favour, speaks, judges, counted = _patterns()
    found = list(anyone.finditer(text))
    if not found:
        return ""
    word = found[0]["no"]
    before = counted.sub("", text[: found[0].start()])
    if len(found) > 1 or judges.search(before) or re.search(r"\bbut\b", text):
        return word
    judged: Side | None = (
        "negative" if against.search(text) else "positive" if in_favour.search(text) else None
    )
    if judged is not None:
        return "rest" if judged == side else "read" if side is not None else word
    if speaks.search(text):
        return "rest"
    return "read" if side is not None and side != side_of(anyone.sub(" ", text), counting=True) else word


__all__ = ["denies"]
