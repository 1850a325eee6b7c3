"""Continual pretraining with a tiny model of random weights; needs the extra ``cpt``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agents.probes.cpt import ContinualPretrainer, CptSettings, missing
from store.errors import ConfigurationError

NEEDED = pytest.mark.skipif(bool(missing()), reason=missing() or "the extra `cpt` is there")
#: Imports of third parties warn of their own future.
QUIET = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"
)
pytestmark = [pytest.mark.models]

DOCUMENT = (
    "The lounge in Lima opened in 1998 and serves ceviche, coffee and pisco to all guests until midnight."
)
OTHER = "Willi Schneider is a German skeleton racer who won the world cup and coached teams abroad."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A two-layer llama with a byte-level vocabulary of the two documents."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.train_from_iterator(
        [DOCUMENT, OTHER],
        trainers.BpeTrainer(vocab_size=300, special_tokens=["<unk>", "<eos>"], show_progress=False),
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, unk_token="<unk>", eos_token="<eos>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def settings(model: Path, **changed: Any) -> CptSettings:
    return CptSettings(str(model), **{"learning_rate": 5e-3, "new_tokens": 8, **changed})


@NEEDED
@QUIET
def test_the_loss_falls_on_each_document(model: Path, tmp_path: Path) -> None:
    learner = ContinualPretrainer(settings(model), tmp_path)
    for document in (DOCUMENT, OTHER):
        learnt = learner.learn(document)
        assert len(learnt.losses) == 10
        assert learnt.losses[-1] < learnt.losses[0] - 0.1
    assert learner.trained == 2


@NEEDED
@QUIET
def test_an_adapter_read_again_gives_identical_logits_and_costs_no_training(
    model: Path, tmp_path: Path
) -> None:
    import torch

    learner = ContinualPretrainer(settings(model), tmp_path)
    first = learner.learn(DOCUMENT)
    with learner.using(first) as adapted:
        before = learner.logits(adapted, DOCUMENT)
    plain = learner.logits(learner._model, DOCUMENT)
    assert not torch.allclose(before, plain), "the adapter does something"
    again = ContinualPretrainer(settings(model), tmp_path)
    second = again.learn(DOCUMENT)
    assert second.cached
    assert again.trained == 0
    assert second.losses == first.losses
    with again.using(second) as adapted:
        assert torch.equal(again.logits(adapted, DOCUMENT), before)
    assert torch.equal(again.logits(again._model, DOCUMENT), plain), "afterwards it is the base model again"


@NEEDED
@QUIET
def test_training_is_repeatable_and_does_not_touch_the_global_seed(model: Path, tmp_path: Path) -> None:
    import torch

    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    one = ContinualPretrainer(settings(model), tmp_path / "a").learn(DOCUMENT)
    assert torch.equal(torch.rand(3), expected)
    assert ContinualPretrainer(settings(model), tmp_path / "b").learn(DOCUMENT).losses == one.losses


@NEEDED
@QUIET
def test_passages_are_kept_and_each_document_has_its_own_adapter(model: Path, tmp_path: Path) -> None:
    learner = ContinualPretrainer(settings(model), tmp_path)
    passage = learner.write(DOCUMENT, "Where is the lounge?")
    assert passage
    assert learner.write(DOCUMENT, "Where is the lounge?") == passage
    learner.write(DOCUMENT, "When did it open?")
    assert learner.trained == 1
    assert learner.key(DOCUMENT) != learner.key(OTHER)
    assert learner.key(DOCUMENT) != ContinualPretrainer(settings(model, rank=4), tmp_path).key(DOCUMENT)
    again = ContinualPretrainer(settings(model), tmp_path)
    assert again.write(DOCUMENT, "Where is the lounge?") == passage
    assert again.trained == 0
    assert "rank 8, alpha 16, 10 epochs" in learner.name


@NEEDED
@QUIET
def test_a_long_document_is_learnt_in_pieces(model: Path, tmp_path: Path) -> None:
    learner = ContinualPretrainer(settings(model, max_tokens=16, epochs=2), tmp_path)
    assert len(learner.learn(DOCUMENT).losses) == 2
    with pytest.raises(ValueError, match="two tokens"):
        learner.learn("a")


@NEEDED
@QUIET
def test_a_model_that_is_none_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot load the causal model"):
        ContinualPretrainer(CptSettings(str(tmp_path)), tmp_path)


@pytest.mark.skipif(not missing(), reason="the extra `cpt` is installed")
def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="extra `cpt` is not installed"):
        ContinualPretrainer(CptSettings(str(tmp_path)), tmp_path)
