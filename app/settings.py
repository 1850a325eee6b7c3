"""The only reader of the environment and of ``evenhand.toml``.

Precedence: command-line flag, then environment (``EVENHAND_AGENT__K=10``), then the nearest ``evenhand.toml`` upward
from the current folder (or ``--config FILE``), then the user's own ``config.toml``, then defaults. A misspelt key is an
error that names the nearest right one.
"""

from __future__ import annotations

import os
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.models.settings import ModelsSettings
from agents.settings import AgentSettings
from store.errors import ConfigurationError
from store.settings import StoreSettings

FILE = "evenhand.toml"
PREFIX = "EVENHAND_"
#: Environment variables that are read elsewhere, by tests or by libraries.
_FOREIGN = frozenset(
    {"EVENHAND_CONFIG", "EVENHAND_TEST_POSTGRES", "EVENHAND_DATA", "EVENHAND_MIGRATIONS_URL"}
)


class EnrichSettings(BaseModel):
    """How opinions are extracted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    extractor: str = Field(default="lexical", pattern="^(lexical|llm)$", description="who labels opinions")
    engine: str = Field(default="local", pattern="^(local|ray)$", description="ray: extra `ray`")
    workers: int = Field(default=1, ge=1, le=256, description="processes of enrichment")
    split: bool = Field(default=False, description="index each opinion apart as well")
    seed: int = Field(default=0, ge=0, description="of the registry's clustering")


class Settings(BaseModel):
    """All settings. ``origins`` says where each value that is not a default came from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    workspace: str = Field(
        default="",
        description="folder of the data; empty: `.evenhand` beside evenhand.toml, else the user's own",
    )
    corpus: str = Field(default="", description="corpus that commands use; empty: the only one")
    log_level: str = Field(
        default="WARNING", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="of the workspace's log file"
    )
    store: StoreSettings = StoreSettings()
    agent: AgentSettings = AgentSettings()
    enrich: EnrichSettings = EnrichSettings()
    models: ModelsSettings = ModelsSettings()


def load_settings(
    config: Path | None = None, overrides: dict[str, Any] | None = None
) -> tuple[Settings, Path | None]:
    """Return the settings and the project file that was used.

    Parameters
    ----------
    config
        A configuration file named by the user; else ``EVENHAND_CONFIG``, else the nearest ``evenhand.toml``.
    overrides
        Values given by flags, nested as in the file; None values are skipped.

    Raises
    ------
    ConfigurationError
        Unreadable file, unknown key, or wrong value: names the key and where it stands.
    """
    named = config or (Path(os.environ["EVENHAND_CONFIG"]) if os.environ.get("EVENHAND_CONFIG") else None)
    if named is not None and not named.is_file():
        raise ConfigurationError(
            f"there is no configuration file {named}", "check --config or EVENHAND_CONFIG"
        )
    project = named or find_upward(Path.cwd())
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for layer, origin in (
        (_read_toml(_user_file()), str(_user_file())),
        (_read_toml(project), str(project)),
        (_read_environment(), "environment"),
        (_without_none(overrides or {}), "command line"),
    ):
        _merge(values, layer, origin, origins)
    try:
        return Settings.model_validate(values), project
    except ValidationError as error:
        raise _explain(error, origins) from None


def find_upward(folder: Path) -> Path | None:
    """Return the nearest ``evenhand.toml`` in this folder or above."""
    for candidate in (folder, *folder.parents):
        if (candidate / FILE).is_file():
            return candidate / FILE
    return None


def workspace_root(settings: Settings, project: Path | None) -> Path:
    """Return the workspace folder: the one named, else ``.evenhand`` beside the project file, else the user's own."""
    if settings.workspace:
        return Path(settings.workspace).expanduser()
    if project is not None and project.name == FILE:
        return project.parent / ".evenhand"
    from platformdirs import user_data_path

    return user_data_path("evenhand", appauthor=False)


def _user_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("evenhand", appauthor=False) / "config.toml"


def _read_toml(path: Path | None) -> dict[str, Any]:
    if path is None or not path.is_file():
        return {}
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is no valid TOML ({error})") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is no UTF-8 text", "save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"cannot read {path} ({error.strerror})") from None


def _read_environment() -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, text in sorted(os.environ.items()):
        # Completion machinery of the shell starts with an underscore; empty means unset.
        if not name.startswith(PREFIX) or name in _FOREIGN or not text:
            continue
        path = name.removeprefix(PREFIX).lower().split("__")
        node = values
        for part in path[:-1]:
            node = node.setdefault(part, {})
        node[path[-1]] = text
    return values


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    kept = {k: _without_none(v) if isinstance(v, dict) else v for k, v in values.items() if v is not None}
    return {k: v for k, v in kept.items() if v != {}}


def _merge(
    into: dict[str, Any], layer: dict[str, Any], origin: str, origins: dict[str, str], path: str = ""
) -> None:
    for key, value in layer.items():
        name = f"{path}{key}"
        if isinstance(value, dict) and isinstance(into.get(key, {}), dict):
            _merge(into.setdefault(key, {}), value, origin, origins, f"{name}.")
        else:
            into[key] = value
        origins[name] = origin


def _explain(error: ValidationError, origins: dict[str, str]) -> ConfigurationError:
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"])
    origin = origins.get(name, "the settings")
    if first["type"] == "extra_forbidden":
        near = get_close_matches(name, _known_keys(Settings), 1, 0.5)
        hint = f"did you mean `{near[0]}`?" if near else "see the README for the settings there are"
        return ConfigurationError(f"unknown setting `{name}` in {origin}", hint)
    # The value itself is not shown: it may be a key.
    return ConfigurationError(f"setting `{name}` in {origin} is wrong: {first['msg']}")


def _known_keys(model: type[BaseModel], path: str = "") -> list[str]:
    keys: list[str] = []
    for name, info in model.model_fields.items():
        keys.append(f"{path}{name}")
        for inner in (info.annotation, *getattr(info.annotation, "__args__", ())):
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                keys.extend(_known_keys(inner, f"{path}{name}."))
    return keys


__all__ = ["EnrichSettings", "Settings", "find_upward", "load_settings", "workspace_root"]
