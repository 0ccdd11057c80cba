"""The command line: parse, call, print; no mathematics."""

from tallybayes.cli.app import app, main

__all__ = ["app", "main"]
