#!/usr/bin/env python3
"""A before_llm_call hook: adds the text of a file, its argument, whenever the model does not have its present text in the context."""
import json
import pathlib
import sys

given = json.load(sys.stdin)
file = pathlib.Path(sys.argv[1])
notices = file.read_text(encoding="utf-8").strip() if file.exists() else ""
seen = [block.get("text", "") for message in given["messages"] for block in message["content"]]
if notices and not any(notices in text for text in seen):
    json.dump({"decision": "modify", "patch": {"append": f"Notices of the operator:\n{notices}"}}, sys.stdout)
