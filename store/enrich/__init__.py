"""Enrichment: the entity registry, the lexical extractor, stances, and the pipeline that runs them."""
