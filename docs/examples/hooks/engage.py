#!/usr/bin/env python3
"""An external engage command. It imports `params.rows` into a SQLite file in the workspace, exactly once, without a model.

It may be run again after a crash. The rows and the id of the focus are written in one transaction, so a second run finds
the id and changes nothing.
"""
import json
import os
import sqlite3
import sys

given = json.load(sys.stdin)
rows = given["work_item"]["params"].get("rows")
if not isinstance(rows, list):
    print("params.rows must be a list of objects with name and amount", file=sys.stderr)
    sys.exit(2)  # block: a retry would not help

focus = os.environ["ANIMUS_FOCUS_ID"]
database = sqlite3.connect(os.path.join(given["faculty"]["workspace"], "imports.db"))
with database:  # one transaction
    database.execute("create table if not exists imports (focus_id text primary key)")
    database.execute("create table if not exists rows (name text, amount numeric)")
    first = database.execute("insert or ignore into imports values (?)", (focus,)).rowcount == 1
    if first:
        database.executemany("insert into rows values (:name, :amount)", rows)

json.dump({"outcome": {"imported": len(rows), "again": not first}, "summary": f"imported {len(rows)} rows"}, sys.stdout)
