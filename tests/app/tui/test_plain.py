"""``chat --plain``: linear text over pipes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from app.cli.main import main
from tests.app.tui.conftest import TEXT, Script, ScriptedService, add_answers
from tests.fakes.receipts import HOSTILE


@pytest.fixture
def talk(
    desk_folder: Path, script: Script, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """Talk in lines; returns exit code, stdout, stderr."""
    monkeypatch.setattr("app.service.Service", lambda parts: ScriptedService(parts, script))

    def run(*lines: str, before: tuple[str, ...] = ()) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main(["--workspace", str(desk_folder), *before, "chat", "--plain"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_questions_are_answered_line_by_line_with_their_receipts(talk, script: Script) -> None:
    code, out, err = talk("What about the food?", "", "And the staff?", "/unfair", "/quit", "never read")
    assert code == 0
    assert out.count(TEXT.split("\n")[0]) == 3
    assert out.count("[opinion") == 3
    assert "W1" in out
    assert "\x1b" not in out + err
    threads = [thread for _, thread, _ in script.asked]
    assert threads[0] == threads[1] is not None
    assert script.asked[2] == ("And the staff?", None, {"method": "relevance"})


def test_commands_show_receipt_sources_sessions_and_write_files(
    talk, desk_folder: Path, tmp_path: Path
) -> None:
    add_answers(desk_folder, "old", 2)
    target = tmp_path / "talk.txt"
    code, out, err = talk(
        "/resume ol",
        "More?",
        "/audit",
        "/sources",
        "/sessions",
        "/rename Food",
        f"/export {target}",
        "/corpus",
        "/help",
    )
    assert code == 0
    assert "AUDIT RECEIPT" in out
    assert "* old" in out
    assert "* lounges (3 documents)" in out
    assert "/export FILE" in out
    assert "conversation old" in err
    assert target.read_text().startswith("Food\n====")


def test_errors_are_one_line_and_the_talk_goes_on(talk, script: Script) -> None:
    code, out, err = talk(
        "/audit", "/nothing", "/resume x", "/method", f"Evil {HOSTILE[:200]}".replace("\n", " ")
    )
    assert code == 1
    assert err.count("evenhand: error:") == 4
    assert TEXT.split("\n")[0] in out
    assert "\x1b" not in out + err


def test_hostile_text_is_shown_and_not_obeyed(talk, script: Script) -> None:
    script.pieces = (HOSTILE,)
    code, out, err = talk("What about the food?", "/audit", "/sessions")
    assert code == 0
    for bad in ("\x1b", "\x9b", "\u202e", "\u200b", "\x00"):
        assert bad not in out + err


def test_what_is_not_utf_8_is_refused_in_one_line(
    talk, script: Script, monkeypatch, desk_folder: Path, capsys
) -> None:
    given = io.TextIOWrapper(io.BytesIO(b"caf\xe9?\nWhat about the caf\xc3\xa9?\n"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", given)
    assert main(["--workspace", str(desk_folder), "chat", "--plain"]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("evenhand: error: a line is not valid UTF-8") == 1
    assert [asked for asked, _, _ in script.asked] == ["What about the café?"]


def test_the_first_warning_is_said_in_words(talk, script: Script, monkeypatch) -> None:
    from app.views.words import warnings
    from tests.fakes.receipts import degraded_receipt

    monkeypatch.setattr("tests.app.tui.conftest.opinion_receipt", degraded_receipt)
    code, out, _ = talk("What about the food?")
    assert code == 0
    found = warnings(degraded_receipt())
    assert f"! {found[0]} ({len(found) - 1} more: /audit)" in out


def test_ascii_is_ascii(talk, script: Script) -> None:
    script.pieces = ("“手机” — good",)
    code, out, _ = talk("What?", before=("--ascii",))
    assert code == 0
    assert out.isascii()
    assert "good" in out
