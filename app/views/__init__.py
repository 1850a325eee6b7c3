"""Pure text rendering of receipts, bars, tables and exports, for every face; imports records, does no I/O."""
