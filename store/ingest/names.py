"""The names that columns of reviews, posts and surveys go by."""

from __future__ import annotations

import re
from typing import Final

#: Field to the normalised names it goes by, the surest first.
KNOWN: Final[dict[str, tuple[str, ...]]] = {
    "text": (
        "review text", "reviewtext", "review body", "review content", "reviews text", "text", "review", "content",
        "body", "comment", "comments", "message", "feedback", "verbatim", "opinion", "answer", "response", "post",
        "selftext", "tweet", "full text", "description", "reviews", "customer review",
    ),
    "title": ("review title", "title", "review headline", "headline", "summary", "review summary", "heading",
              "reviews title", "subject line"),
    "id": ("review id", "reviewid", "id", "document id", "doc id", "row id", "post id", "comment id", "response id",
           "record id", "uuid", "guid", "reviews id", "tweet id", "num", "index", "key", "unnamed 0", "column 1",
           "ticket", "ticket id", "ticket number", "case", "case id", "case number", "ref", "reference", "no", "nr",
           "number", "entry", "row", "submission", "submission id"),
    "url": ("url", "link", "review url", "permalink", "reviews sourceurls", "source url", "web page"),
    "author": (
        "author id", "author", "author name", "reviewer id", "reviewerid", "reviewer", "reviewer name",
        "reviewername", "user id", "userid", "user", "user name", "username", "profile name", "profilename",
        "customer id", "customer name", "respondent", "respondent id", "reviews username", "screen name",
        "handle", "user handle", "twitter handle", "display name", "nickname", "nick", "account", "account id",
        "customer", "member", "member id", "member name", "guest", "guest id", "guest name", "passenger",
        "participant", "participant id", "client", "client id", "contributor", "commenter", "commenter id", "poster",
        "posted by", "submitted by", "written by", "reviewed by", "review by", "employee id", "student id",
        "patient id", "voter id", "resident", "citizen", "subscriber", "by",
    ),
    "rating": ("overall rating", "rating", "review rating", "stars", "star rating", "score", "review score",
               "overall", "reviews rating", "rate", "reviewer score", "points"),
    "date": ("review date", "date", "date posted", "published", "published at", "date published", "created at",
             "created", "timestamp", "review time", "reviewtime", "unixreviewtime", "submitted at", "submitted",
             "date added", "reviews date", "time", "posted", "posted at", "created utc", "datetime", "received",
             "received at", "date received", "visited", "visit date", "date of visit", "stay date", "date of stay",
             "date flown", "travel date", "purchased", "purchase date", "response date", "completed", "at", "on",
             "when", "day", "month"),
    "subject": (
        "product name", "hotel name", "airline name", "restaurant name", "business name", "place name",
        "company name", "item name", "movie title", "book title", "app name", "course name", "product title",
        "product", "hotel", "airline", "restaurant", "business", "place", "company", "item", "movie", "book", "app",
        "course", "brand", "topic", "product id", "productid", "asin", "item id", "business id", "hotel id",
        "parent asin", "name", "listing id", "subject",
    ),
}  # fmt: skip
#: Names that no other thing's id goes by: a few repeats are mistakes in the data.
OWN_IDS: Final = frozenset(("review id", "reviewid", "id", "document id", "doc id", "response id", "uuid"))
#: What may be said about an author, as the last words of a column's name.
ATTRIBUTES: Final = (
    "country", "nationality", "region", "province", "state", "city", "location", "age", "age group", "gender",
    "sex", "tenure", "occupation", "job", "education", "income", "ethnicity", "race", "language", "religion",
    "party", "affiliation", "membership", "member type", "customer type", "user type", "segment", "traveller type",
    "traveler type", "type traveller", "type traveler", "type of traveller", "trip type", "marital status",
    "disability", "generation", "department", "ward", "district", "county", "borough", "suburb", "neighbourhood",
    "neighborhood", "postcode", "post code", "postal code", "zip", "zip code", "zipcode", "constituency", "precinct",
    "municipality", "age range", "age bracket", "age band", "role", "user role", "job role", "job title", "profession",
    "position", "seniority", "sector", "stakeholder", "stakeholder type", "stakeholder group", "respondent type",
    "respondent group", "organisation type", "organization type", "political affiliation", "political party",
    "ideology", "plan", "plan type", "subscription", "tier", "loyalty tier", "membership tier", "cabin",
    "cabin flown", "cabin class", "travel class", "employment", "employment status", "homeowner", "housing tenure",
    "household", "household type", "experience level", "skill level", "year of study", "faculty", "pronouns",
    "platform", "device", "device type", "operating system", "os", "channel", "browser",
)  # fmt: skip
#: Words that say a column is about the author.
PERSON: Final = (
    "author",
    "user",
    "reviewer",
    "customer",
    "respondent",
    "member",
    "reviewers",
    "profile",
    "employee",
    "guest",
    "passenger",
    "participant",
    "client",
    "commenter",
    "voter",
    "resident",
    "citizen",
    "traveller",
    "traveler",
    "patient",
    "student",
    "buyer",
    "consumer",
    "subscriber",
    "poster",
)
#: Words of a column's name that say what a person did or wrote, not what the person is.
NOT_OF_PERSON: Final = frozenset(
    (
        "id", "name", "rating", "score", "stars", "votes", "vote", "count", "number", "text", "comment", "review",
        "reviews",
        "image", "images", "url", "link", "date", "time", "timestamp", "email", "phone", "avatar", "photo", "bio",
        "response", "answer", "reply", "feedback", "message", "service", "satisfaction", "support", "key", "hash",
    )
)  # fmt: skip
#: Names of an author column that may as well hold a kind of people ("customer": new, returning).
KIND_OR_PERSON: Final = frozenset(
    ("user", "customer", "member", "guest", "passenger", "respondent", "reviewer", "participant", "client", "account",
     "contributor", "resident", "citizen", "subscriber", "commenter", "poster")
)  # fmt: skip
#: Attributes that may as well describe the reviewed thing, when nothing says whose they are.
OF_PLACE: Final = frozenset(
    (
        "country", "region", "province", "state", "city", "location", "department", "ward", "district", "county",
        "borough", "suburb", "neighbourhood", "neighborhood", "postcode", "post code", "postal code", "zip", "zip code",
        "zipcode", "constituency", "precinct", "municipality",
    )
)  # fmt: skip
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD: Final = re.compile(r"[\W_]+")


def normalised(column: str) -> str:
    """Return a column's name in lower-case words (``userProvince`` and ``user_province`` give ``user province``)."""
    return _NOT_WORD.sub(" ", _CAMEL.sub(" ", column)).strip().lower()


def attribute_name(column: str) -> tuple[str, bool]:
    """Return the attribute a column's name stands for (``country``), and whether it names the author.

    An empty name when it stands for none.
    """
    name = normalised(column)
    words = name.split()
    person = bool(words) and words[0] in PERSON and len(words) > 1
    bare = " ".join(words[1:]) if person else name
    if name in ATTRIBUTES:
        return name.replace(" ", "_"), False
    if bare in ATTRIBUTES:
        return bare.replace(" ", "_"), person
    return "", person


def said_of_person(column: str) -> str:
    """Return what a column says about a person by its name alone ("customer_mood" -> ``mood``), or an empty text."""
    words = normalised(column).split()
    if len(words) < 2 or words[0] not in PERSON or NOT_OF_PERSON & set(words[1:]):
        return ""
    return "_".join(words[1:])


__all__ = [
    "ATTRIBUTES",
    "KIND_OR_PERSON",
    "KNOWN",
    "NOT_OF_PERSON",
    "OF_PLACE",
    "OWN_IDS",
    "PERSON",
    "attribute_name",
    "normalised",
    "said_of_person",
]
