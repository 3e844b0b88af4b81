"""The economy, one part per file: pure functions of (configuration, seed, block of issuers) to events and quotes."""
