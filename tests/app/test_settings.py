"""Settings: precedence, misspelt keys, secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import load_settings, workspace_root
from store.errors import ConfigurationError


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("EVENHAND_WORKSPACE", "EVENHAND_CORPUS", "EVENHAND_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_flag_beats_environment_beats_file_beats_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings()[0].agent.k == 20
    (tmp_path / "evenhand.toml").write_text("[agent]\nk = 10\nseed = 4\n")
    assert load_settings()[0].agent.k == 10
    monkeypatch.setenv("EVENHAND_AGENT__K", "7")
    assert load_settings()[0].agent.k == 7
    settings, project = load_settings(overrides={"agent": {"k": 5, "method": None}})
    assert (settings.agent.k, settings.agent.seed, settings.agent.method) == (5, 4, "auto")
    assert project == tmp_path / "evenhand.toml"


def test_the_workspace_lies_beside_the_nearest_project_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "evenhand.toml").write_text("")
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert workspace_root(*load_settings()) == tmp_path / ".evenhand"
    monkeypatch.setenv("EVENHAND_WORKSPACE", str(tmp_path / "elsewhere"))
    assert workspace_root(*load_settings()) == tmp_path / "elsewhere"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[agent]\nmethd = 'exact'", "unknown setting `agent.methd` in .*did you mean `agent.method`"),
        ("[agnt]\nk = 3", "unknown setting `agnt`.*did you mean `agent`"),
        ("[agent]\nk = 0", "setting `agent.k` in .* is wrong: .*greater than or equal to 1"),
        ("[agent\n", "is no valid TOML"),
        ("[store.embedder]\nkind = 'magic'", "setting `store.embedder.kind`"),
    ],
)
def test_wrong_files_are_named_with_the_nearest_right_key(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "evenhand.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_settings()
    assert "evenhand.toml" in str(caught.value)


def test_a_misspelt_environment_variable_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_AGENT__TARGTE", "parity")
    with pytest.raises(ConfigurationError, match=r"agent\.targte.*environment.*agent\.target"):
        load_settings()


def test_a_wrong_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_MODELS__LIMITS__CONCURRENCY", "sk-very-secret")
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert "sk-very-secret" not in str(caught.value)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="there is no configuration file"):
        load_settings(tmp_path / "none.toml")


def test_the_page_of_settings_is_that_of_the_program() -> None:
    from app.settings_table import settings_table

    page = Path(__file__).parents[2] / "docs" / "settings.md"
    assert page.read_text(encoding="utf-8") == settings_table(), (
        "run `python -m app.settings_table > docs/settings.md`"
    )
    undescribed = [
        line for line in settings_table().splitlines() if line.startswith("| `") and line.endswith("|  |")
    ]
    assert not undescribed
