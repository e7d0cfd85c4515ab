import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../../../../src/cli/program.ts';
import { askPerson } from '../../../../src/store/transcript/approvals.ts';
import { run } from '../../../cli/run-cli.ts';
import { beginFocus, recordCalls } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';

// The skill is read by agents, which do what it says: each of its commands has to work as it is written.
const ROOT = new URL('../../../../', import.meta.url).pathname;
const FOLDER = join(ROOT, 'skills/operating-animus');
const TEXTS = ['SKILL.md', 'references/troubleshooting.md'].map((name) => readFileSync(join(FOLDER, name), 'utf8'));
const target = testDatabase();
let cwd: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'operating-'));
  mkdirSync(join(cwd, 'faculties'));
  const engage = '[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\n';
  writeFileSync(join(cwd, 'faculties/engineer.toml'), `[faculty]\nname = "engineer"\n${engage}`);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The commands of the code blocks, without comments. */
const blocks = TEXTS.flatMap((text) => [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block ?? ''));
const commands = blocks.flatMap((block) =>
  block
    .split('\n')
    .map((line) => line.replace(/ {2,}#.*/, '').trim())
    .filter(Boolean),
);
/** The commands within sentences. */
const inline = TEXTS.flatMap((text) =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`(?:\w+=\w+ |npx )?(animus [^`]+)`/g)].map(
    ([, line]) => line ?? '',
  ),
);

describe('each command of the skill works', () => {
  test.each([...new Set(commands)])('%s', async (line) => {
    const env = { DATABASE_URL: target.connectionString, ANIMUS_HOME: join(cwd, 'home') };
    const argv = await filledIn(words(line));
    const ran = await run(argv, { cwd, env });
    expect(ran, ran.stderr + ran.stdout).toMatchObject({ code: 0 });
  });

  test.each([...new Set(inline)])('in a sentence: %s', async (line) => {
    const argv = words(line.replace(' … ', ' engineer '));
    const parsed: string[] = [];
    const program = await buildProgram(() => async () => void parsed.push('ran'), { stdout: { write: () => {} } });
    await program.parseAsync(argv, { from: 'user' });
    expect(parsed).toEqual(['ran']);
  });
});

test('it names the states of work and the exit codes as they are', async () => {
  const [text = ''] = TEXTS;
  const help = async (topic: string) => (await run(['help', topic], { cwd })).stdout;
  const states = await help('states');
  const [, named = ''] = /^States: (.*)$/m.exec(text) ?? [];
  const words = [...named.matchAll(/`(\w+)`/g)].map(([, word]) => word);
  expect(words.length).toBeGreaterThan(5);
  for (const word of words) expect(states).toMatch(new RegExp(`^ *${word}\\b`, 'm'));
  const codes = await help('exit-codes');
  const [, line = ''] = /^Exit codes: (.*)$/m.exec(text) ?? [];
  for (const [, code] of line.matchAll(/(\d) /g)) expect(codes).toMatch(new RegExp(`^ *${code} `, 'm'));
});

function words(line: string): string[] {
  const found = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  expect(found[0]).toBe('animus');
  return found.slice(1);
}

/** With an item that the command applies to. */
async function filledIn(argv: readonly string[]): Promise<string[]> {
  if (!argv.includes('ID')) return [...argv];
  const item = await itemFor(argv[1] ?? '');
  return argv.map((word) => (word === 'ID' ? item.id : word === 'HASH' ? item.hash : word));
}

async function itemFor(command: string): Promise<{ id: string; hash: string }> {
  if (!['approve', 'deny', 'answer'].includes(command)) {
    const [row] = await target.database.query<{ id: string }>(
      `insert into animus.work_items (faculty) values ('engineer') returning id`,
    );
    const id = row?.id ?? '';
    if (command === 'retry') await target.database.query('select animus.cancel_work($1, $2)', [id, 'x']);
    return { id, hash: '' };
  }
  const work = await beginFocus(target.database);
  await recordCalls(target.database, work, 1, ['toolu_01'], 'bash');
  const asks =
    command === 'answer'
      ? ({ subject: 'question', request: { question: 'Which?' }, seconds: null } as const)
      : ({ subject: 'tool_call', request: { reason: 'a rule', gate: 'permissions' }, seconds: 60 } as const);
  await askPerson(target.database, work.key, 1, 'toolu_01', command === 'answer' ? 'human' : 'approval', asks);
  const env = { DATABASE_URL: target.connectionString, ANIMUS_HOME: join(cwd, 'home') };
  const inbox = JSON.parse((await run(['inbox', work.id, '--json'], { cwd, env })).stdout);
  const [asked] = Array.isArray(inbox) ? inbox : Object.values<{ hash: string }[]>(inbox).flat();
  expect(asked).toMatchObject({ ask_id: expect.any(String), hash: expect.any(String) });
  return { id: work.id, hash: asked.hash };
}
