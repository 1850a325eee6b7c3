"""The terminal app (Textual). Not built yet: ``evenhand ask`` and ``--thread`` serve meanwhile."""
