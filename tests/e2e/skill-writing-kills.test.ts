/** Promise: a skill is written and changed exactly once, wherever the daemon is killed, and its files are those of the current version. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, moments, runWithKills } from './journal-kills.ts';

const pg = testDatabase({ anew: true });
/** Each statement of both calls, before and after it. */
const STATEMENTS = ['keep_skill_package', 'store_skill_package', 'create_skill', 'update_skill'];
const KILLS = [...moments('begin_skill_version', 1), ...STATEMENTS.flatMap((name) => moments(name, 1))];

/** Creates a skill and changes it. */
const programme: AnthropicProgramme = (body) => {
  const messages = JSON.stringify(body['messages']);
  if (messages.includes('version 2 is current')) return { content: [text('All is written.')] };
  if (messages.includes('version 1 is current'))
    return {
      content: [toolUse('u', 'update_skill', { name: 'notes', version: 1, diff: '-One.\n+Two.', reason: 'better' })],
    };
  return { content: [toolUse('c', 'create_skill', { name: 'notes', description: 'Notes', instructions: 'One.' })] };
};

it('is killed before and after each statement, and both versions are there once', async () => {
  const server = await startModelServer(programme);
  onTestFinished(() => server.close());
  const anyDue: Choose = (left, call, moment, times) =>
    left.findIndex((kill) => kill.call === call && kill.moment === moment && kill.nth <= times);
  const { id, site, met } = await runWithKills(pg, server, anyDue, KILLS, siteOf);
  expect(met).toHaveLength(KILLS.length);
  const versions = await pg.database.query(
    'select version, state, base, call_id, work_item_id = $1 as own from animus.skill_versions order by version',
    [id],
  );
  expect(versions).toEqual([
    { version: 1, state: 'replaced', base: null, call_id: 'c', own: true },
    { version: 2, state: 'current', base: 1, call_id: 'u', own: true },
  ]);
  const calls = await pg.database.query(
    `select c.call_id, c.state from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 order by c.turn`,
    [id],
  );
  expect(calls).toEqual(['c', 'u'].map((call_id) => ({ call_id, state: 'done' })));
  await startDaemon(site);
  const skills = join(site.directory, 'skills');
  await eventually('version 2 is written', async () => {
    const file = join(skills, 'notes', 'SKILL.md');
    return existsSync(file) && readFileSync(file, 'utf8').includes('Two.') ? true : null;
  });
  expect(readdirSync(skills).filter((name) => !name.startsWith('.'))).toEqual(['notes']);
}, 300_000);

function siteOf(server: ModelServer, databaseUrl: string): Site {
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl,
    config: '[daemon]\nlease_seconds = 20\npoll_seconds = 0.5\n',
    faculties: {},
  });
  mkdirSync(join(site.directory, 'skills'));
  writeFileSync(
    join(site.directory, 'faculties', 'smith.toml'),
    `[faculty]\nname = "smith"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You learn."\n[faculty.consolidate]\nskill_creation = true\n[faculty.recover]\nmax_attempts = 100\n[faculty.awareness]\nenabled = false\n`,
  );
  return site;
}
