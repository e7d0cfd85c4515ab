/** Command lines that try to run `canary x` past a rule about `canary *`. Each is one line for bash, which makes the files that it needs. */
import { BY_PROGRAMS } from './evasions-by-programs.ts';
import { BY_SHELL } from './evasions-by-shell.ts';
import { BY_WORDS } from './evasions-by-words.ts';

/** By kind. */
export const EVASIONS: Readonly<Record<string, readonly string[]>> = { ...BY_WORDS, ...BY_PROGRAMS, ...BY_SHELL };

/** Lines that an `auto` rule for their program does not cover: words of them hide a command. */
export const NAMED: readonly (readonly [rule: string, line: string])[] = [
  ['git *', `git -c alias.p='!can""ary x' p`],
  ['git *', `git rebase --exec 'canary x' HEAD~1`],
  ['git *', `git submodule foreach canary x`],
  ['git *', `git log --output=f`],
  ['git *', `git config core.fsmonitor 'can""ary x'`],
  ['env *', `env -S 'can""ary x'`],
  ['env *', 'env LD_PRELOAD=./evil.so ls'],
  ['sort *', 'sort --compress-program=canary f'],
  ['sed *', `sed '1e can""ary x' f`],
  ['awk *', `awk 'BEGIN { system("can" "ary x") }'`],
  ['npm *', `npm exec -c 'canary x'`],
  ['npm *', 'npm exec -- canary x'],
  ['npx *', `npx --call='canary x'`],
  ['ssh *', `ssh -oProxyCommand='canary x' localhost`],
  ['uv *', 'uv run canary x'],
  ['perf *', 'perf stat canary x'],
  ['script *', `script -qc'canary x' /dev/null`],
  ['flock *', `flock f -c 'can""ary x'`],
  ['xargs *', 'xargs -Icat cat x'],
  ['find *', `find . -maxdepth 0 -exec sh -c 'can""ary x' ';'`],
  ['* --version', `python3 -c 'import os' --version`],
  ['*', 'make all'],
];
