"""Files become documents: readers, mapping, cleaning, chunking, and the ledger whose books balance."""
