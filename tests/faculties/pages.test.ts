/** What README.md and the pages of docs/ tell users to type: commands exist, TOML is valid. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/catalog/config/load-config.ts';
import { loadFaculties } from '../../src/catalog/faculties.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { FACULTY_TOOL_NAMES } from '../../src/tools/registry.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? `docs/${name}` : [])),
];
const pages = PAGES.map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

const BLOCK = /^```\w*[^\n]*\n([^]*?)^```$/gm;
const INDENTED = /^ {4}((?:npx )?animus [a-z].*)$/gm;
/** In prose, a verb may follow `animus`; in backticks it is a command. */
const INLINE = /`(?:npx )?animus ([a-z][^`\n]*)`/g;

describe('a command that a page shows', () => {
  const lines = pages.flatMap(({ name, text }) => commandLines(text).map((line) => ({ name, line })));

  test('is found on many pages', () => expect(lines.length).toBeGreaterThan(20));

  test.each(lines)('$name: $line', async ({ line }) => {
    const program = await buildProgram(() => async () => {}, { stdout: { write: () => {} } });
    await program.parseAsync(words(line), { from: 'user' });
  });

  const mentions = pages.flatMap(({ name, text }) =>
    [...text.matchAll(INLINE)].map(([, line = '']) => ({ name, line })),
  );

  test.each(mentions)('$name mentions: $line', async ({ line }) => {
    const given = words(line);
    const command = find(await buildProgram(() => async () => {}, { stdout: { write: () => {} } }), given);
    expect(command, `no command: ${line}`).not.toBeNull();
    const known = command!.options.map((option) => option.long);
    expect(known).toEqual(expect.arrayContaining(given.filter((word) => /^--[a-z]/.test(word))));
  });
});

describe('TOML that a page shows', () => {
  const blocks = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/^```toml\n([^]*?)^```$/gm)].flatMap(([, toml = '']) =>
      /^\[\[answer/m.test(toml) ? [] : [{ name, toml, first: toml.split('\n')[0] }],
    ),
  );

  test.each(blocks.filter(({ toml }) => /^\[faculty/m.test(toml)))(
    '$name: $first is a valid faculty',
    ({ name, toml }) => {
      const directory = scratch();
      writeFileSync(join(directory, 'shown.toml'), toml);
      const { problems } = loadFaculties(directory, { toolNames: FACULTY_TOOL_NAMES });
      // The mistakes of the tutorial are intentional; files and the rest of an excerpt are elsewhere.
      const wrong = problems.filter(
        ({ code, message }) =>
          !/got nothing|does not exist|cannot be (read|used)/.test(message) || code === 'config.unknown_key',
      );
      expect(wrong.map(({ message }) => message.slice(directory.length))).toEqual(
        name === 'docs/faculties.md' && toml.includes('max_turn =')
          ? [expect.stringContaining('max_turn: unknown key')]
          : [],
      );
    },
  );

  test.each(blocks.filter(({ toml }) => !/^\[faculty/m.test(toml)))('$name: $first is of animus.toml', ({ toml }) => {
    const directory = scratch();
    writeFileSync(join(directory, 'animus.toml'), toml);
    loadConfig({ env: { HOME: directory }, cwd: directory });
  });
});

/** Lines of blocks that begin with the command, possibly after a prompt, and indented ones. */
function commandLines(text: string): string[] {
  const inBlocks = [...text.matchAll(BLOCK)].flatMap(([, block = '']) =>
    block.split('\n').flatMap((line) => /^(?:\$ )?((?:npx )?animus [a-z].*)$/.exec(line)?.[1] ?? []),
  );
  return [...inBlocks, ...[...text.matchAll(INDENTED)].map(([, line = '']) => line)].map((line) =>
    line.replace(/^(npx )?animus /, '').replace(/\s+(#|> ).*$/, ''),
  );
}

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

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-page-'));
  mkdirSync(directory, { recursive: true });
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
