#!/bin/sh
# An orient hook: what it prints becomes context of the focus. Text is enough; JSON is for more than text.
echo "orienting on $ANIMUS_WORK_ID" >&2
cat >/dev/null # the work item is on stdin; this hook does not need it

if ! command -v git >/dev/null; then
  echo "git is missing on this host" >&2
  exit 2 # block: the work item cannot be done here, and stderr says why
fi
echo "Today is $(date -u +%A)."
# Without the environment of hooks: what git finds in a workspace, its configuration included, may be an agent's.
env -i PATH="$PATH" git -c core.fsmonitor=false -C "$ANIMUS_FOCUS_DIR" log --oneline -5 2>/dev/null || echo "There is no git history here."
