/** Promise: a memory is stored, changed and forgotten exactly once, wherever the daemon is killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, type Site } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, moments, runWithKills } from './journal-kills.ts';

const pg = testDatabase({ anew: true });
const KILLS = [...moments('store_memory', 1), ...moments('revise_memory', 1), ...moments('forget_memory', 1)];

/** Stores two memories, changes the first and forgets the second; then searches. */
const programme: AnthropicProgramme = (body) => {
  const messages = JSON.stringify(body['messages']);
  const ids = [...messages.matchAll(/stored as memory ([0-9a-f-]{36})/g)].map(([, id]) => id!);
  if (messages.includes('memories, best first') || messages.includes('1 memory ('))
    return { content: [text('All is remembered.')] };
  if (messages.includes('is forgotten')) return { content: [toolUse('s', 'memory_search', { query: 'tea coffee' })] };
  if (messages.includes('is changed'))
    return { content: [toolUse('f', 'memory_forget', { id: ids[1], reason: 'wrong' })] };
  if (ids.length === 2) return { content: [toolUse('u', 'memory_update', { id: ids[0], content: 'Tea at five' })] };
  const store = (id: string, content: string) => toolUse(id, 'memory_store', { content, layer: 'global' });
  return { content: [store('a', 'Tea at four'), store('b', 'Coffee at noon')] };
};

it('is killed before and after each of them, and all happened once', async () => {
  const server = await startModelServer(programme);
  onTestFinished(() => server.close());
  const anyDue: Choose = (left, call, moment, times) =>
    left.findIndex((kill) => kill.call === call && kill.moment === moment && kill.nth <= times);
  const { id, met } = await runWithKills(pg, server, anyDue, KILLS, siteOf);
  expect(met).toHaveLength(KILLS.length);
  const memories = await pg.database.query(
    `select m.content, (select json_agg(s.action || ' by ' || s.call_id order by s.id) from animus.memory_sources s where s.memory_id = m.id) as sources
       from animus.memories m`,
  );
  expect(memories).toEqual([{ content: 'Tea at five', sources: ['stored by a', 'updated by u'] }]);
  expect(await pg.database.query('select memories from animus.memory_counts')).toEqual([{ memories: 1 }]);
  const calls = await pg.database.query(
    `select c.call_id, c.state from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 order by c.turn, c.position`,
    [id],
  );
  expect(calls).toEqual(['a', 'b', 'u', 'f', 's'].map((call_id) => ({ call_id, state: 'done' })));
}, 300_000);

function siteOf(server: ModelServer, databaseUrl: string): Site {
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl,
    config: '[daemon]\nlease_seconds = 20\npoll_seconds = 0.5\n',
    faculties: {},
  });
  writeFileSync(
    join(site.directory, 'faculties', 'smith.toml'),
    `[faculty]\nname = "smith"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You remember."\ntools = ["memory_store", "memory_search", "memory_update", "memory_forget"]\n[faculty.recover]\nmax_attempts = 100\n`,
  );
  return site;
}
