"""Adapters that give each trainer's library the pool it expects, one module a library."""
