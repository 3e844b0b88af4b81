"""The as-of proxy, met by the clients that people have."""
