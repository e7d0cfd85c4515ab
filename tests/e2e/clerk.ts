/** A site with one faculty, the clerk, and work for it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, type Site } from '../support/daemon-process.ts';
import { eventually } from '../support/eventually.ts';

const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You keep the books."
tools = ["bash"]
[faculty.recover]
base_seconds = 0.2
`;
/** Configuration that is quick for tests. */
export const CONFIG = '[daemon]\npoll_seconds = 1\nhttp = "off"\n';
const NEVER_ANSWERS = 'http://127.0.0.1:1';

/** A site with the clerk. */
export function siteOf(databaseUrl: string, modelUrl = NEVER_ANSWERS, config = CONFIG): Site {
  return makeSite({ databaseUrl, modelUrl, config, faculties: { clerk: FACULTY } });
}

/** Inserts work for the clerk and returns its id. */
export async function insert(database: Database): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('clerk', $1) returning id`,
    [randomBytes(4).toString('hex')],
  );
  return row!.id;
}

/** Waits until the work has ended; any other end than completion is an error. */
export async function completes(database: Database, id: string, seconds = 20): Promise<void> {
  const state = await eventually(
    'the work has ended',
    async () => {
      const [item] = await database.query<{ state: string }>(
        'select state from animus.work_items where id = $1 and resolved_at is not null',
        [id],
      );
      return item?.state ?? null;
    },
    seconds,
  );
  expect(state).toBe('completed');
}
