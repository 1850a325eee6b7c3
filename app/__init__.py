"""The faces: command line, terminal app, views, and the composition root. Owns no logic."""
