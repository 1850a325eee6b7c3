"""Every setting in one Markdown table, made from the models: ``python -m app.settings_table > docs/settings.md``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from agents.models.settings import EmbeddingSettings, EndpointOverride, EndpointSettings
from app.settings import PREFIX, Settings

_HEAD = f"""# Settings

Made by `python -m app.settings_table`; a test keeps it equal to the program. Keys as in `evenhand.toml`; in the
environment `agent.k` is `{PREFIX}AGENT__K`. A misspelt key is an error that names the nearest right one.

| setting | default | allowed | what it is |
|---|---|---|---|
"""


_NAMES: dict[Any, str] = {
    str: "text",
    int: "whole number",
    bool: "true, false",
    SecretStr: "text",
    Path: "path",
    tuple[float, ...]: "numbers",
    dict[str, Any]: "a table",
}


def settings_table() -> str:
    """Return the page."""
    return _HEAD + "\n".join(_rows(Settings, "")) + "\n"


def _rows(model: type[BaseModel], prefix: str) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if issubclass(model, EndpointSettings) and name in EndpointSettings.model_fields:
            continue  # as those of `models`, listed there
        key = f"{prefix}{name}"
        inner = _model(field)
        if inner is None or inner in (EndpointOverride, EmbeddingSettings):
            yield f"| `{key}` | {_default(field)} | {_allowed(field)} | {_cell(field.description or '')} |"
        if inner is not None and inner is not EndpointOverride:
            yield from _rows(inner, f"{key}.")


def _model(field: FieldInfo) -> type[BaseModel] | None:
    kinds = get_args(field.annotation) or (field.annotation,)
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, BaseModel | dict | tuple | list) or value is None:
        return "none"
    return f"`{value}`" if value != "" else "empty"


def _allowed(field: FieldInfo) -> str:
    bounds: dict[str, Any] = {}
    for rule in field.metadata:
        for name in ("ge", "gt", "le", "lt", "pattern"):
            if (value := getattr(rule, name, None)) is not None:
                bounds[name] = value
    if "pattern" in bounds:
        return _cell(", ".join(f"`{part}`" for part in bounds["pattern"].strip("^$()").split("|")))
    words = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}
    said = " and ".join(
        f"{words[name]} {bounds[name]}" for name in ("ge", "gt", "le", "lt") if name in bounds
    )
    return said or _cell(_kind(field))


def _kind(field: FieldInfo) -> str:
    kinds = [kind for kind in get_args(field.annotation) or (field.annotation,) if kind is not type(None)]
    return " or ".join(_NAMES.get(kind, _choices(kind)) for kind in kinds)


def _choices(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return "a table"
    return f"`{kind}`" if isinstance(kind, str) else str(kind)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.stdout.write(settings_table())
