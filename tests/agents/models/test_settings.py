from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from agents.models.endpoints import ChatModels
from agents.models.settings import EndpointOverride, EndpointSettings, ModelsSettings, Price
from store.errors import ConfigurationError

URL = "http://127.0.0.1:8000/v1"


def test_nothing_configured_means_no_model() -> None:
    assert ModelsSettings().for_role("generator") is None
    assert ChatModels(ModelsSettings()).for_role("router") is None


def test_one_endpoint_for_all_roles() -> None:
    settings = ModelsSettings(base_url=URL, model="m", api_key="k")  # type: ignore[arg-type]
    assert settings.for_role("router") == settings.for_role("generator")
    models = ChatModels(settings)
    assert models.for_role("router") is models.for_role("generator")


def test_a_role_of_its_own() -> None:
    settings = ModelsSettings(base_url=URL, model="m", extractor=EndpointOverride(model="big"))
    extractor = settings.for_role("extractor")
    assert extractor is not None
    assert (extractor.base_url, extractor.model) == (URL, "big")
    models = ChatModels(settings)
    assert models.for_role("extractor") is not models.for_role("generator")


def test_a_key_belongs_to_one_server() -> None:
    settings = ModelsSettings(
        base_url=URL,
        model="m",
        api_key="k",  # type: ignore[arg-type]
        generator=EndpointOverride(base_url="https://api.example.com/v1"),
        verifier=EndpointOverride(model="v"),
    )
    generator, verifier = settings.for_role("generator"), settings.for_role("verifier")
    assert generator is not None
    assert generator.key() is None
    assert verifier is not None
    assert verifier.key() == "k"


def test_half_an_endpoint_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match=r"models\.model"):
        ModelsSettings(base_url=URL).for_role("generator")


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ftp://x/v1", "http://user:pw@x/v1", "http://x/v1?key=s", "http://"]
)
def test_addresses_are_plain(url: str) -> None:
    with pytest.raises(ValidationError, match="base_url") as caught:
        EndpointSettings(base_url=url, model="m")
    assert "pw" not in str(caught.value)


def test_a_misspelt_key_is_an_error_that_shows_no_value() -> None:
    with pytest.raises(ValidationError, match="api_kye") as caught:
        EndpointSettings(base_url=URL, model="m", api_kye="sk-secret")  # type: ignore[call-arg]
    assert "sk-secret" not in str(caught.value)


def test_the_key_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    settings = EndpointSettings(base_url=URL, model="m", api_key_file=file)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        settings.key()
    file.write_text("")
    with pytest.raises(ConfigurationError, match="is empty"):
        settings.key()
    file.write_text("sk-from-file\n")
    assert settings.key() == "sk-from-file"


def test_settings_do_not_show_the_key() -> None:
    settings = EndpointSettings(base_url=URL, model="m", api_key="sk-secret")  # type: ignore[arg-type]
    assert "sk-secret" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"


def test_price() -> None:
    assert Price(prompt_per_million=2, completion_per_million=8).cost(1000, 500) == pytest.approx(0.006)
