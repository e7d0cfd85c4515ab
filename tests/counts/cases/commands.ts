/** Commands: the modules and packages that each loads, and what they ask of the database. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database } from '../../../src/store/sql/database.ts';
import { loadedModules } from '../../support/loaded-modules.ts';
import { startRelay } from '../relay.ts';
import type { Counts } from '../table.ts';

const LAUNCHER = resolve(import.meta.dirname, '../../../src/animus.js');

/** ID stands for an item. Those in one text run one after the other. */
const COMMANDS = [
  'completion words -- w',
  'help exit-codes',
  'status',
  'status --json',
  'work list',
  'work show ID',
  'faculty list',
  'ledger show ID',
  'audit export',
  'audit verify',
  'spend',
  'spend items',
  'pause; resume',
  'budget list',
  'schedule list',
  'token list',
  'webhook list',
  'person list',
  'db status',
  'chat list',
  'skill list',
  'completion words -- work cancel ',
];

const FACULTY = `[faculty]
name = "engineer"
description = "Works"
[faculty.engage]
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You work."
`;

/** So many run at a time, each in a home and through a relay of its own. */
const AT_ONCE = 3;

/** `packages`: their names; the driver of Postgres with what it needs is one. */
export async function countCommands(owner: Database, url: string): Promise<Counts> {
  const [item] = await owner.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  const rows = new Map<string, Counts[string]>(
    COMMANDS.flatMap((lines) => lines.split('; ')).map((line) => [line, {}]),
  );
  const left = COMMANDS.values();
  const worker = async () => {
    for (const lines of left) {
      for (const line of lines.split('; ')) {
        rows.set(line, await countCommand(line.replace('ID', item!.id).split(' '), url));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return Object.fromEntries([...rows].map(([line, row]) => [`animus ${line.trim()}`, row]));
}

async function countCommand(argv: readonly string[], url: string): Promise<Counts[string]> {
  const home = mkdtempSync(join(tmpdir(), 'animus-counts-'));
  mkdirSync(join(home, 'faculties'));
  writeFileSync(join(home, 'faculties', 'engineer.toml'), FACULTY);
  const relay = await startRelay(url);
  try {
    const loaded = await loadedModules(home, [LAUNCHER, ...argv], { DATABASE_URL: relay.through(url) });
    const { statements, roundTrips } = relay.passed;
    return { modules: loaded.files.length, packages: shown(loaded.packages), statements, roundTrips };
  } finally {
    await relay.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** The packages that come with `pg`. */
const DRIVER = /^(pg-.*|postgres-.*|xtend)$/;

function shown(packages: readonly string[]): string {
  return packages.filter((name) => !DRIVER.test(name)).join(', ');
}
