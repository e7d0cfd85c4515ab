/** Whether a command is known to run nothing but its program: decided by closed lists, because nobody can list all programs that run others. */

import { UNKNOWN } from '../text/wildcard.ts';
import { isPlainAwk, isPlainSed } from './editing-scripts.ts';
import { gitRuns } from './git-runs.ts';
import {
  BEFORE_COMMANDS,
  EXPORTS,
  PRINT_VERSION,
  RUN_NOTHING,
  SHELL_OPTIONS,
  TAKE_NAMES,
  WITH_OPTIONS,
} from './known-programs.ts';
import { operandsOf, WITHIN_WORD } from './options.ts';
import { ITSELF, type WhatRuns } from './run-kinds.ts';
import { FIND_ACTIONS, programName, READS_COMMANDS, SHELLS } from './runners.ts';
import { isExportable, isOrdinaryVariable } from './variables.ts';

/** So many programs that run the command after them may stand before each other. */
const MAX_RUNNERS = 8;

/** `words`: those of one command, its name first, with `UNKNOWN` and `WITHIN_WORD` for what is not known of them. `depth`: programs that run it. */
export function whatRuns(words: readonly string[], depth = 0): WhatRuns {
  if (depth > MAX_RUNNERS) return { kind: 'unclear', why: 'its commands are nested too deeply' };
  const [first = '', ...rest] = words;
  if (first.includes(UNKNOWN) || first.includes(WITHIN_WORD))
    return { kind: 'unclear', why: 'the name of a command is only known when it runs' };
  const name = programName(first);
  const more: WhatRuns = { kind: 'more', why: `${name} may run other programs`, rest: words };
  const directory = first.slice(0, first.lastIndexOf('/') + 1);
  if (directory !== '' && !/^(\/usr(\/local)?)?\/s?bin\/$/.test(directory))
    return { ...more, why: `${first} may be any program` };
  if (Object.hasOwn(BEFORE_COMMANDS, name)) return ofRunner(name, rest, more, depth + 1);
  if (rest.length === 1 && rest[0] === '--version' && PRINT_VERSION.has(name)) return ITSELF;
  if (name === 'find') return ofFind(rest, depth + 1);
  if (SHELLS.has(name)) return ofShell(name, rest, more);
  if (name === 'git') return gitRuns(rest, more);
  if (name === 'eval' || name === 'trap') return ITSELF;
  if (READS_COMMANDS.has(name)) return more;
  const known = isKnown(name, rest);
  if (known === null) return more;
  return known ? ITSELF : unlisted(name);
}

/** True if nothing runs that is not found: the program is known, and so are its options. Null if the program is not known. */
function isKnown(name: string, rest: readonly string[]): boolean | null {
  if (RUN_NOTHING.has(name)) return true;
  if (Object.hasOwn(WITH_OPTIONS, name)) return operandsOf(WITH_OPTIONS[name]!, rest) !== null;
  if (Object.hasOwn(TAKE_NAMES, name)) return namesAreOrdinary(name, rest);
  switch (name) {
    case 'printf':
      return rest[0] === '--' || !['', '-', UNKNOWN, WITHIN_WORD].includes(rest[0]?.[0] ?? '');
    case 'set':
      return setsPlainly(rest);
    case 'sed':
      return isPlainSed(rest);
    case 'awk':
    case 'gawk':
    case 'mawk':
      return isPlainAwk(rest);
    default:
      return null;
  }
}

function unlisted(name: string): WhatRuns {
  return { kind: 'unclear', why: `what this makes ${name} do is not known in advance` };
}

/** Not `-a` and `-k`, which pass variables on, and nothing that is only known later. */
function setsPlainly(rest: readonly string[]): boolean {
  for (const [at, word] of rest.entries()) {
    const isName = /^[-+][A-Za-z]*o$/.test(rest[at - 1] ?? '');
    if (word.includes(UNKNOWN) || word.startsWith(WITHIN_WORD) || (isName && /^(allexport|keyword)$/.test(word)))
      return false;
    if (!isName && !/^[-+]/.test(word)) return true;
    if (word === '--' || word === '-') return true;
    if (!isName && !/^[-+][bBCeEfhHmnPpTtuvx]*o?$/.test(word)) return false;
  }
  return true;
}

function namesAreOrdinary(name: string, rest: readonly string[]): boolean {
  const read = operandsOf(TAKE_NAMES[name]!, rest);
  if (read === null) return false;
  // An index is evaluated. `local` and the like keep the attribute of a variable that is passed on.
  return [...read.operands, ...rest].every((word) => {
    const variable = /^([^=+]*)\+?=/.exec(word)?.[1] ?? word;
    if (/\[/.test(variable)) return false;
    return EXPORTS.has(name) && read.operands.includes(word) ? isExportable(variable) : isOrdinaryVariable(variable);
  });
}

/** A program that runs the command after its options. */
function ofRunner(name: string, rest: readonly string[], more: WhatRuns, depth: number): WhatRuns {
  const { operands: before = 0, assigns = false, ...options } = BEFORE_COMMANDS[name]!;
  if (name === 'command' && /^-[vV]+$/.test(rest[0] ?? '')) return ITSELF;
  const read = operandsOf(options, rest, true);
  if (read === null) return unlisted(name);
  let { operands } = read;
  if (operands.slice(0, before).some((word) => word.includes(UNKNOWN))) return unlisted(name);
  operands = operands.slice(before);
  if (assigns) {
    const command = operands.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const set = command < 0 ? operands : operands.slice(0, command);
    if (set.some((word) => !isExportable(word.split('=', 1)[0]!))) return unlisted(name);
    operands = operands.slice(set.length);
  }
  if (operands.length === 0) return name === 'sudo' || name === 'doas' ? more : ITSELF;
  // Such as `-c` after the operand of flock.
  if (operands[0]!.startsWith('-')) return unlisted(name);
  if (name !== 'xargs') return whatRuns(operands, depth);
  const at = rest.slice(0, read.start).findLastIndex((word) => INSERTS.test(word));
  const replaced = INSERTS.exec(rest[at] ?? '')?.[1] || rest[at + 1];
  if (at < 0 || replaced === undefined) return whatRuns([...operands, WITHIN_WORD], depth);
  return whatRuns(
    operands.map((word) => word.replaceAll(replaced, WITHIN_WORD)),
    depth,
  );
}

/** The option of xargs that names the text that it replaces by what it reads. */
const INSERTS = /^-[0rtpx]*I(.*)$/s;

function ofFind(rest: readonly string[], depth: number): WhatRuns {
  // An expansion may be an action, or the beginning of one. One word before an option is not a command, whatever it is.
  const known = rest[0]?.startsWith(WITHIN_WORD) && (rest[1] ?? '-').startsWith('-') ? rest.slice(1) : rest;
  if (rest.some((word) => word.includes(UNKNOWN)) || known.some((word) => word.startsWith(WITHIN_WORD)))
    return unlisted('find');
  for (const [at, word] of rest.entries()) {
    if (!FIND_ACTIONS.has(word)) continue;
    const end = rest.findIndex((other, place) => place > at && (other === ';' || other === '+'));
    if (end < 0) return unlisted('find');
    // A path that it finds begins with where it looks, which is not an option.
    const command = rest.slice(at + 1, end).map((each) => each.replaceAll('{}', `./${WITHIN_WORD}`));
    if (rest.slice(at + 1, end)[0]?.includes('{}')) return unlisted('find');
    const inner = whatRuns(command, depth);
    if (inner.kind !== 'itself') return inner;
  }
  return ITSELF;
}

/** The command line after `-c` is found by `startsOf`, and so is one on standard input. */
function ofShell(name: string, rest: readonly string[], more: WhatRuns): WhatRuns {
  const read = operandsOf(SHELL_OPTIONS, rest, true);
  if (read === null) return unlisted(name);
  const options = rest.slice(0, read.start);
  const isText = options.some((word) => /^-[a-z]*[cs]/.test(word) || word === '--command');
  return isText || read.operands.length === 0 || /^\/dev\/stdin$/.test(read.operands[0]!) ? ITSELF : more;
}
