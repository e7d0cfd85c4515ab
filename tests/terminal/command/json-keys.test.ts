/**
 * Promise: with `--json`, every command prints snake_case. Each command of the program's table runs here on a database that has one of everything, so that
 * lists are not empty. `Output.document` also refuses other keys at compile time, for all that no data of this test reaches.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { storeMemory } from '../../../src/store/memory/memories.ts';
import { submitWork } from '../../../src/store/work/submit-work.ts';
import { createOutput } from '../../../src/terminal/view/output.ts';
import { run } from '../../cli/run-cli.ts';
import { samplesOfParts } from '../../features/samples.ts';
import { newTalk } from '../../store/conversations/begun.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { WAITING_ITEMS, type WaitingMeans } from '../../support/waiting-items.ts';
import { leaves } from './leaves.ts';

const target = testDatabase();
const program = await buildProgram(() => async () => {}, { stdout: { write: () => {} } });
const COMMANDS = leaves(program).map(({ path }) => path.join(' '));

/** What stands for ids of the database; filled by what commands print, too. */
const ids: Record<string, string> = {};

/** The arguments of each command, in the order in which they run; `$NAME` is one of `ids`, `·` a space within an argument. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  init: 'new',
  config: '',
  doctor: '',
  status: '',
  completion: 'bash',
  help: 'states',
  models: '',
  'models show': 'claude-sonnet-4-5',
  'faculty list': '',
  'faculty show': 'clerk',
  'faculty check': '',
  'faculty add': 'triage',
  'skill list': '',
  'skill show': 'tidy',
  'skill check': '',
  'skill add': './more',
  'skill adopt': 'tidy',
  'skill stats': '',
  'skill history': 'tidy',
  'skill diff': 'tidy',
  'skill archive': 'tidy',
  'work submit': 'clerk Look',
  'work activity': '--by-faculty',
  'work count': '',
  'work list': '',
  'work show': '$done',
  'work tail': '$done',
  'work worktrees': '',
  'work say': '$queued More',
  'work change': '$queued --priority 3',
  'work cancel': '$queued',
  'work retry': '$queued',
  inbox: '',
  'work approve': '$approval --always',
  'work deny': '$denied',
  'work answer': '$question This',
  'work grants': '',
  'work revoke': '$grant',
  pause: 'clerk',
  resume: 'clerk',
  'budget set': '--faculty clerk --usd 5',
  'budget list': '',
  'budget remove': '--faculty clerk',
  'ledger show': '$done',
  'ledger append': '$queued note seen',
  'person set': 'alice --role operator',
  'person list': '',
  'person disable': 'alice',
  'person enable': 'alice',
  'token create': 'alice',
  'token list': '',
  'token revoke': '$token',
  'webhook add': 'https://hooks.example.com/x',
  'webhook list': '',
  'webhook change': '$webhook --label pager',
  'webhook rotate': '$webhook',
  'webhook retry': '$webhook',
  'webhook remove': '$webhook',
  'audit export': '',
  'audit verify': '',
  'chat send': 'Hello',
  'chat list': '',
  'chat show': '$chat',
  'chat edit': '$chat 1 Greetings',
  'chat retry': '$chat 1',
  'chat invite': '$chat person:alice',
  'chat export': '$chat',
  'chat import': 'export.jsonl',
  'chat delete': '$chat',
  'memory add': 'Tea',
  'memory search': 'tea',
  'memory merge': '$memory $other',
  'memory merges': '',
  'memory unmerge': '$other',
  'memory stats': '',
  'memory forget': '$memory',
  spend: '',
  'spend items': '',
  'db migrate': '',
  'db status': '',
  'db sql': 'select·1',
  'sandbox status': '',
  ...(await samplesOfParts()).commands,
};

/** What runs a daemon, an engine or another program. */
const BY_TYPES = (
  'console|demo|serve|health|http|mcp|chat|faculty test|models update|db psql|sandbox run|sandbox build|work diff|work apply|' +
  'work checkout|work discard|webhook test|skill approve|skill deny|skill rollback'
).split('|');

const SITE: Readonly<Record<string, string>> = {
  'animus.toml': '[daemon]\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "play.toml"\n',
  'play.toml': '[[answer]]\ntext = "Done."\n',
  'faculties/clerk.toml':
    '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\n[faculty.permissions]\n"bash" = "ask"\n',
  'skills/tidy/SKILL.md': '---\nname: tidy\ndescription: Tidies up when asked to.\n---\nTidy up.\n',
  'more/sweep/SKILL.md': '---\nname: sweep\ndescription: Sweeps when asked to.\n---\nSweep.\n',
};

let cwd: string;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'json-keys-'));
  for (const [path, text] of Object.entries(SITE)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  const db = target.database;
  const means: WaitingMeans = {
    db,
    submit: async (work) => (await submitWork(db, work)).id,
    say: async () => [],
  };
  ids['approval'] = await WAITING_ITEMS.approval(means);
  ids['denied'] = await WAITING_ITEMS.approval(means);
  ids['question'] = await WAITING_ITEMS.question(means);
  ids['queued'] = (await submitWork(db, { faculty: 'clerk', params: { someKey: { otherKey: 1 } } })).id;
  const work = await beginFocus(db);
  ids['done'] = work.id;
  await recordCalls(db, work, 1, ['call_1']);
  await db.query(`select animus.append_ledger($1, 'plan', 'one plan')`, [work.id]);
  await db.query(`select animus.fail_work($1, $2, '{"message": "it broke"}', null)`, [work.id, work.leaseToken]);
  const talk = await newTalk(db, { faculty: 'clerk' });
  ids['chat'] = talk.id;
  await sayInConversation(db, talk.id, 'Hello');
  const memory = { content: 'Tea is a drink', layer: 'global', everybody: false } as const;
  ids['other'] = (await storeMemory(db, memory, null)).id;
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test('the table has every command', () => {
  expect([...Object.keys(ARGUMENTS), ...BY_TYPES].toSorted()).toEqual(COMMANDS.toSorted());
});

test.each(Object.entries(ARGUMENTS))('animus %s %s', async (name, line) => {
  const words = line.split(' ').filter((word) => word !== '');
  const argv = [
    ...name.split(' '),
    ...words.map((word) => (word.startsWith('$') ? ids[word.slice(1)]! : word.replaceAll('·', ' '))),
  ];
  const { stdout, stderr } = await run([...argv, '--json'], {
    cwd,
    env: {
      HOME: cwd,
      ANIMUS_HOME: join(cwd, 'home'),
      DATABASE_URL: target.connectionString,
      ANIMUS_WEBHOOK_KEY: 'k'.repeat(64),
      DOCKER_HOST: 'unix:///nowhere/docker.sock',
    },
  });
  const documents = documentsOf(stdout);
  expect(documents.length, `${argv.join(' ')}: ${stderr}`).toBeGreaterThan(0);
  for (const document of documents) {
    expect(badKeys(document), argv.join(' ')).toEqual([]);
    note(name, document as Record<string, unknown>);
  }
});

test('a key in another form does not compile, at any depth', () => {
  const sink = { write: () => {} };
  const output = createOutput({ stdout: sink, stderr: sink, env: {}, json: true });
  const theirs: Readonly<Record<string, unknown>> = { anyKey: 1 };
  output.document({ some_id: 1, of_faculties: { 'a-name': { max: 1 } }, params: theirs });
  // @ts-expect-error: camelCase
  output.document({ someId: 1 });
  // @ts-expect-error: below a list
  output.event({ items: [{ id: 1, createdAt: new Date() }] });
});

/** One document, or one on each line. */
function documentsOf(stdout: string): unknown[] {
  try {
    return [JSON.parse(stdout)];
  } catch {
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  }
}

/** Below these, keys are those of whoever wrote the value. */
const THEIRS = new Set(['params', 'outcome', 'input', 'metadata', 'trigger_info']);

function badKeys(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each, n) => badKeys(each, `${at}[${n}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = `${at}.${key}`;
    if (THEIRS.has(key)) return [];
    return [...(/[A-Z]/.test(key) ? [here] : []), ...badKeys(inner, here)];
  });
}

/** Keeps ids that later commands need. */
function note(name: string, document: Record<string, unknown>): void {
  const keep: Record<string, readonly [key: string, from: string]> = {
    'work approve': ['grant', 'grant_id'],
    'token create': ['token', 'id'],
    'webhook add': ['webhook', 'id'],
    'memory add': ['memory', 'id'],
  };
  const kept = keep[name];
  if (name === 'chat export') {
    const messages = document['messages'] as object[];
    writeFileSync(join(cwd, 'export.jsonl'), messages.map((each) => `${JSON.stringify(each)}\n`).join(''));
  }
  if (kept !== undefined) ids[kept[0]] = String(document[kept[1]]);
}
