"""Verification of a written answer against its documents and its population: pure functions.

What is checked, each with its own kind of finding:

- every citation names a document that was given (``invented citation``);
- every quote stands in the document cited for it (``altered quote``, ``misattributed quote``);
- stated shares are the true ones (``wrong share``);
- the answer's own distribution of views (its cited claims, one voice a cited document) against the population:
  ``one-sided``, ``reversed majority``, ``missing minority``, ``distribution``; its W1 distance, and the amplification
  ``W1(answer) - W1(retrieved)``: what the writing added to what was retrieved.

Few voices cannot match every share, so each rule counts what the number of voices could have shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from agents.verification_balance import MOST, judge, reading
from agents.verification_quotes import QuoteCheck, check_quote, spanned
from agents.verification_shares import Side, sides_named, stated_shares
from agents.verification_text import (
    ClauseOfAnswer,
    Sentence,
    citation_labels,
    clauses,
    quotes,
    sentences,
    without_citations,
)
from agents.verification_words import Amount, compared, outside, quantified, wrong_comparison

FindingKind = Literal[
    "invented citation",
    "altered quote",
    "misattributed quote",
    "wrong share",
    "one-sided",
    "reversed majority",
    "missing minority",
    "distribution",
]
#: A claim's bin in {-30, ..., 30}, or None where it holds no view; a bin alone is right as often as ``READ`` says.
Classify = Callable[[str], "int | Read | None"]
#: Distance of two distributions over the seven bins.
Distance = Callable[[Sequence[float], Sequence[float]], float]

#: Assumed of a classifier that does not say how sure it is.
READ = 0.85
#: Labels that the population itself was counted with cannot be wrong against it.
_KNOWN = 0.995
#: That a voice is of the side whose heading it stands under.
_HEADED = 0.9
_BINS = (-30, -20, -10, 0, 10, 20, 30)
#: A side with less of the population than this may be left out.
_MINORITY = 0.10
#: A side with at least this share cannot be called a minority that was merely missed.
_LARGE = 0.30
#: Voices that a side must at least be due before its stated share alone does not speak for it.
_HEARD = 0.7
#: How far the shares of two sides must lie apart before one is the majority.
_MARGIN = 0.10
#: So far apart that one voice more on the wrong side turns the answer round.
_CLEAR = 0.40
#: Deviation of a side's share in the answer that is allowed besides one voice more or less.
_SLACK = 0.20


class Read(NamedTuple):
    """A claim's bin, and the probability that its sign is right."""

    bin: int
    sure: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, in a sentence that can be put to the writer."""

    kind: FindingKind
    message: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A clause of the answer that reports a view: its bin, and how many voices it rests on.

    ``sure`` is the probability that the sign of the bin is right.
    """

    text: str
    bin: int
    voices: int
    labels: tuple[str, ...]
    sure: float = 1.0


@dataclass(frozen=True, slots=True)
class Verification:
    """The result.

    Attributes
    ----------
    citations
        Label -> whether it was given, in order of appearance.
    quotes
        Every quote with its verdict.
    claims
        The claims that the distribution rests on.
    distribution
        Shares of the seven bins among the claims' voices; None without claims or population.
    distance
        Distance of that distribution to the population (W1, in points), or None.
    amplification
        ``distance`` minus the distance of the retrieved documents, or None. Above 0 the writing skewed the answer.
    findings
        What is wrong, gravest first; empty where nothing is.
    """

    citations: Mapping[str, bool]
    quotes: tuple[QuoteCheck, ...]
    claims: tuple[Claim, ...]
    distribution: tuple[float, ...] | None
    distance: float | None
    amplification: float | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    @property
    def deviation(self) -> str:
        """The findings in one line, for the one revision; "" where there are none."""
        return "; ".join(finding.message for finding in self.findings)


def w1_of_bins(first: Sequence[float], second: Sequence[float]) -> float:
    """W1 on the seven bins: ``sum_i |CDF_1 - CDF_2| * 10``, in [0, 60] (WARP); 0 means equal."""
    total = at = 0.0
    for p, q in zip(first[:-1], second[:-1], strict=True):
        at += p - q
        total += abs(at) * 10
    return total


def verify(
    answer: str,
    documents: Mapping[str, str],
    *,
    population: Sequence[float] | None = None,
    retrieved: Sequence[float] | None = None,
    classify: Classify | None = None,
    distance: Distance = w1_of_bins,
    stances: Mapping[str, int] | None = None,
    side: Literal["positive", "negative"] | None = None,
) -> Verification:
    """Check an answer.

    Parameters
    ----------
    answer
        The text, with citations such as ``[3]`` or ``[D1, D4]``.
    documents
        Label -> text of every document that may be cited, under the label that the answer uses.
    population, retrieved
        Counts or shares of the seven bins, -30 first. Without a population only citations and quotes are checked.
    classify
        Gives the bin of a claim.
    stances
        Label -> bin of the documents, by the labels that the population was counted with. They speak for quotes (the
        words are the document's own) and for cited claims that ``classify`` finds no view in.
    distance
        Distance of two distributions over the bins.
    side
        The one side that was asked for: then shares may still be those of all, but voices of the other side alone
        would be wrong, and none are called missing.

    Raises
    ------
    ValueError
        ``population`` or ``retrieved`` has not seven entries, a negative one, or no mass.
    """
    truth = None if population is None else _shares("population", population)
    given = None if retrieved is None else _shares("retrieved", retrieved)
    cut = sentences(answer)
    citations = {label: label in documents for label in citation_labels(answer)}
    checks = _check_quotes(answer, cut, documents)
    findings = _source_findings(citations, checks)
    claims, unread = _claims(cut, classify, stances or {}, documents) if classify is not None else ((), 0)
    shares = _answer_shares(claims)
    away = amplified = None
    if truth is not None:
        findings += _share_findings(cut, truth, (len(documents), len(citations)))
        if classify is not None:
            findings += _quantity_findings(cut, _by_side(truth), classify)
        findings += _balance_findings(cut, claims, unread, truth, side)
        if shares is not None:
            away = distance(shares, truth)
            amplified = None if given is None else away - distance(given, truth)
    return Verification(citations, checks, claims, shares, away, amplified, tuple(findings))


def claim_texts(answer: str, documents: Mapping[str, str]) -> list[str]:
    """Return the texts that :func:`verify` would classify, each once."""
    found: dict[str, None] = {}

    def note(text: str) -> None:
        found.setdefault(text)

    cut = sentences(answer)
    _claims(cut, note, {}, documents)
    return list(found)


def _shares(name: str, values: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(float(value) for value in values)
    total = sum(numbers)
    if len(numbers) != len(_BINS) or any(not 0 <= n < float("inf") for n in numbers) or total <= 0:
        raise ValueError(f"{name} must be seven counts or shares with a positive sum, got {numbers}")
    return tuple(n / total for n in numbers)


def _check_quotes(
    answer: str, cut: Sequence[Sentence], documents: Mapping[str, str]
) -> tuple[QuoteCheck, ...]:
    """Check each quote in the documents cited in its sentence, else on its line, else in the whole answer."""
    everywhere = citation_labels(answer)
    checks = []
    for quote in quotes(answer):
        home = next((s for s in cut if s.start <= quote.start < s.end), None)
        cited = home.labels if home else ()
        if home and not cited:
            on_line = [label for s in cut if s.line == home.line for label in s.labels]
            cited = tuple(dict.fromkeys(on_line)) or everywhere
        checks.append(check_quote(quote.words, cited or everywhere, documents))
    return tuple(checks)


def _source_findings(citations: Mapping[str, bool], checks: Sequence[QuoteCheck]) -> list[Finding]:
    findings = [
        Finding("invented citation", f"[{label}] cites a document that was not given")
        for label, exists in citations.items()
        if not exists
    ]
    for check in checks:
        if check.verdict == "elsewhere":
            message = f"“{check.quote}” stands in [{check.label}], not in the document cited for it"
            findings.append(Finding("misattributed quote", message))
        elif check.verdict == "not found":
            findings.append(Finding("altered quote", f"“{check.quote}” stands in none of the documents"))
        elif check.verdict == "cut after a negation":
            message = f"“{check.quote}” leaves out the negation before it in [{check.label}]"
            findings.append(Finding("altered quote", message))
    return findings


def _claims(
    cut: Sequence[Sentence], classify: Classify, stances: Mapping[str, int], documents: Mapping[str, str]
) -> tuple[tuple[Claim, ...], int]:
    """Return the views that the answer reports, and how many cited voices no view could be read from.

    Only cited clauses count, where the answer cites at all.
    """
    cites = any(sentence.labels for sentence in cut)
    claims, unread = [], 0
    under: Side | None = None
    for sentence in cut:
        if sentence.heading:
            under = _side_of_heading(sentence.text)
        if sentence.heading or (cites and not sentence.labels) or stated_shares(sentence.text):
            continue
        whole = without_citations(_unquoted(sentence.text))
        for clause in clauses(sentence):
            plain = without_citations(_unquoted(clause.text))
            if not clause.labels and (compared(whole) or quantified(plain)):
                # It counts others: no voice itself.
                continue
            known = [label for label in clause.labels if label in stances]
            quoted = len(known) == len(clause.labels) > 0 and bool(quotes(clause.text))
            found = None
            if not quoted:
                found = _under(under, _read(classify, _full(clause, documents)))
            if found is not None:
                claims.append(
                    Claim(clause.text, found.bin, max(1, len(clause.labels)), clause.labels, found.sure)
                )
                continue
            claims += [Claim(clause.text, stances[label], 1, (label,), _KNOWN) for label in known]
            unread += len(clause.labels) - len(known)
    return tuple(claims), unread


def _side_of_heading(text: str) -> Side | None:
    """Return the one side that a heading such as "Positive, 5 of 8 voices:" announces."""
    named = set(sides_named(text))
    return named.pop() if len(named) == 1 else None


def _under(side: Side | None, found: Read | None) -> Read | None:
    """Join what a voice says with the heading that it stands under: the reader takes it for that side."""
    if side is None:
        return found
    if side == "neutral":
        return Read(0, _HEADED)
    agrees = found is not None and found.bin != 0 and (found.bin > 0) == (side == "positive")
    bin_ = 20 if side == "positive" else -20
    if found is None or found.bin == 0:
        return Read(bin_, _HEADED)
    odds = _HEADED / (1 - _HEADED) * (found.sure / (1 - found.sure)) ** (1 if agrees else -1)
    sure = odds / (1 + odds)
    return Read(found.bin if agrees else bin_, sure) if sure >= 0.5 else Read(found.bin, 1 - sure)


def _full(clause: ClauseOfAnswer, documents: Mapping[str, str]) -> str:
    """Return the clause without citations, quotes with omissions filled from the document cited for them."""
    text = clause.text
    for quote in reversed(quotes(text)):
        texts = [documents[label] for label in clause.labels if label in documents]
        if whole := next(filter(None, (spanned(quote.words, source) for source in texts)), ""):
            text = text[: quote.start] + whole + text[quote.end :]
    return without_citations(text)


def _read(classify: Classify, text: str) -> Read | None:
    found = classify(text)
    return Read(found, READ) if isinstance(found, int) else found


def _answer_shares(claims: Sequence[Claim]) -> tuple[float, ...] | None:
    voices = Counter[int]()
    for claim in claims:
        voices[claim.bin] += claim.voices
    total = sum(voices.values())
    return tuple(voices[bin_] / total for bin_ in _BINS) if total else None


def _by_side(shares: Sequence[float]) -> dict[Side, float]:
    return {"positive": sum(shares[4:]), "negative": sum(shares[:3]), "neutral": shares[3]}


def _share_findings(
    cut: Sequence[Sentence], truth: Sequence[float], samples: tuple[int, ...]
) -> list[Finding]:
    true = _by_side(truth)
    return [
        Finding(
            "wrong share",
            f"“{stated.words}” is given as {stated.side}; the true share is {100 * true[stated.side]:.0f} %",
        )
        for sentence in cut
        for stated in stated_shares(_unquoted(sentence.text), samples)
        if abs(stated.share - true[stated.side]) > stated.tolerance + 1e-9
    ]


def _unquoted(text: str) -> str:
    for quote in reversed(quotes(text)):
        text = text[: quote.start] + text[quote.end :]
    return text


def _other(side: Side) -> Side:
    return "negative" if side == "positive" else "positive"


def _balance_findings(
    cut: Sequence[Sentence],
    claims: Sequence[Claim],
    unread: int,
    truth: Sequence[float],
    asked: Literal["positive", "negative"] | None,
) -> list[Finding]:
    """Hold the voices of each side against the population; a voice that could not be read may be of any side."""
    true = _by_side(truth)
    n = sum(claim.voices for claim in claims)
    if not n:
        return []
    named = {side for s in cut for side in sides_named(_unquoted(s.text)) if stated_shares(s.text)}
    readings = [reading(claim.voices, claim.bin, claim.sure) for claim in claims]
    readings += [reading(1, None, 1.0)] * unread

    def rule(positive: int, negative: int) -> list[tuple[str, str]]:
        told: dict[Side, float] = {"positive": positive, "negative": negative}
        if asked is not None:
            if told[_other(asked)] > _SLACK * voices + 1:
                return [("one-sided", f"the {asked} side was asked for, and the other one is told")]
            return []
        silent = _silent_sides(told, true, voices, named)
        found = silent + _turned(told, true, voices)
        return found or _far(told, true, voices)

    voices = min(n + unread, MOST)
    return [Finding(cast(FindingKind, kind), text) for kind, text in judge(readings, true, rule)]


def _silent_sides(
    told: Mapping[Side, float], true: Mapping[Side, float], voices: int, named: set[Side]
) -> list[tuple[str, str]]:
    found = []
    sides: tuple[Side, ...] = ("positive", "negative")
    for one in sides:
        due = true[one] * voices
        if told[one] or (one in named and due < _HEARD):
            continue
        share = f"{100 * true[one]:.0f} %"
        if true[one] >= _LARGE and voices >= 2:
            message = f"{share} of the population are {one}, and the answer tells of none"
            found.append(("one-sided", message))
        elif true[one] >= _MINORITY and due >= 0.5:
            found.append(("missing minority", f"the {share} who are {one} are missing from the answer"))
    return found


def _turned(told: Mapping[Side, float], true: Mapping[Side, float], voices: int) -> list[tuple[str, str]]:
    lead, told_lead = true["positive"] - true["negative"], told["positive"] - told["negative"]
    if abs(lead) <= _MARGIN or lead * told_lead >= 0 or (abs(told_lead) <= 1 and abs(lead) < _CLEAR):
        return []
    side: Side = "positive" if lead > 0 else "negative"
    return [("reversed majority", f"most of the population are {side}, most voices of the answer are not")]


def _far(told: Mapping[Side, float], true: Mapping[Side, float], voices: int) -> list[tuple[str, str]]:
    sides: tuple[Side, ...] = ("positive", "negative")
    return [
        (
            "distribution",
            f"{100 * told[one] / voices:.0f} % of the answer's voices are {one}, {100 * true[one]:.0f} % of the "
            "population",
        )
        for one in sides
        if abs(told[one] / voices - true[one]) > _SLACK + 1 / voices
    ]


def _quantity_findings(
    cut: Sequence[Sentence], true: Mapping[Side, float], classify: Classify
) -> list[Finding]:
    """Hold "most", "hardly anyone", "evenly split" and the like against the population."""
    findings = []
    for sentence in cut:
        if sentence.heading or stated_shares(sentence.text):
            continue
        whole = without_citations(_unquoted(sentence.text))
        if (claim := compared(whole)) is not None:
            if wrong_comparison(claim, true):
                shares = f"{100 * true['positive']:.0f} % positive, {100 * true['negative']:.0f} % negative"
                kind: FindingKind = "wrong share" if claim.even else "reversed majority"
                findings.append(Finding(kind, f"“{claim.words}” is not so: {shares}"))
            continue
        for clause in clauses(sentence):
            plain = without_citations(_unquoted(clause.text))
            if (said := quantified(plain)) is not None and (side := _side_of(said.rest, classify)):
                findings += _amount_findings(plain, said.amount, side, true)
    return findings


def _side_of(text: str, classify: Classify) -> Side | None:
    """Return the side of a clause without its amount: as named, else as it reads."""
    named = [side for side in sides_named(text) if side != "neutral"]
    if named:
        return named[0] if len(set(named)) == 1 else None
    found = _read(classify, text)
    if found is None or found.bin == 0:
        return None
    return "positive" if found.bin > 0 else "negative"


def _amount_findings(plain: str, amount: Amount, side: Side, true: Mapping[Side, float]) -> list[Finding]:
    behind = true[_other(side)] - true[side]
    share = f"{100 * true[side]:.0f} % are {side}"
    if amount == "half":
        return (
            [Finding("wrong share", f"“{plain}” is not so: {share}")] if outside(amount, true[side]) else []
        )
    small = amount in ("minority", "few", "hardly", "none")
    if (small and behind < -_MARGIN) or (not small and behind > _MARGIN):
        return [Finding("reversed majority", f"“{plain}” turns the majority round: {share}")]
    if amount == "all":
        left = true[_other(side)]
        message = f"“{plain}” leaves out the {100 * left:.0f} % on the other side"
        return [Finding("one-sided", message)] if left >= _MINORITY else []
    if outside(amount, true[side]):
        return [Finding("wrong share", f"“{plain}” says too {'little' if small else 'much'}: {share}")]
    return []


__all__ = [
    "Claim",
    "Classify",
    "Distance",
    "Finding",
    "FindingKind",
    "Read",
    "Verification",
    "claim_texts",
    "verify",
    "w1_of_bins",
]
