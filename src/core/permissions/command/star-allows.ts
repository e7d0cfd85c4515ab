/** What a star at the end of a pattern allows that its words do not say. */
import { BEFORE_COMMANDS, WITH_OPTIONS } from './known-programs.ts';
import { programName, READS_COMMANDS, RUNS_TEXT, RUNS_WORDS, SHELLS } from './runners.ts';

/** By program: words with which it writes a file or runs another program. */
const EXAMPLES: Readonly<Record<string, string>> = {
  awk: `'BEGIN { system("rm x") }'`,
  diff: '-l',
  find: '. -delete',
  git: '--output=FILE',
  rg: '--pre=PROGRAM',
  sed: `'1e rm x'`,
  sort: '--compress-program=PROGRAM',
  split: '--filter=COMMAND',
  tar: '--to-command=COMMAND',
};
const INTERPRETER = /^(python|node|perl|ruby|php|lua|deno|bun)[\d.]*$/;

/** A command that an `auto` rule with this pattern allows, and its writer may not expect; null if there is none. */
export function starAllows(pattern: string): string | null {
  if (!pattern.endsWith('*') && !pattern.startsWith('*')) return null;
  if (pattern.startsWith('*')) return pattern === '*' ? null : `rm -rf -- .${pattern.slice(1)}`;
  const stem = pattern.replace(/ ?\*.*$/, '');
  const name = programName(stem.split(' ', 1)[0]!);
  const example = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
  if (example !== undefined) return `${stem} ${example}`;
  if (INTERPRETER.test(name) && stem === name) return `${stem} -${name.startsWith('python') ? 'c' : 'e'} CODE`;
  const runs = [RUNS_WORDS, RUNS_TEXT, SHELLS, READS_COMMANDS].some((programs) => programs.has(name));
  if ((runs || Object.hasOwn(BEFORE_COMMANDS, name)) && stem === name) return `${stem} rm x`;
  return Object.hasOwn(WITH_OPTIONS, name) && stem === name ? `${stem} with any option` : null;
}
