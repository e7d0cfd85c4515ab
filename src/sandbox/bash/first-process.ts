/**
 * The first process of a container for commands: a POSIX shell script without other programs, because the image is the faculty's choice. It
 * kills what commands leave behind, and ends with its standard input, which ends the container.
 */

/** The environment variable by which a command's processes are told apart from those of other commands. */
export const COMMAND_MARK = 'ANIMUS_SPAWN_ID';

/** The lines that it prints first: its mounts, each after this word, and then that it is ready. */
export const MOUNT = 'mount';
export const READY = 'ready';

/**
 * Reads lines `TOKEN SIGNAL ROUNDS [PID:MARK …]` and sends the signal to every process in the container but those of the commands that are
 * listed, until none is left or the rounds are over. Answers `TOKEN LEFT REFUSED KILLED`: how many processes were found in the last round,
 * how often the kernel has refused a fork for lack of `pids`, and how many processes it has killed for lack of memory. Not every engine
 * tells of the latter.
 *
 * Without a list it is `kill -1`, which signals all processes at once, so no fork escapes. With one, a process belongs to a command if that
 * is its ancestor, leads its session, or is named by its environment. Processes of one focus are not protected from each other, so one that
 * pretends to belong to another command only lives as long as that one.
 *
 * `jobs` makes every shell reap the processes that it has inherited. It forks nothing, which would end it where the limit is reached.
 */
export const FIRST_PROCESS = `
spared() {
  a=$1 depth=0
  while [ "$a" -gt 1 ] && [ "$depth" -lt 500 ]; do
    for s in $spares; do [ "$a" = "\${s%%:*}" ] && return 0; done
    eval "a=\\\${parent_$a:-0}"
    depth=$((depth + 1))
  done
  eval "session=\\\${session_$1:-0}"
  for s in $spares; do [ "$session" = "\${s%%:*}" ] && return 0; done
  text=
  while IFS= read -r text || [ -n "$text" ]; do
    for s in $spares; do
      case $text in *"${COMMAND_MARK}=\${s#*:}"*) return 0 ;; esac
    done
    text=
  done < "/proc/$1/environ"
  return 1
} 2>/dev/null
scan() {
  found=
  for d in /proc/[0-9]*; do
    p=\${d#/proc/}
    [ "$p" = 1 ] && continue
    line=
    { IFS= read -r line < "$d/stat"; } 2>/dev/null
    set -- \${line##*) }
    case \${1:-X} in Z | X) continue ;; esac
    case \${2:-x}\${4:-x} in
      *[!0-9]*) eval "parent_$p=0 session_$p=0" ;;
      *) eval "parent_$p=$2 session_$p=$4" ;;
    esac
    found="$found $p"
  done
}
sweep() {
  [ -n "$spares" ] || kill "-$1" -1 2>/dev/null
  scan
  left=0
  for p in $found; do
    if [ -n "$spares" ] && spared "$p"; then continue; fi
    left=$((left + 1))
    kill "-$1" "$p" 2>/dev/null
  done
  jobs >/dev/null 2>&1
}
shortages() {
  refused=0 killed=0
  for file in /sys/fs/cgroup/pids.events /sys/fs/cgroup/pids/pids.events; do
    while read -r name value; do [ "$name" = max ] && refused=$value; done < "$file"
  done
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    while read -r name value; do [ "$name" = oom_kill ] && killed=$value; done < "$file"
  done
} 2>/dev/null
while IFS= read -r line; do printf '${MOUNT} %s\\n' "$line"; done < /proc/self/mountinfo
echo ${READY}
while read -r token signal rounds spares; do
  while :; do
    sweep "$signal"
    rounds=$((rounds - 1))
    if [ "$left" = 0 ] || [ "$rounds" -le 0 ]; then break; fi
  done
  shortages
  echo "$token $left $refused $killed"
done
`;

/**
 * Runs a command below itself and reports on stderr, by lines that begin with NUL and the command's mark, that it has started (with the id of
 * its process) and that the command has ended. What the command left behind may keep the streams open after that. What the shell itself says
 * about a command that was killed is dropped.
 * The first argument is the mark, then program and arguments; `bash` is `sh` where the image has none.
 */
export const COMMAND_FRAME = `
mark=$1 program=$2
shift 2
trap : TERM
[ "$program" != bash ] || command -v bash >/dev/null 2>&1 || program=sh
exec 3>&2 2>/dev/null
printf '\\000%s started %s\\n' "$mark" "$$" >&3
(exec 2>&3 3>&-; exec "$program" "$@")
code=$?
printf '\\000%s ended %s\\n' "$mark" "$code" >&3
exit "$code"
`;
