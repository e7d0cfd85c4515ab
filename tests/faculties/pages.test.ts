/** Commands that README.md and the pages of docs/ name in their text exist. What their blocks say runs in tests/docs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
];
const pages = PAGES.map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

/** In prose, a verb may follow `animus`; in backticks it is a command. */
const INLINE = /`(?:npx )?animus ([a-z][^`\n]*)`/g;

const mentions = pages.flatMap(({ name, text }) => [...text.matchAll(INLINE)].map(([, line = '']) => ({ name, line })));

test.each(mentions)('$name mentions: $line', async ({ line }) => {
  const given = words(line);
  const command = find(await buildProgram(() => async () => {}, { stdout: { write: () => {} } }), given);
  expect(command, `no command: ${line}`).not.toBeNull();
  const known = command!.options.map((option) => option.long);
  expect(known).toEqual(expect.arrayContaining(given.filter((word) => /^--[a-z]/.test(word))));
});

/** Splits words as a shell does: quotes keep words together. */
function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain!,
  );
}

/** The command that the first words name, or null; a group alone also counts. */
function find(command: Command, [word, ...rest]: readonly string[]): Command | null {
  const next = command.commands.find((each) => each.name() === word);
  if (next) return find(next, rest);
  return command.parent === null || (command.commands.length > 0 && word !== undefined && /^[a-z]+$/.test(word))
    ? null
    : command;
}
