"""The command line: one module a command group; ``main`` only registers them."""
