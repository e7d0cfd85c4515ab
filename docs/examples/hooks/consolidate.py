#!/usr/bin/env python3
"""A consolidate hook. It accepts an outcome only if it lists the changed files, and adds a ledger entry."""
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
