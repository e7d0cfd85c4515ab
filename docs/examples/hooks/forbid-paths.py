#!/usr/bin/env python3
"""A before_tool_call hook for the file tools: refuses calls that touch forbidden paths of the workspace.

Its arguments are patterns: '.env*' forbids that name in every directory, 'secrets/*' everything below secrets.
"""
import fnmatch
import json
import os
import re
import sys

given = json.load(sys.stdin)
call = given["call"]
root = os.path.realpath(given["faculty"]["workspace"])


def is_forbidden(path):
    """Checks a path below the root: itself, and each directory that it is in."""
    parts = os.path.relpath(path, root).split(os.sep)
    for end in range(1, len(parts) + 1):
        for pattern in sys.argv[1:]:
            name = "/".join(parts[:end]) if "/" in pattern else parts[end - 1]
            # A directory counts when everything below it does.
            if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name + "/", pattern):
                return True
    return False


def paths_of(tool, given_input):
    if tool == "apply_patch":
        return re.findall(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", given_input["patch"], re.M)
    return [given_input.get("path", ".")]


for path in paths_of(call["tool"], call["input"]):
    written = os.path.normpath(os.path.join(root, path))
    real = os.path.realpath(written)
    # Both, because a link may lead to a forbidden file.
    if is_forbidden(written) or is_forbidden(real):
        print(f"{path} may not be used here", file=sys.stderr)
        sys.exit(2)
    if call["tool"] == "grep" and os.path.isdir(real):
        for directory, _, names in os.walk(real):
            if any(is_forbidden(os.path.join(directory, name)) for name in names):
                print(f"{path} contains files that may not be read; search in another directory", file=sys.stderr)
                sys.exit(2)
