"""Continual pretraining: a causal model learns one document by LoRA, then writes the passage (HyDE-CPT, Query2Doc-CPT).

The rewriting paper's section 3.4: rank 8, alpha 16, 10 epochs a document. It trains on the very document that should be
found, so it is a method of the laboratory and not a way to answer. Needs the extra ``cpt`` (transformers, peft, torch);
the model is a folder, or a name that the user chose. Adapters and passages are kept by the hash of what made them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import prompts
from agents.fencing import neutralise
from agents.models.cache import FolderCache
from store.errors import ConfigurationError

HINT: Final = "run `pip install 'evenhand[cpt]'`"


@dataclass(frozen=True, slots=True)
class CptSettings:
    """How a document is learnt and a passage written.

    Attributes
    ----------
    model
        Folder of a Hugging Face causal model with its tokenizer, or its name.
    epochs
        Passes over the document.
    max_tokens
        Longest piece of the document in one step.
    new_tokens
        Longest passage.
    device
        ``cpu``, ``cuda`` ...
    """

    model: str
    rank: int = 8
    alpha: int = 16
    epochs: int = 10
    learning_rate: float = 2e-4
    max_tokens: int = 512
    new_tokens: int = 160
    seed: int = 0
    device: str = "cpu"


@dataclass(frozen=True, slots=True)
class Learnt:
    """An adapter: its folder, the mean loss (nats a token) of each epoch, and whether it was there already."""

    folder: Path
    losses: tuple[float, ...]
    cached: bool


class ContinualPretrainer:
    """Learns documents, one adapter each, and writes passages with them. One document at a time; not for threads.

    Parameters
    ----------
    settings
        The model and how it is trained.
    folder
        Where adapters and passages are kept.

    Raises
    ------
    ConfigurationError
        The extra is not installed, or the model cannot be loaded.
    """

    def __init__(self, settings: CptSettings, folder: Path) -> None:
        self.settings = settings
        self._folder = folder
        self._passages = FolderCache(folder / "passages")
        self._tokenizer, self._model = _load(settings)
        self._base = _weights_hash(self._model)
        self.trained = 0
        """Documents trained by this object: what was cached does not count."""

    @property
    def name(self) -> str:
        """The model, and how it is trained."""
        s = self.settings
        return f"{Path(s.model).name} (LoRA rank {s.rank}, alpha {s.alpha}, {s.epochs} epochs a document)"

    def key(self, document: str) -> str:
        """Return the hex key of a document's adapter: text, base weights and settings."""
        made = {k: v for k, v in asdict(self.settings).items() if k not in ("model", "device", "new_tokens")}
        content = json.dumps([document, self._base, made], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def learn(self, document: str) -> Learnt:
        """Return the document's adapter, trained where it is not there yet.

        Raises
        ------
        ValueError
            The document has fewer than two tokens.
        """
        folder = self._folder / "adapters" / self.key(document)
        if (folder / "losses.json").is_file():
            return Learnt(folder, tuple(json.loads((folder / "losses.json").read_text())), True)
        with self._adapted() as model:
            losses = self._train(model, document)
            part = folder.with_name(f".{os.getpid()}.{folder.name}")
            part.parent.mkdir(parents=True, exist_ok=True)
            model.save_pretrained(str(part))
            (part / "losses.json").write_text(json.dumps(losses))
            # Whole or not at all: a run that is killed leaves no half adapter behind.
            shutil.rmtree(folder, ignore_errors=True)
            part.rename(folder)
        self.trained += 1
        return Learnt(folder, tuple(losses), False)

    def write(self, document: str, question: str) -> str:
        """Return what the model writes for the question after learning the document (greedy); it may be nothing."""
        prompt = prompts.load("hyde")
        content = ["passage", self.key(document), prompt.sha256, question, self.settings.new_tokens]
        key = hashlib.sha256(json.dumps(content).encode()).hexdigest()
        held = self._passages.get(key)
        if held is not None and "passage" in held:
            return str(held["passage"])
        with self.using(self.learn(document)) as model:
            passage = self._generate(model, question)
        self._passages.put(key, {"question": question, "passage": passage})
        return passage

    @contextmanager
    def using(self, learnt: Learnt) -> Iterator[Any]:
        """Give the model with an adapter that was learnt; afterwards it is the base model again."""
        from peft import PeftModel

        model = PeftModel.from_pretrained(self._model, str(learnt.folder))
        try:
            yield model.eval()
        finally:
            self._model = model.unload()

    def logits(self, model: Any, text: str) -> Any:
        """Return the logits of a text, shape (1, tokens, vocabulary)."""
        import torch

        with torch.no_grad():
            return model(input_ids=self._ids(text)).logits

    @contextmanager
    def _adapted(self) -> Iterator[Any]:
        """Give the model with a fresh adapter, initialised by the seed; afterwards it is the base model again."""
        import torch
        from peft import LoraConfig, get_peft_model

        s = self.settings
        config = LoraConfig(
            task_type="CAUSAL_LM", r=s.rank, lora_alpha=s.alpha, lora_dropout=0.0, target_modules="all-linear"
        )
        with torch.random.fork_rng():
            torch.manual_seed(s.seed)
            model = get_peft_model(self._model, config)
            try:
                yield model
            finally:
                self._model = model.unload()

    def _train(self, model: Any, document: str) -> list[float]:
        import torch

        ids, size = self._ids(document), self.settings.max_tokens
        if ids.shape[1] < 2:
            raise ValueError("the document has fewer than two tokens")
        # A last piece of one token predicts nothing.
        pieces = [piece for piece in torch.split(ids, size, dim=1) if piece.shape[1] > 1]
        trained = [p for p in model.parameters() if p.requires_grad]
        optimiser = torch.optim.AdamW(trained, lr=self.settings.learning_rate, weight_decay=0.0)
        model.train()
        losses = []
        for _ in range(self.settings.epochs):
            total, tokens = 0.0, 0
            for piece in pieces:
                loss = model(input_ids=piece, labels=piece).loss
                loss.backward()
                optimiser.step()
                optimiser.zero_grad()
                total += float(loss.detach()) * (piece.shape[1] - 1)
                tokens += piece.shape[1] - 1
            losses.append(total / tokens)
        model.eval()
        return losses

    def _generate(self, model: Any, question: str) -> str:
        import torch

        rendered = prompts.load("hyde").render(question=neutralise(question))
        ids = self._prompt_ids(rendered.system, rendered.user)
        with torch.no_grad():
            made = model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=self.settings.new_tokens,
                do_sample=False,
                pad_token_id=self._tokenizer.eos_token_id,
            )
        text = self._tokenizer.decode(made[0, ids.shape[1] :], skip_special_tokens=True)
        return " ".join(text.split())

    def _prompt_ids(self, system: str, user: str) -> Any:
        if not self._tokenizer.chat_template:
            return self._ids(f"{system}\n\n{user}")
        text = self._tokenizer.apply_chat_template(
            [{"role": "system", "content": system}, {"role": "user", "content": user}],
            tokenize=False,
            add_generation_prompt=True,
        )
        encoded = self._tokenizer(text, return_tensors="pt", add_special_tokens=False)
        return encoded.input_ids.to(self.settings.device)

    def _ids(self, text: str) -> Any:
        return self._tokenizer(text, return_tensors="pt").input_ids.to(self.settings.device)


def missing() -> str:
    """Return why nothing can be pretrained here, or an empty string when it can."""
    from importlib.util import find_spec

    absent = [name for name in ("torch", "transformers", "peft") if find_spec(name) is None]
    return f"the extra `cpt` is not installed ({', '.join(absent)} missing)" if absent else ""


def _load(settings: CptSettings) -> tuple[Any, Any]:
    if reason := missing():
        raise ConfigurationError(reason, HINT)
    if Path(settings.model).exists():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(settings.model)
        model = AutoModelForCausalLM.from_pretrained(settings.model).float().to(settings.device).eval()
    except (OSError, ValueError, RuntimeError) as error:
        raise ConfigurationError(
            f"cannot load the causal model `{settings.model}` ({str(error).splitlines()[0]})",
            "give a folder with a Hugging Face causal model and its tokenizer",
        ) from error
    return tokenizer, model


def _weights_hash(model: Any) -> str:
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(tensor.detach().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]


__all__ = ["ContinualPretrainer", "CptSettings", "Learnt", "missing"]
