/**
 * The rule: whatever comes through a door is bounded before anything walks it, and no turn of the event loop takes more than 0.2 s for it.
 * Prints the table of all doors: `npx vitest run --isolate tests/security/shapes.test.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApi } from '../support/api.ts';
import { table, tooSlow } from './shapes/door.ts';
import { throughHooks } from './shapes/hook-doors.ts';
import { throughHttp } from './shapes/http-doors.ts';
import { throughProviders } from './shapes/provider-doors.ts';
import { throughSandbox } from './shapes/sandbox-door.ts';
import { throughSql } from './shapes/sql-door.ts';
import { throughFaculties, throughOutcomes, throughSkills } from './shapes/text-doors.ts';

const api = testApi();
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'shapes-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
  process.stdout.write(`${table()}\n`);
});

test.each([
  ['code in the sandbox', () => throughSandbox(api.owner(), directory)],
  ['providers', throughProviders],
  ['the HTTP API and WebSockets', async () => throughHttp(await api.start())],
  ['hooks', throughHooks],
  ['submissions by SQL', () => throughSql(api.owner())],
  ['final answers', throughOutcomes],
  ['skills', throughSkills],
  ['faculties', () => throughFaculties(directory)],
])('%s: no shape silences the event loop', { timeout: 600_000 }, async (_, pass) => {
  await pass();
  expect(tooSlow()).toEqual([]);
});
