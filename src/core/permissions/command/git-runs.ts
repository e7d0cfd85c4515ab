/** What a command of git runs. */
import { GIT_COMMANDS, GIT_OPTIONS, GIT_PLAIN_KEY } from './known-programs.ts';
import { operandsOf } from './options.ts';
import { ITSELF, type WhatRuns } from './run-kinds.ts';

/** `rest`: the words after `git`. `more`: what to say of a command that runs hooks, editors, transports or aliases. */
export function gitRuns(rest: readonly string[], more: WhatRuns): WhatRuns {
  const unlisted: WhatRuns = { kind: 'unclear', why: 'what this makes git do is not known in advance' };
  const read = operandsOf(GIT_OPTIONS, rest, true);
  if (read === null) return unlisted;
  const [command, ...words] = read.operands;
  if (command === undefined) return ITSELF;
  if (command === 'config') return isPlainConfig(words) ? ITSELF : unlisted;
  if (command === 'remote') return isPlainRemote(words) ? ITSELF : more;
  const options = Object.hasOwn(GIT_COMMANDS, command) ? GIT_COMMANDS[command] : undefined;
  if (options === undefined) return more;
  // These formats verify signatures, by a program.
  if (words.some((word) => /%G|%\(signature/.test(word))) return unlisted;
  return operandsOf(options, words) === null ? unlisted : ITSELF;
}

function isPlainConfig(words: readonly string[]): boolean {
  const read = operandsOf(
    { flags: 'lz', long: 'get get-all list global local show-origin show-scope bool int' },
    words,
  );
  if (read === null) return false;
  const isReading = words.some((word) => /^(--get(-all)?|--list|-l)$/.test(word)) || read.operands.length === 1;
  return isReading || (read.operands.length === 2 && GIT_PLAIN_KEY.test(read.operands[0]!));
}

function isPlainRemote(words: readonly string[]): boolean {
  const [first, second, ...more] = words;
  if (more.length > 0) return false;
  if (first === undefined || (first === '-v' && second === undefined)) return true;
  return first === 'get-url' && !second?.startsWith('-');
}
