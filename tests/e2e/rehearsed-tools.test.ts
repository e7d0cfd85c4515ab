import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../cli/run-cli.ts';
import { png } from '../support/media-files.ts';

const CALLS = [
  ['grep', '{ pattern = "salt", output = "files" }'],
  ['glob', '{ pattern = "*.txt", sort = "time" }'],
  ['bash', '{ command = "wc -l < book.txt" }'],
  ['read_file', '{ path = "dot.png" }'],
  ['read_file', '{ path = "sums.ipynb" }'],
  [
    'edit_file',
    '{ path = "book.txt", edits = [{ old_string = "one", new_string = "1" }, { old_string = "two", new_string = "2" }] }',
  ],
] as const;

test('`animus faculty test` plays searches, commands, edits, pictures and notebooks', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'rehearsed-tools-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const tools = [...new Set(CALLS.map(([tool]) => `"${tool}"`))].join(', ');
  const turns = CALLS.map(
    ([tool, input], n) => `[[answer]]\nturn = ${n + 1}\n[[answer.call]]\ntool = "${tool}"\ninput = ${input}\n`,
  );
  const cell = { cell_type: 'code', source: ['1 + 1'], metadata: {}, execution_count: 1, outputs: [] };
  const files = {
    'faculties/clerk.toml': `[faculty]\nname = "clerk"\nworkspace = ".."\n[faculty.permissions]\nbash = "auto"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "You keep the books."\ntools = [${tools}]\n`,
    'sample/book.txt': 'one\ntwo salt\n',
    'sample/.gitignore': 'made/\n',
    'sample/made/salt.txt': 'salt\n',
    'sample/dot.png': png(20, 20),
    'sample/sums.ipynb': JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }),
    'script.toml': `${turns.join('')}[[answer]]\nturn = ${CALLS.length + 1}\ntext = "Done."\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  const argv = ['faculty', 'test', 'clerk', 'script.toml', '--workspace', 'sample', '--json'];
  const ran = await run(argv, { cwd, env: { ANIMUS_HOME: join(cwd, 'home') } });
  expect(ran.code, ran.stdout + ran.stderr).toBe(0);
  for (const words of ['book.txt', 'left out as ignored', 'image/png', '1 + 1', 'Edited book.txt'])
    expect(ran.stdout).toContain(words);
});
