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
           "record id", "uuid", "guid", "reviews id", "tweet id", "num", "index", "key", "unnamed 0", "column 1"),
    "url": ("url", "link", "review url", "permalink", "reviews sourceurls", "source url", "web page"),
    "author": (
        "author id", "author", "author name", "reviewer id", "reviewerid", "reviewer", "reviewer name",
        "reviewername", "user id", "userid", "user", "user name", "username", "profile name", "profilename",
        "customer id", "customer name", "respondent", "respondent id", "reviews username", "screen name",
    ),
    "rating": ("overall rating", "rating", "review rating", "stars", "star rating", "score", "review score",
               "overall", "reviews rating", "rate", "reviewer score", "points"),
    "date": ("review date", "date", "date posted", "published", "published at", "date published", "created at",
             "created", "timestamp", "review time", "reviewtime", "unixreviewtime", "submitted at", "submitted",
             "date added", "reviews date", "time", "posted", "posted at", "created utc", "datetime"),
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
    "disability", "generation", "department",
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
)
#: Attributes that may as well describe the reviewed thing, when nothing says whose they are.
OF_PLACE: Final = frozenset(("country", "region", "province", "state", "city", "location", "department"))
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
    if bare in ATTRIBUTES:
        return bare.replace(" ", "_"), person
    return "", person


__all__ = ["ATTRIBUTES", "KNOWN", "OF_PLACE", "OWN_IDS", "PERSON", "attribute_name", "normalised"]
