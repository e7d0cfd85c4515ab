/** Programs that run what their arguments name, by what in their arguments that is. */
import { wordSet } from '../../text/word-set.ts';

/** Each word after them may be the beginning of a command. */
export const RUNS_WORDS = wordSet(`
  builtin command coproc exec time ! arch bwrap busybox caffeinate catchsegv cgexec choom chroot chrt cpulimit daemonize dbus-run-session
  doas env entr fakeroot faketime fd fdfind firejail flock gtimeout gosu ionice linux32 linux64 ltrace nice nohup nsenter numactl parallel
  pkexec prlimit proxychains proxychains4 retry rlwrap runcon runuser script setarch setpriv setsid sg ssh ssh-agent start-stop-daemon
  stdbuf strace su su-exec sudo systemd-inhibit systemd-run taskset timeout tmux screen torsocks torify toybox unbuffer unshare valgrind
  viddy watch xargs xvfb-run`);

/** These read a command from a word, as `sh -c` does, from one of their arguments. */
export const RUNS_TEXT = wordSet(`
  compgen complete eval mapfile readarray trap env entr fd fdfind flock parallel runuser screen script sg ssh su tmux viddy watch`);

/** Shells: a command line after `-c`, a script in a file or on standard input. */
export const SHELLS = wordSet('sh bash rbash dash ash zsh ksh ksh93 mksh yash fish csh tcsh posh oksh hush');

/** They read commands from a file or from standard input. */
export const READS_COMMANDS = wordSet('. at batch crontab source');

/** These add words that they read from standard input. */
export const ADDS_WORDS = wordSet('parallel xargs');

/** What follows these words of `find` is a command, up to `;` or `+`. */
export const FIND_ACTIONS = wordSet('-exec -execdir -ok -okdir');

/** After these, a name may stand for another command. */
export const RENAMES = wordSet('alias enable hash');

/** Programs that write where their arguments say, or go there. */
const WRITE = wordSet('awk cd cp curl dd install ln mkdir mv pushd rsync sed tee touch truncate unzip');

/** True if what git runs by itself may be changed: it is configured in these directories. `words`: a target of a redirection, or a command. */
export function changesGit(words: readonly string[]): boolean {
  const isCommand = words.length > 1;
  if (isCommand && !WRITE.has(programName(words[0]!))) return false;
  return words.some((word) => /(^|[/=])(\.git|\.husky|\.gitconfig)(\/|$)/i.test(word));
}

/** True for a program that runs others: a pattern that fits it only by its stars must not allow it. */
export function runsOthers(name: string): boolean {
  return RUNS_WORDS.has(name) || RUNS_TEXT.has(name) || SHELLS.has(name) || READS_COMMANDS.has(name) || name === 'find';
}

/** The name of a program as a person would write it: without its directory and without `.exe`, in lower case. */
export function programName(word: string): string {
  return word
    .slice(word.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/\.exe$/, '');
}
