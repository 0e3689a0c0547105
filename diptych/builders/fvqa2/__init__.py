"""`fvqa2`: FixQ and FixA pairs from FVQA's questions and a knowledge graph (FVQA 2.0, Lin et al. 2023)."""
