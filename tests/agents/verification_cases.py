"""Right answers built from small corpora, and wrong ones made from them by one seeded fault each."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Final

#: Domain -> (what is judged, praise, blame, plain); each item is one document's telling sentence.
Bank = dict[str, tuple[str, list[str], list[str], list[str]]]
BANK: Final[Bank] = {
    "lounge": (
        "the food",
        [
            "The buffet was fresh and varied, with a chef who made omelettes to order.",
            "Really enjoyed the soup, and the salads were excellent.",
            "Food was delicious and kept topped up all morning.",
            "Lovely pastries and the best coffee I have had in an airport.",
            "A generous selection of hot dishes, all of them tasty.",
            "I was impressed by the quality of the cheese.",
            "The noodle bar is superb and worth arriving early for.",
            "Great sandwiches, friendly staff refilling the trays constantly.",
            "Breakfast was a pleasant surprise: warm bread and good ham.",
            "The desserts alone make this lounge a favourite of mine.",
        ],
        [
            "The food was cold and looked as if it had been out for hours.",
            "Catering is poor: crisps, dry sandwiches and nothing hot.",
            "I was not impressed with the stale rolls on offer.",
            "Terrible coffee and a disappointing choice of snacks.",
            "The buffet ran out by eight and nobody refilled it, which was annoying.",
            "Bland pasta, greasy sausages, awful eggs.",
            "Food hygiene seems to be a problem here, the plates were dirty.",
            "Hardly anything to eat for vegetarians, very frustrating.",
            "The soup was so salty that I could not finish it.",
            "Worst catering of any lounge I have visited this year.",
        ],
        [
            "Food is served between six and ten in the morning.",
            "There is a buffet next to the entrance.",
            "Meals can be ordered by phone.",
        ],
    ),
    "phone": (
        "the battery",
        [
            "Battery life is excellent, it easily lasts two days.",
            "I love how quickly it charges; forty minutes and it is full.",
            "The battery is reliable and never let me down on a long trip.",
            "Amazing endurance for such a slim phone.",
            "Very happy with the battery, even with heavy use.",
            "It holds its charge well, a big improvement on my old one.",
            "Great battery, I only charge it every third night.",
            "The best battery I have had in any phone.",
            "Standby time is impressive and the charger is nice and small.",
            "A solid battery that works perfectly after a year.",
        ],
        [
            "The battery is terrible and dies before lunch.",
            "It gets worryingly hot while charging, which is dangerous.",
            "After three months the battery is useless, a complete waste of money.",
            "I am disappointed: it does not last a single working day.",
            "Battery drains far too fast, very annoying.",
            "Charging is painfully slow and unreliable.",
            "The battery swelled up and the company was unhelpful about it.",
            "Poor battery life, I regret buying it.",
            "It failed twice on holiday, absolutely awful.",
            "The battery percentage is wrong all the time and it shuts down badly.",
        ],
        [
            "The battery has a capacity of 4000 mAh.",
            "It charges over a USB cable.",
            "The battery cannot be removed.",
        ],
    ),
    "hotel": (
        "the staff",
        [
            "The staff were wonderful and remembered our names.",
            "Reception was friendly and gave us a great upgrade.",
            "Everyone at the desk was helpful, polite and quick.",
            "The concierge is brilliant and found us tickets for a sold-out show.",
            "Housekeeping did a fantastic job every single day.",
            "Such kind people, we felt welcome from the first minute.",
            "Excellent service, nothing was too much trouble.",
            "The night porter was lovely and carried all our bags.",
            "I appreciated the professional and cheerful team.",
            "Superb staff, the main reason we will come back.",
        ],
        [
            "The staff were rude and ignored us for ten minutes.",
            "Nobody at reception cared about our complaint, dreadful service.",
            "The manager was arrogant and refused to help.",
            "Check-in was a nightmare with an unfriendly clerk.",
            "Housekeeping was careless and broke my glasses.",
            "We found the team unprofessional and slow.",
            "The porter was aggressive about tips, which upset my wife.",
            "Awful attitude at the desk, we were lied to.",
            "I was disgusted by how they treated an elderly guest.",
            "Not a smile all week; the staff seem to hate their jobs.",
        ],
        [
            "The desk is staffed around the clock.",
            "Staff wear blue uniforms.",
            "There are two porters on each shift.",
        ],
    ),
    "transport": (
        "the new bus line",
        [
            "The new line is fast and I get to work on time now.",
            "A great improvement for our village, we are delighted.",
            "Clean, comfortable buses and pleasant drivers.",
            "I am happy that the last bus runs until midnight.",
            "It is convenient and cheap, a real success.",
            "The timetable is excellent and easy to understand.",
            "Best decision that the council has made in years.",
            "My children love it and I feel they are safe.",
            "Reliable and quiet, I recommend it to all my neighbours.",
            "Wonderful for older people, the low floor is so helpful.",
        ],
        [
            "The bus is late every day and it is infuriating.",
            "Overcrowded at eight, I have to stand, which is horrible.",
            "The fares are too high and unfair to families.",
            "They removed our stop, a stupid and harmful decision.",
            "The noise in my street is unbearable since it started.",
            "It is a waste of tax money, nobody wants it.",
            "Drivers are rude and the doors break constantly.",
            "I am angry that the old line was cancelled.",
            "Dirty seats and a terrible smell in the morning.",
            "The route is badly planned and useless for the hospital.",
        ],
        ["The line runs every twelve minutes.", "It has fourteen stops.", "Tickets are sold on board."],
    ),
}
_LEADS: Final = [
    "I stayed here in May. ",
    "This was my second visit. ",
    "Had it for a few weeks now. ",
    "Used it on Tuesday. ",
    "",
]
_TAILS: Final = [" That is all I have to say.", " We were there on a Monday.", " My flight left at nine.", ""]


@dataclass(frozen=True)
class Case:
    """An answer with everything that it is to be held against.

    ``voices`` are (label, side, telling sentence) in the order of the answer; ``kind`` is "right" or the fault.
    """

    answer: str
    documents: dict[str, str]
    population: tuple[float, ...]
    voices: tuple[tuple[str, str, str], ...]
    style: str
    kind: str = "right"


def _bins(positive: float, neutral: float, rng: random.Random) -> tuple[float, ...]:
    negative = 1 - positive - neutral
    up, down = rng.uniform(0.2, 0.5), rng.uniform(0.2, 0.5)
    return (
        negative * down, negative * (1 - down) * 0.6, negative * (1 - down) * 0.4, neutral,
        positive * (1 - up) * 0.4, positive * (1 - up) * 0.6, positive * up,
    )  # fmt: skip


def _percents(population: tuple[float, ...]) -> tuple[int, int, int]:
    positive, neutral = round(100 * sum(population[4:])), round(100 * population[3])
    return positive, neutral, 100 - positive - neutral


def _split(k: int, shares: list[float]) -> list[int]:
    floors = [int(k * s) for s in shares]
    order = sorted(range(len(shares)), key=lambda i: floors[i] - k * shares[i])
    for i in order[: k - sum(floors)]:
        floors[i] += 1
    return floors


def _quote(sentence: str, rng: random.Random, style: str) -> str:
    """Some words of a sentence in quotation marks of one of several kinds, verbatim but for harmless changes."""
    words = sentence.rstrip(".").split()
    if style == "ellipsis" and len(words) >= 8:
        body = f"{' '.join(words[:3])} {rng.choice(['…', '...', '[...]'])} {' '.join(words[-3:])}"
        return rng.choice([f"“{body}”", f'"{body}"'])
    body = " ".join(words)
    if style == "american":
        return f'"{body[0].lower()}{body[1:]},"'
    if style == "nested":
        return f"“{body}”"
    return rng.choice([f"“{body}”", f'"{body}"', f"«{body}»"])


def make_right(
    rng: random.Random,
    style: str,
    positive: float | None = None,
    neutral: float | None = None,
    bank: Bank = BANK,
) -> Case:
    """Build a right answer: voices in proportion, quotes verbatim, shares true."""
    name = rng.choice(list(bank))
    _, praise, blame, plain = bank[name]
    if positive is None:
        positive = rng.choice([0.2, 0.28, 0.36, 0.64, 0.7, 0.78, 0.5])
    neutral = rng.choice([0.0, 0.05]) if neutral is None else neutral
    population = _bins(positive, neutral, rng)
    k = rng.randint(5, 9)
    up, level, down = _split(k, [positive, neutral, 1 - positive - neutral])
    chosen = [("positive", s) for s in rng.sample(praise, up)] + [
        ("negative", s) for s in rng.sample(blame, down)
    ]
    chosen += [("neutral", s) for s in rng.sample(plain, min(level, len(plain)))]
    prefix = "" if style == "extractive" else "D"
    others = [s for s in praise + blame if s not in {c for _, c in chosen}]
    rest = rng.sample(others, 3)
    texts = [sentence for _, sentence in chosen] + rest
    labels = [f"{prefix}{i + 1}" for i in range(len(texts))]
    documents = {
        label: rng.choice(_LEADS) + text + rng.choice(_TAILS)
        for label, text in zip(labels, texts, strict=True)
    }
    if style == "nested":
        label, (side, sentence) = labels[0], chosen[0]
        sentence = f'My friend said "{sentence.split()[0]}" and I agree: {sentence}'
        documents[label], chosen[0] = sentence, (side, sentence)
    voices = tuple((label, side, text) for label, (side, text) in zip(labels, chosen, strict=False))
    case = Case("", documents, population, voices, style)
    return replace(case, answer=write(case, rng))


def write(case: Case, rng: random.Random, percents: tuple[int, int, int] | None = None) -> str:
    """Write the answer that the voices of ``case`` give, in its style."""
    positive, neutral, negative = percents or _percents(case.population)
    sides = {
        side: [(v[0], v[2]) for v in case.voices if v[1] == side]
        for side in ("positive", "negative", "neutral")
    }
    if case.style == "extractive":
        lines = [
            f"Of 500 documents, 320 hold a view: {positive} % positive, {neutral} % neutral or mixed, "
            f"{negative} % negative (lexical labels)."
        ]
        for title, side in (
            ("Positive", "positive"),
            ("Negative", "negative"),
            ("Neutral or mixed", "neutral"),
        ):
            if sides[side]:
                lines.append(f"\n{title}, {len(sides[side])} of {len(case.voices)} voices:")
                lines += [f"- “{text}” [{label}]" for label, text in sides[side]]
        return "\n".join(lines)
    order = sorted(("positive", "negative"), key=lambda side: -len(sides[side]))
    parts = []
    if case.style != "paraphrase" and rng.random() < 0.7:
        parts.append(f"The views are {positive} % positive and {negative} % negative.")
    elif abs(positive - negative) > 15 and sides[order[0]] and percents is None:
        parts.append(
            "Most people speak well of it." if positive > negative else "Most people are unhappy with it."
        )
    for rank, side in enumerate(order):
        found = sides[side]
        if not found:
            continue
        verb = {"positive": "praise it", "negative": "complain about it"}[side]
        if case.style == "paraphrase":
            half = (len(found) + 1) // 2
            who = "Many" if rank == 0 else "Others"
            good = {
                "positive": "are happy with it and say that it is good",
                "negative": "are unhappy with it and call it bad",
            }
            cites = "".join(f"[{label}]" for label, _ in found[:half])
            parts.append(f"{who} {good[side]} {cites}.")
            if found[half:]:
                cites = f"[{', '.join(label for label, _ in found[half:])}]"
                parts.append(f"{'They' if rank == 0 else 'These'} {verb} for several reasons. {cites}")
        else:
            for label, text in found:
                opening = rng.choice(
                    ["One person writes", "Another says", "In the words of one", "Someone adds"]
                )
                parts.append(f"{opening}: {_quote(text, rng, case.style)} [{label}].")
    parts += [f"One notes that {text[0].lower()}{text[1:-1]} [{label}]." for label, text in sides["neutral"]]
    return " ".join(parts)


def invent_citation(case: Case, rng: random.Random) -> Case:
    """Cite a document that was not given: in place of a true label, or beside one."""
    labels = re.findall(r"\[(D?\d+)\]", case.answer) or re.findall(r"\[(D\d+)", case.answer)
    label = rng.choice(labels)
    false = ("D" if label.startswith("D") else "") + str(rng.choice([len(case.documents) + 1, 42, 99]))
    old = f"[{label}]" if f"[{label}]" in case.answer else f"[{label}"
    new = old.replace(label, false) if rng.random() < 0.5 else old.replace(label, f"{label}, {false}")
    return replace(case, answer=case.answer.replace(old, new, 1), kind="invented citation")


def alter_quote(case: Case, rng: random.Random) -> Case:
    """Change a quote: a word swapped, added, dropped from the middle, a number, or another document's words."""
    spans = list(re.finditer(r"[“«\"]([^”»\"]{12,})[”»\"]", case.answer))
    span = rng.choice(spans)
    words = span[1].split()
    way = rng.randrange(5)
    gaps = [i for i, word in enumerate(words) if "…" in word or "..." in word]
    # Beside an omission a dropped word is no change: the omission covers it.
    inner = [i for i in range(1, len(words) - 1) if all(abs(i - gap) > 2 for gap in gaps)]
    way, at = (way, rng.choice(inner)) if inner else (4, 0)
    if way == 0:
        words[at] = "remarkable" if words[at].lower() != "remarkable" else "odd"
    elif way == 1:
        words.insert(at, rng.choice(["not", "very", "always", "truly"]))
    elif way == 2:
        del words[at]
    elif way == 3:
        words[at - 1], words[at] = words[at], words[at - 1]
        if words[at - 1].lower() == words[at].lower():
            words[at] = "odd"
    else:
        words = ["I", "can", "only", "say", "that", "everyone", "should", "know", "about", "this", "place"]
    return replace(
        case,
        answer=case.answer[: span.start(1)] + " ".join(words) + case.answer[span.end(1) :],
        kind="altered quote",
    )


def misattribute(case: Case, rng: random.Random) -> Case:
    """Cite, for a quote, another document that was given."""
    label = rng.choice([v[0] for v in case.voices if f"[{v[0]}]" in case.answer])
    other = rng.choice([name for name in case.documents if name != label])
    return replace(
        case, answer=case.answer.replace(f"[{label}]", f"[{other}]", 1), kind="misattributed quote"
    )


def _only(case: Case, voices: tuple[tuple[str, str, str], ...], kind: str, rng: random.Random) -> Case:
    changed = replace(case, voices=voices, kind=kind)
    return replace(changed, answer=write(changed, rng))


def one_sided(rng: random.Random, style: str, bank: Bank = BANK) -> Case:
    """Tell only the majority's side although the other has a third or more."""
    case = make_right(rng, style, positive=rng.choice([0.36, 0.45, 0.55, 0.64]), neutral=0.0, bank=bank)
    major = "positive" if sum(case.population[4:]) > 0.5 else "negative"
    return _only(case, tuple(v for v in case.voices if v[1] == major), "one-sided", rng)


def reversed_majority(rng: random.Random, style: str, bank: Bank = BANK) -> Case:
    """Give the minority the majority's room, or call it the majority."""
    case = make_right(rng, style, positive=rng.choice([0.22, 0.3, 0.7, 0.78]), neutral=0.0, bank=bank)
    flipped = make_right(rng, style, positive=1 - sum(case.population[4:]), neutral=0.0, bank=bank)
    return replace(flipped, population=case.population, kind="reversed majority")


def missing_minority(rng: random.Random, style: str, bank: Bank = BANK) -> Case:
    """Leave out a side that a fifth to a quarter of the population is on."""
    case = make_right(rng, style, positive=rng.choice([0.2, 0.25, 0.75, 0.8]), neutral=0.0, bank=bank)
    minor = "negative" if sum(case.population[4:]) > 0.5 else "positive"
    return _only(case, tuple(v for v in case.voices if v[1] != minor), "missing minority", rng)


def wrong_share(rng: random.Random, bank: Bank = BANK) -> Case:
    """State shares that are ten points or more from the true ones."""
    case = make_right(rng, "extractive", positive=rng.choice([0.3, 0.64, 0.7]), neutral=0.05, bank=bank)
    positive, neutral, negative = _percents(case.population)
    off = rng.choice([-15, -10, 10, 15])
    answer = write(case, rng, (positive + off, neutral, negative - off))
    return replace(case, answer=answer, kind="wrong share")


STYLES: Final = ("extractive", "plain", "ellipsis", "american", "nested", "paraphrase")
QUOTING: Final = STYLES[:5]


def right_cases(seed: int, n: int, bank: Bank = BANK) -> list[Case]:
    """Return ``n`` right answers, styles in turn."""
    rng = random.Random(seed)
    return [make_right(rng, STYLES[i % len(STYLES)], bank=bank) for i in range(n)]


def wrong_cases(seed: int, each: int, bank: Bank = BANK) -> list[Case]:
    """Return ``each`` wrong answers of each of seven faults."""
    rng = random.Random(seed)
    made: list[Case] = []
    for i in range(each):
        quoting, style = QUOTING[i % len(QUOTING)], STYLES[i % len(STYLES)]
        made += [
            invent_citation(make_right(rng, style, bank=bank), rng),
            alter_quote(make_right(rng, quoting, bank=bank), rng),
            misattribute(make_right(rng, quoting, bank=bank), rng),
            one_sided(rng, style, bank),
            reversed_majority(rng, style, bank),
            missing_minority(rng, style, bank),
            wrong_share(rng, bank),
        ]
    return made
