"""Versioned prompt files and their loader. Imports nothing of the project."""

from prompts.loader import Prompt, PromptError, RenderedPrompt, available, load, parse

__all__ = ["Prompt", "PromptError", "RenderedPrompt", "available", "load", "parse"]
