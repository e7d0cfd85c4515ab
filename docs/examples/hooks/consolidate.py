#!/usr/bin/env python3
"""A consolidate hook: accepts an outcome only when it names what it changed, and adds a line to the ledger."""
import json
import sys

given = json.load(sys.stdin)
outcome = given["outcome"]
changed = outcome.get("changed_files") if isinstance(outcome, dict) else None
if not changed:
    print("the outcome does not say which files it changed", file=sys.stderr)
    sys.exit(2)

json.dump(
    {
        "summary": f"{len(changed)} file(s) changed: {', '.join(changed)}",
        "ledger": [{"type": "note", "content": "the outcome was checked by consolidate.py"}],
    },
    sys.stdout,
)
