"""The reasoning: graph, nodes, models, fairness, probes, evaluation. May import ``store`` and ``prompts``."""
