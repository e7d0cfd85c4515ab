#!/bin/sh
# An orient hook. Its output is added to the context of the focus. Plain text is enough; JSON can set more.
echo "orienting on $ANIMUS_WORK_ID" >&2
cat >/dev/null # the work item is on stdin; this hook does not use it

if ! command -v git >/dev/null; then
  echo "git is missing on this host" >&2
  exit 2 # block: the work item cannot be done on this host; stderr gives the reason
fi
echo "Today is $(date -u +%A)."
# Without the environment of hooks: what git finds in a workspace, its configuration included, may be an agent's.
env -i PATH="$PATH" git -c core.fsmonitor=false -C "$ANIMUS_FOCUS_DIR" log --oneline -5 2>/dev/null || echo "There is no git history here."
