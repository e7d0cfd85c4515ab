#!/bin/sh
# An orient hook. It prints the recent activity in a git repository; its output is added to the context of the focus.
# Arguments: the repository (relative to this hook, or absolute), and since when.
cat >/dev/null # the work item is on stdin; this hook does not need it
cd "$(dirname "$0")" || exit 1
if ! repository=$(cd "$1" 2>/dev/null && pwd); then
  echo "collect-activity.sh: no directory $1; see args of [faculty.orient]" >&2
  exit 2
fi
if ! error=$(git --no-optional-locks -C "$repository" rev-parse --git-dir 2>&1 >/dev/null); then
  echo "collect-activity.sh: $repository: $error" >&2
  exit 2
fi
# Without optional locks, so that other users of the repository are not disturbed.
git() { command git --no-optional-locks -C "$repository" "$@"; }

echo "Today is $(date -u +%Y-%m-%d). What happened in $(basename "$repository") since $2:"
echo
echo "Commits:"
git log --since="$2" --max-count=200 --format='%h %ad %an: %s' --date=short 2>/dev/null
echo
echo "Files changed most:"
git log --since="$2" --max-count=200 --name-only --format= 2>/dev/null | sed '/^$/d' | sort | uniq -c | sort -rn | head -20
