"""Retriever-bias probes. Not built yet."""
