#!/usr/bin/env python3
"""An after_tool_call hook: removes what looks like a secret from results, before they are stored and before the model reads them."""
import json
import re
import sys

SECRETS = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"  # keys, also cut ones
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # AWS access key ids
    r"|\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{22,}"  # GitHub tokens
    r"|\bsk-[A-Za-z0-9_-]{20,}"  # API keys of model providers
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"  # Slack tokens
    r"|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+"  # JSON Web Tokens
    r"|(?<=://)[^\s/:@]+:[^\s/@]+(?=@)",  # user:password in a URL
    re.DOTALL,
)
# NAME_TOKEN=value and "password": "value", where the value stands on the same line.
NAMED = re.compile(
    r"""(?i)((?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]*["']?[ \t]*[:=][ \t]*["']?)([^\s"',;]{6,})"""
)

given = json.load(sys.stdin)
result = given["result"]
content = NAMED.sub(r"\1[redacted]", SECRETS.sub("[redacted]", result["content"]))
if content != result["content"]:
    # The details of a changed result are dropped: they are not named here.
    json.dump({"decision": "modify", "reason": "removed what looks like a secret", "patch": {"content": content}}, sys.stdout)
