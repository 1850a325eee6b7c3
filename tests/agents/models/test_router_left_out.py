"""What a question leaves out is never what it asks for."""

from __future__ import annotations

import pytest

from agents.models.router_left_out import left_out


@pytest.mark.parametrize(
    ("question", "refused"),
    [
        ("What do people think of the staff except in Central Library?", ["except in Central Library"]),
        ("What do people outside Central Library think of the staff?", ["outside Central Library"]),
        ("What do people outside the North and South say in 2024?", ["outside the North and South"]),
        ("What do guests who live outside of Lisbon say?", ["outside of Lisbon"]),
        ("What do all but rural users think of the interface?", ["all but rural users"]),
        ("What do people other than those in the North think of it?", ["other than those in the North"]),
        ("How many reviews excluding the Harbour branch mention it?", ["excluding the Harbour branch"]),
        ("How many reviews mention the wifi but not in 2024?", ["but not in 2024"]),
        ("What do they say, not counting reviews before 2020?", ["not counting reviews before 2020"]),
        ("Apart from the price, what bothers people?", ["Apart from the price"]),
        (
            "What do people dislike other than the wifi and the toilets?",
            ["other than the wifi and the toilets"],
        ),
        ("What do women but not men say?", ["but not men"]),
        ("Is it cheap but not great?", []),
        ("Is the hotel anything but clean?", []),
        ("What do people like but not love about the staff?", []),
        ("Do people like outside dining?", []),
        ("What do people think of the outside pool?", []),
        ("What about parking outside the hotel?", []),
        ("Is there noise outside?", []),
        ("What is it like except", []),
    ],
)
def test_left_out(question: str, refused: list[str]) -> None:
    assert list(left_out(question)) == refused
