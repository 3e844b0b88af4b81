"""What several test suites share: real servers, the shared data."""
