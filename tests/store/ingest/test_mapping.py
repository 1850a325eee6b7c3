from __future__ import annotations

import pytest

from store.errors import UsageError
from store.ingest.bands import AGE_EDGES, Bands, bands_for
from store.ingest.mapping import Mapping, guess, parse_overrides
from store.ingest.names import attribute_name, normalised


def rows(header: list[str], *values: tuple[str, ...], times: int = 1) -> list[dict[str, str]]:
    return [dict(zip(header, value, strict=True)) for value in values * times]


def lounge() -> tuple[list[str], list[dict[str, str]]]:
    """The columns of the open Skytrax lounge reviews."""
    header = [
        "airline_name", "link", "title", "author_id", "author_country", "date", "content", "lounge_name", "date_visit",
        "type_traveller", "overall_rating", "comfort_rating", "recommended",
    ]  # fmt: skip
    sample = [
        dict(zip(header, (
            f"airline {n % 5}", f"/reviews/{n}", "Lounge review", f"a{n}", ("Spain", "Germany", "UK")[n % 3],
            "2014-03-09", "The bar is well stocked and the staff were friendly to us all day.", "First", "01-07-2015",
            ("Business", "Family")[n % 2], f"{n % 10 + 1}.0", str(n % 5 + 1), "1",
        ), strict=True))
        for n in range(60)
    ]  # fmt: skip
    return header, sample


def test_lounge_reviews() -> None:
    mapping = guess(*lounge())
    assert mapping.text == ("content",)
    assert (mapping.title, mapping.url, mapping.author) == ("title", "link", "author_id")
    assert (mapping.rating, mapping.rating_scale) == ("overall_rating", (1.0, 10.0))
    assert (mapping.date, mapping.subject, mapping.id) == ("date", "airline_name", "")
    assert mapping.attributes == {"country": "author_country", "type_traveller": "type_traveller"}
    assert mapping.extra == ("lounge_name", "date_visit", "comfort_rating", "recommended")


def test_clothing_reviews_have_an_index_column_and_ages() -> None:
    header = ["column 1", "Clothing ID", "Age", "Title", "Review Text", "Rating"]
    sample = rows(
        header,
        *(
            (str(n), str(n % 7), str(18 + n), "Nice", "I love this dress and wear it often.", "5")
            for n in range(60)
        ),
    )
    mapping = guess(header, sample)
    assert (mapping.text, mapping.title, mapping.id) == (("Review Text",), "Title", "column 1")
    assert (mapping.subject, mapping.rating_scale) == ("Clothing ID", (1.0, 5.0))
    assert mapping.attributes == {"age": "Age"}
    assert mapping.bands["age"].labels() == [
        "under 18", "18-29", "30-39", "40-49", "50-59", "60-69", "70+",
    ]  # fmt: skip


def test_places_describe_the_hotel_when_authors_have_their_own() -> None:
    header = [
        "name",
        "city",
        "province",
        "date",
        "rating",
        "title",
        "text",
        "userCity",
        "userProvince",
        "author_id",
    ]
    sample = rows(
        header,
        *(
            (
                f"Hotel {n % 4}", f"Town {n % 4}", "MA", "2014-11-07T00:00:00Z", "3", "Fine",
                "We stayed a night and slept well.", f"City {n % 9}", ("NY", "CA")[n % 2], f"a{n}",
            )
            for n in range(40)
        ),
    )  # fmt: skip
    mapping = guess(header, sample)
    assert mapping.subject == "name"
    assert mapping.attributes == {"city": "userCity", "province": "userProvince"}
    assert mapping.extra == ("city", "province")


def test_a_country_that_never_differs_within_a_subject_is_the_subjects() -> None:
    header = ["hotel", "country", "text"]
    values = [(f"Hotel {n % 5}", ("US", "UK")[n % 5 % 2], "A fine stay for us.") for n in range(40)]
    assert guess(header, rows(header, *values)).attributes == {}
    mixed = [(f"Hotel {n % 5}", ("US", "UK")[n % 2], "A fine stay for us.") for n in range(40)]
    assert guess(header, rows(header, *mixed)).attributes == {"country": "country"}


def test_an_attribute_that_names_single_people_is_kept_but_is_no_attribute() -> None:
    header = ["text", "user_location"]
    mapping = guess(header, rows(header, *(("A fine stay for us.", f"Street {n}") for n in range(200))))
    assert mapping.attributes == {}
    assert mapping.extra == ("user_location",)
    assert "too many values" in mapping.notes[0]


def test_the_longest_column_is_the_text_when_no_name_says_so() -> None:
    header = ["q1", "q2"]
    mapping = guess(header, rows(header, ("yes", "I would like more parks and fewer cars."), times=5))
    assert mapping.text == ("q2",)
    assert mapping.notes == ("no column is named like a text: 'q2' has the longest ones",)


def test_an_id_with_few_repeats_is_an_id_and_a_product_id_is_not() -> None:
    header = ["id", "product_id", "text"]
    values = [(str(n if n != 3 else 2), str(n % 4), "A fine stay for us.") for n in range(50)]
    mapping = guess(header, rows(header, *values))
    assert (mapping.id, mapping.subject) == ("id", "product_id")
    assert mapping.notes == ("'id' is the id, though 1 rows repeat or lack it",)


def test_overrides_win_and_take_any_spelling() -> None:
    header, sample = lounge()
    given = parse_overrides(
        [
            "text=title+content",
            "subject=Lounge Name",
            "url=",
            "rating_scale=0-10",
            "date_order=dmy",
            "extra=link",
        ],
        ["home=author_country", "type_traveller="],
    )
    mapping = guess(header, sample, given)
    assert mapping.text == ("title", "content")
    assert (mapping.subject, mapping.url, mapping.rating_scale) == ("lounge_name", "", (0.0, 10.0))
    assert mapping.attributes == {"home": "author_country"}
    assert (mapping.extra, mapping.date_order) == (("link",), "dmy")


def test_given_bands() -> None:
    header = ["text", "Age"]
    sample = rows(header, *(("A fine stay for us.", str(n)) for n in range(10, 60)))
    mapping = guess(header, sample, parse_overrides([], ["age=Age:18,35"]))
    assert mapping.bands["age"].labels() == ["under 18", "18-34", "35+"]


def test_mapping_is_shown_and_survives_its_record() -> None:
    mapping = guess(*lounge())
    assert mapping.describe()[0] == ("text", "content")
    assert ("rating", "overall_rating (scale 1-10)") in mapping.describe()
    assert ("attribute country", "author_country") in mapping.describe()
    assert Mapping.from_json(mapping.to_json()) == mapping


def test_ambiguous_dates_are_noted() -> None:
    header = ["text", "date"]
    mapping = guess(header, rows(header, ("A fine stay for us.", "03/04/2020"), times=3))
    assert mapping.date_order == "mdy"
    assert mapping.notes == (
        "dates in 'date' may be day/month or month/day: read as month/day; --map date_order=dmy for the other",
    )
    assert guess(header, rows(header, ("A fine stay.", "13/04/2020"), times=3)).date_order == "dmy"


def test_a_rating_column_without_numbers_is_no_rating() -> None:
    header = ["text", "rating"]
    assert guess(header, rows(header, ("A fine stay for us.", "good"), times=3)).rating == ""


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("author_country", ("country", True)),
        ("userProvince", ("province", True)),
        ("Traveler Type", ("traveler_type", False)),
        ("age", ("age", False)),
        ("user_id", ("", True)),
        ("price", ("", False)),
    ],
)
def test_attribute_names(column: str, expected: tuple[str, bool]) -> None:
    assert attribute_name(column) == expected


def test_normalised() -> None:
    assert normalised("reviewText") == normalised(" Review_Text ") == "review text"


def test_age_bands() -> None:
    bands = bands_for("age", [str(n) for n in range(16, 80)])
    assert bands == Bands(AGE_EDGES)
    assert [bands.label(v) for v in ("17", "18", "29", "30", "69", "70", "34 years", "n/a")] == [
        "under 18", "18-29", "18-29", "30-39", "60-69", "70+", "30-39", "n/a",
    ]  # fmt: skip


def test_numeric_attributes_with_many_values_become_fifths() -> None:
    bands = bands_for("tenure", [str(n) for n in range(100)])
    assert bands is not None
    assert bands.labels() == ["under 20", "20-39", "40-59", "60-79", "80+"]
    assert [bands.label(value) for value in ("0", "19", "20", "99")] == [
        "under 20",
        "under 20",
        "20-39",
        "80+",
    ]


def test_few_values_and_words_stay_as_they_are() -> None:
    assert bands_for("tenure", [str(n % 5) for n in range(100)]) is None
    assert bands_for("age", ["18-24", "25-34"] * 5) is None


def test_unknown_column_names_the_nearest() -> None:
    header, sample = lounge()
    with pytest.raises(UsageError, match=r"there is no column 'contents'; did you mean 'content'\?"):
        guess(header, sample, parse_overrides(["text=contents"]))


@pytest.mark.parametrize(
    ("column", "values", "author", "attributes"),
    [
        ("handle", [f"@user{i}" for i in range(40)], "handle", {}),
        ("user", [f"u{i}" for i in range(40)], "user", {}),
        ("customer", [f"Name {i}" for i in range(40)], "customer", {}),
        ("posted_by", [f"Name {i}" for i in range(40)], "posted_by", {}),
        # few values among many rows are kinds of people
        ("customer", ["new", "returning"] * 20, "", {"customer": "customer"}),
        ("role", ["nurse", "patient"] * 20, "", {"role": "role"}),
        ("ward", ["North", "South", "East", "West"] * 10, "", {"ward": "ward"}),
        ("customer_mood", ["calm", "angry"] * 20, "", {"mood": "customer_mood"}),
        # what people did is not what they are
        ("user_votes", ["1", "2"] * 20, "", {}),
        ("reviewer_comment", ["fine", "bad"] * 20, "", {}),
    ],
)
def test_people_and_kinds_of_people(
    column: str, values: list[str], author: str, attributes: dict[str, str]
) -> None:
    sample = [
        {"review": f"Review number {i} says a few words.", column: value} for i, value in enumerate(values)
    ]
    mapping = guess(["review", column], sample)
    assert (mapping.author, mapping.attributes) == (author, attributes)


def test_a_rating_without_numbers_is_refused_by_name() -> None:
    sample = [{"text": f"It was fine, number {i}.", "stars": str(1 + i % 5)} for i in range(20)]
    with pytest.raises(UsageError, match="--map rating=text: 'text' holds no numbers") as error:
        guess(["text", "stars"], sample, parse_overrides(["rating=text"]))
    assert "stars" in error.value.hint


def test_the_only_dates_are_the_date_and_several_are_left_to_the_user() -> None:
    rows = [{"comment": f"the soup was good {n}", "arrived": f"2024-03-{n + 1:02}"} for n in range(20)]
    found = guess(["comment", "arrived"], rows)
    assert found.date == "arrived"
    assert any("'arrived' holds dates" in note for note in found.notes)
    twice = [{**row, "left": row["arrived"]} for row in rows]
    found = guess(["comment", "arrived", "left"], twice)
    assert found.date == ""
    assert any("'arrived', 'left' hold dates" in note for note in found.notes)
    assert guess(["comment", "arrived"], rows, parse_overrides(["date="])).date == ""


def test_columns_named_like_ratings_and_dates_that_hold_none_are_said() -> None:
    rows = [{"review": f"soup {n} is good", "stars": "eleven", "date": "yesterday"} for n in range(5)]
    notes = guess(["review", "stars", "date"], rows).notes
    assert any(
        "'stars' is named like a rating but holds no numbers (for example 'eleven')" in n for n in notes
    )
    assert any("'date' is named like a date but holds no dates" in n for n in notes)


@pytest.mark.parametrize("name", ["ticket", "Ref", "no", "case_number"])
def test_more_names_of_ids(name: str) -> None:
    rows = [{name: f"A{n}", "feedback": f"the app crashes often {n}"} for n in range(20)]
    assert guess([name, "feedback"], rows).id == name


def test_what_people_use_is_an_attribute_of_theirs() -> None:
    rows = [{"feedback": f"the app crashes {n}", "platform": ("ios", "android")[n % 2]} for n in range(20)]
    assert guess(["feedback", "platform"], rows).attributes == {"platform": "platform"}
