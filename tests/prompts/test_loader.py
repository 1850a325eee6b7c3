from __future__ import annotations

import pytest

import prompts
from prompts.loader import parse

#: A version that was used is never edited. When this test fails, put the change into a new version.
PINNED = {
    "answer_facts.v1": "17e7d9ff16a8a48be8eaf5b67bd6f30489884102923c624b85406563993720c8",
    "answer_opinions.v1": "e6e5189f44830b96627216e8c2f98628f708c3210a3d4c9515043f455d496c63",
    "choose_option.v1": "5b440055fac4818d180f6aa01bdaa8bf84b935f8077c07cbdbb10fccbc0e3a25",
    "classify_claims.v1": "e0df62968161c880f238ed8b3eef032dafb2b83653adb97b98f9e28d91552c11",
    "extract.v1": "db22480e0827ff9cc4fce31cab0e06587e23b7397ee22ed1c828cd8bf98ece39",
    "hyde.v1": "9d5d155c9c67f2626ba402fbc1df04c53bf4e36a059263c7037df237cb787aa3",
    "multi_query.v1": "dd73d2faa899926ab916004890cacdc370dc12e4336f1a07024c4b559fc8c3fe",
    "query2doc.v1": "292e428b792ea0d4ca75b4e671438d3504d22cfa152147c213b6fd647fb78043",
    "rewrite.v1": "7af6170daecc6bd626ae762e3f5a3d7c8cf77ecfea4aeda0bde9587d39da6598",
    "route.v1": "961a2e7c4859e210474946e22c1f8dd9ca7d4229a858a7aaa022bc518b41c610",
}


def test_the_pinned_prompts_are_untouched() -> None:
    found = {prompts.load(*entry).name: prompts.load(*entry).sha256 for entry in prompts.available()}
    assert found == PINNED


def test_rendering_fills_system_and_user() -> None:
    prompt = parse(
        "greet",
        2,
        "<!-- variables: name, tone -->\n<!-- system -->\nBe $tone.\n<!-- user -->\nHello ${name}!\n",
    )
    rendered = prompt.render(name="Ada", tone="kind")
    assert (rendered.name, rendered.system, rendered.user) == ("greet.v2", "Be kind.", "Hello Ada!")
    assert prompt.variables == {"name", "tone"}


def test_values_are_not_templates() -> None:
    prompt = parse("echo", 1, "<!-- variables: text -->\n<!-- user -->\n$text costs $$5")
    assert prompt.render(text="$text ${text} $$").user == "$text ${text} $$ costs $5"


def test_missing_and_unknown_variables_are_named() -> None:
    with pytest.raises(prompts.PromptError, match=r"missing count and unknown number"):
        prompts.load("multi_query").render(question="?", number="3")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<!-- user -->\nHi", "first line"),
        ("<!-- variables: -->\nHi", "no section"),
        ("<!-- variables: -->\n<!-- user -->\n  ", "no section"),
        ("<!-- variables: -->\nstray\n<!-- user -->\nHi", "outside"),
        ("<!-- variables: name -->\n<!-- user -->\nHi", "declares"),
        ("<!-- variables: -->\n<!-- user -->\nHi $name", "declares"),
        ("<!-- variables: -->\n<!-- user -->\n5 $ please", r"lone \$"),
    ],
)
def test_malformed_files_are_refused(text: str, fault: str) -> None:
    with pytest.raises(prompts.PromptError, match=fault):
        parse("bad", 1, text)


def test_an_unknown_prompt_lists_those_there_are() -> None:
    with pytest.raises(prompts.PromptError, match=r"no prompt hyde\.v9; there are .*hyde\.v1"):
        prompts.load("hyde", 9)


def test_the_hash_does_not_depend_on_line_ends() -> None:
    text = "<!-- variables: -->\n<!-- user -->\nHi\n"
    assert parse("a", 1, text).sha256 == parse("a", 1, text.replace("\n", "\r\n")).sha256
