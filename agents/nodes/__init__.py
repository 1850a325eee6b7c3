"""The nodes of the graph, one file each: read the state, call one port, return the keys that changed."""
