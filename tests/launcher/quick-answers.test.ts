import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { HELP_FILE, helpTexts } from '../../scripts/help-texts.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { quickAnswer } from '../../src/quick-answers.js';

let printed = '';
const terminal = { columns: 100, write: (text: string) => void (printed += text) };
const program = await buildProgram(() => async () => {}, { stdout: terminal });
const WIDTHS = [1, 20, 39, 40, 41, 60, 79, 80, 81, 100, 120, 133, 200, 500];

test('src/help.json is what the commands say; otherwise run: npm run help', async () => {
  expect(readFileSync(HELP_FILE, 'utf8')).toBe(await helpTexts());
});

test.each(commandsOf(program, []))(
  'the help of animus $path is what commander prints, at every width',
  async ({ path, command }) => {
    for (const columns of WIDTHS) {
      terminal.columns = columns;
      printed = '';
      command.outputHelp();
      const argv = path === '' ? [] : path.split(' ');
      for (const help of ['--help', '-h']) expect(answer([...argv, help], columns), `${columns}`).toBe(printed);
    }
  },
);

test('the version, and the help of the program, which is the answer to no word at all', () => {
  expect([answer(['--version']), answer(['-V'])]).toEqual(['animus 1.2.3\n', 'animus 1.2.3\n']);
  expect(answer([])).toBe(answer(['--help']));
});

test.each([
  'status',
  'help',
  'wrok --help',
  'work show 1234 --help',
  'status --json --help',
  'status --version',
  '--version --help',
  'completion words -- --help',
])('%s is for the program to answer', (line) => {
  expect(answer(line.split(' '))).toBeNull();
});

function answer(argv: readonly string[], columns = 100): string | null {
  return quickAnswer(argv, { columns, version: () => '1.2.3' });
}

function commandsOf(command: Command, path: readonly string[]): { readonly path: string; readonly command: Command }[] {
  const inner = command.commands.flatMap((each) => commandsOf(each, [...path, each.name()]));
  return [{ path: path.join(' '), command }, ...inner];
}
