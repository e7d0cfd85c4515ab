/** Promise: a command of an operation reads the fields of the act from its arguments and options, and runs it in one transaction. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import {
  choice,
  id,
  json,
  jsonObject,
  list,
  number,
  optional,
  text,
  time,
  whole,
} from '../../../src/operations/fields.ts';
import { operation } from '../../../src/operations/operation.ts';
import { commandRunner } from '../../../src/terminal/command/command.ts';
import { operationCommand } from '../../../src/terminal/command/operation-command.ts';
import { createOutput } from '../../../src/terminal/view/output.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const ID = '01900000-0000-7000-8000-000000000000';

let tries = 0;
const paint = operation({
  name: 'paintWall',
  tag: 'walls',
  summary: 'Paint a wall',
  scope: 'work',
  http: { method: 'POST', path: '/walls/{id}/paint' },
  input: {
    id: id(),
    beside: optional(id()),
    colours: list(choice(['red', 'blue']), { default: ['red'] }),
    rooms: optional(list(text())),
    keep_hours: whole({ min: 0, max: 24, default: 2 }),
    coats: optional(whole({ min: 1, max: 3 })),
    shade: optional(whole({ min: 0, max: 9 })),
    dry: optional(time()),
    again: optional(time({ ahead: true })),
    label: optional(text({ pattern: /^[a-z]+$/, expected: 'small letters' })),
    litres: optional(number({ min: 0.5, max: 90 })),
    options: optional(jsonObject()),
    recipe: optional(json()),
  },
  check: ({ litres, recipe }) => (litres === 90 && recipe !== undefined ? 'litres or recipe' : null),
  output: ({ z }) => z.object({ id: z.string() }),
  prepare: async (_, input) => `prepared for ${input.id}`,
  async run({ tx, prepared, visitor, unserved, views }, input) {
    if (input.coats === 3) await unserved(['painters'], { until: 'the wall waits' });
    if (input.label === 'wet' && tries++ === 0) throw new AnimusError('work.locked', { detail: 'wet' });
    if (input.label === 'undone') throw new AnimusError('work.not_found', { detail: 'no wall', hint: '' });
    const [row] = await tx.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
    const [again] = await tx.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
    return { ...input, prepared, once: visitor === null && row!.xid === again!.xid, views: await views() };
  },
});

const add = operationCommand(paint, {
  usage: 'paint <id> [tone]',
  takes: { tone: 'shade' },
  summary: 'paint a wall',
  examples: ['walls paint 0190'],
  options: {
    colours: ['--colours <words>', 'some'],
    rooms: ['--room <name>', 'each'],
    keep_hours: ['--keep-hours <hours>', 'how long'],
    coats: ['--coats <number>', 'how many'],
    dry: ['--dry <time>', 'since when'],
    again: ['--again <time>', 'when next'],
    label: ['--label <text>', 'a name'],
    beside: ['--beside <wall>', 'another wall', (given: string) => given.toLowerCase()],
    litres: ['--litres <amount>', 'of paint', 1.5],
    options: ['--options <json>', 'an object'],
    recipe: ['--recipe <json>', 'any; default: none'],
  },
  check: ({ litres, coats }) => (litres === 90 && coats === 1 ? 'give --coats or --litres' : null),
  more: { loud: ['--loud', 'say more'] },
  defaults: { shade: 5 },
  read: async (given, { context }, typed) => ({
    ...given,
    ...(typed['loud'] === true && { label: `in ${context.cwd}` }),
  }),
  ids: { beside: async (_, reference) => `found ${reference}` },
  find: async (_, reference) => ({ id: ID, named: reference }),
  instead: {
    option: ['--none', 'nothing'],
    run: async ({ output }) => {
      output.document({ none: true });
      return 3;
    },
  },
  after: async (db, { result }) => `${db.kind} ${result.keep_hours}`,
  document: ({ input, row, result, after }) => ({
    input,
    row: row.named,
    once: result.once,
    prepared: result.prepared,
    views: result.views,
    after,
  }),
  show: (_, { input }) => (input.label === 'fails' ? 1 : undefined),
});

async function painted(
  ...argv: string[]
): Promise<{ readonly code: number; readonly said: ReturnType<typeof JSON.parse> }> {
  const { code, text } = await run(argv, true);
  return { code, said: JSON.parse(text) };
}

async function run(argv: readonly string[], json: boolean): Promise<{ readonly code: number; readonly text: string }> {
  let text = '';
  let code = -1;
  const sink = { write: (piece: string) => void (text += piece) };
  const env = { DATABASE_URL: target.connectionString, ANIMUS_HOME: '/nowhere' };
  const context = {
    env,
    cwd: '/nowhere',
    stdout: sink,
    stderr: sink,
    signals: { drain: new AbortController().signal },
  };
  const program = new Command('walls').exitOverride().configureOutput({ writeErr: () => {} });
  add(
    program,
    commandRunner(
      context as never,
      async () => createOutput({ stdout: sink, stderr: sink, env, json }),
      (ended) => (code = ended),
      async () => [],
    ),
  );
  await program.parseAsync(['paint', ...argv], { from: 'user' });
  return { code, text };
}

test('options that are not given have the defaults of the act, or are absent', async () => {
  expect(await painted('0190')).toEqual({
    code: 0,
    said: {
      input: { id: ID, colours: ['red'], keep_hours: 2, litres: 1.5, shade: 5 },
      row: '0190',
      once: true,
      prepared: 'prepared for 0190',
      views: 'visible',
      after: 'postgres 2',
    },
  });
});

test('options set fields: words between commas, one of many, numbers, texts', async () => {
  const given = [
    '0190',
    '--colours',
    'blue, red',
    '--room',
    'a',
    '--room',
    'b,c',
    '--keep-hours',
    '0',
    '--label',
    'fails',
  ];
  const { code, said } = await painted(...given);
  expect(code).toBe(1);
  expect(said.input).toEqual({
    id: ID,
    colours: ['blue', 'red'],
    rooms: ['a', 'b,c'],
    keep_hours: 0,
    label: 'fails',
    litres: 1.5,
    shade: 5,
  });
});

test('an option may be read in a way of its own, name another row, and be of the terminal alone', async () => {
  const { said } = await painted('0190', '--beside', 'ABCD', '--loud');
  expect(said.input).toMatchObject({ beside: 'found abcd', label: 'in /nowhere' });
  expect(said.input).not.toHaveProperty('loud');
});

test('an argument may have another name than its field, and is checked as an option is', async () => {
  expect((await painted('0190', '7')).said.input).toMatchObject({ shade: 7 });
  await expect(painted('0190', '10')).rejects.toThrow('Expected a whole number from 0 to 9.');
});

test('a time is ISO 8601, or before or after now', async () => {
  const { said } = await painted('0190', '--dry', '2026-03-01T09:00:00Z', '--again', '+2h');
  expect(said.input.dry).toBe('2026-03-01T09:00:00.000Z');
  expect(Date.parse(said.input.again)).toBeGreaterThan(Date.now());
  expect(Date.parse((await painted('0190', '--dry', '2h')).said.input.dry)).toBeLessThan(Date.now());
  await expect(painted('0190', '--again', '2h')).rejects.toThrow('+2h');
});

test('what another transaction holds is tried again', async () => {
  expect((await painted('0190', '--label', 'wet')).said.once).toBe(true);
  expect(tries).toBe(2);
});

test('faculties that nobody serves are told of after the transaction, so not if it is undone', async () => {
  const done = await run(['0190', '--coats', '3'], false);
  expect(done).toEqual({ code: 0, text: expect.stringContaining('no faculty is named painters; the wall waits') });
  const undone = await run(['0190', '--coats', '3', '--label', 'undone'], false);
  expect(undone).toEqual({ code: 3, text: expect.stringContaining('no wall') });
  expect(undone.text).not.toContain('painters');
});

test('what stands in the place of the act', async () => {
  expect(await painted('0190', '--none')).toEqual({ code: 3, said: { none: true } });
});

test.each([
  [['--colours', 'red,green'], 'Expected one of red, blue.'],
  [['--keep-hours', '25'], 'Expected hours from 0 to 24.'],
  [['--coats', '0'], 'Expected a whole number from 1 to 3.'],
  [['--label', 'A'], 'Expected small letters.'],
  [['--litres', '0.4'], 'Expected a number from 0.5 to 90.'],
  [['--litres', '1e1'], 'Expected a number from 0.5 to 90.'],
])('%j is refused', async (options, message) => {
  await expect(painted('0190', ...options)).rejects.toThrow(message);
});

test('JSON is given itself, or in a file', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'walls-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  writeFileSync(join(directory, 'recipe.json'), '[1]');
  const { said } = await painted('0190', '--options', '{"of":"a"}', '--recipe', `@${join(directory, 'recipe.json')}`);
  expect(said.input).toMatchObject({ options: { of: 'a' }, recipe: [1] });
});

test.each([
  [['--options', '[1]'], '--options: expected a JSON object, got [1]'],
  [['--options', '{'], '--options: expected JSON: '],
  [['--recipe', '@none.json'], '--recipe (/nowhere/none.json): expected JSON: '],
  [['--litres', '90', '--coats', '1', '--recipe', '1'], 'give --coats or --litres'],
  [['--litres', '90', '--recipe', '1'], 'litres or recipe'],
])('%j is wrong', async (options, message) => {
  const { code, text: said } = await run(['0190', ...options], false);
  expect(code).toBe(2);
  expect(said).toContain(message);
});
