#!/usr/bin/env python3
"""An external engage: imports the rows of `params.rows` into a SQLite file of the workspace, once, without any model.

It may be run again after a crash. The rows and the id of the focus are written in one transaction, so that a second run
finds the id and changes nothing.
"""
import json
import os
import sqlite3
import sys

given = json.load(sys.stdin)
rows = given["work_item"]["params"].get("rows")
if not isinstance(rows, list):
    print("params.rows must be a list of objects with name and amount", file=sys.stderr)
    sys.exit(2)  # block: to try again would not help

focus = os.environ["ANIMUS_FOCUS_ID"]
database = sqlite3.connect(os.path.join(given["faculty"]["workspace"], "imports.db"))
with database:  # one transaction
    database.execute("create table if not exists imports (focus_id text primary key)")
    database.execute("create table if not exists rows (name text, amount numeric)")
    first = database.execute("insert or ignore into imports values (?)", (focus,)).rowcount == 1
    if first:
        database.executemany("insert into rows values (:name, :amount)", rows)

json.dump({"outcome": {"imported": len(rows), "again": not first}, "summary": f"imported {len(rows)} rows"}, sys.stdout)
