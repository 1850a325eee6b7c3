"""The knowledge store: records, ports, SQL, vectors, BM25, ingest and enrichment. It may import ``prompts`` only."""
