"""The audit where people work: a pytest plugin and a notebook magic; pre-commit runs ``finassay audit --static``."""
