#!/usr/bin/env -S -i PATH=${PATH} HOME=${HOME} LANG=${LANG} ANIMUS_FOCUS_DIR=${ANIMUS_FOCUS_DIR} ANIMUS_SPAWN_ID=${ANIMUS_SPAWN_ID} python3
"""A consolidate hook. It checks that every quotation of the answer is in the document that it names.

Exit code 2 refuses the answer; stderr gives the reason. White space may differ, words may not.
"""
import json
import os
import sys

MAX_CHARACTERS = 10_000_000


def words(text):
    return " ".join(text.split())


given = json.load(sys.stdin)
library = os.path.realpath(given["faculty"]["workspace"])
wrong = []
for source in given["outcome"]["sources"]:
    path = os.path.realpath(os.path.join(library, source["file"]))
    if os.path.commonpath([library, path]) != library or not os.path.isfile(path):
        wrong.append(f"{source['file']}: there is no such document")
        continue
    with open(path, encoding="utf-8", errors="replace") as document:
        if words(source["quote"]) not in words(document.read(MAX_CHARACTERS)):
            wrong.append(f"{source['file']}: does not say “{source['quote']}”")

if wrong:
    print("; ".join(wrong), file=sys.stderr)
    sys.exit(2)

count = len(given["outcome"]["sources"])
json.dump({"ledger": [{"type": "note", "content": f"{count} quotation(s) checked against the documents"}]}, sys.stdout)
