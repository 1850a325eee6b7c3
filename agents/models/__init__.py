"""Language models: clients of OpenAI-compatible endpoints, and the embedded parts that need no model.

Owns the chat and embedding adapters, their settings, limits, quirks and failures, structured output, and what is
built on them: extraction, generation, routing, claims. May import ``store``, ``prompts`` and ``agents.fencing``; the
openai library is loaded by the first call, not by the import.
"""
