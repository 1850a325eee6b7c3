"""Measure the extractor, the router, FARO and WARP against labels, ratings and data that others gave."""
