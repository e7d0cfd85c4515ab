/** Promise: skills are activated once, and the requests of a focus that has some are the same, byte for byte, wherever its daemon is killed. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Site } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, type Kill, moments, runWithKills } from './journal-kills.ts';
import { workshop } from './twenty-turns.ts';

const pg = testDatabase({ anew: true });

const SKILLS: Readonly<Record<string, string>> = {
  'steps/SKILL.md':
    '---\nname: steps\ndescription: Takes steps.\nmetadata:\n  animus.keywords: twenty steps\n---\nPut one foot before the other.\n',
  'careful/SKILL.md':
    '---\nname: careful\ndescription: Takes care.\nmetadata:\n  animus.depends: looking\n---\nLook first; see list.md.\n',
  'careful/list.md': 'look left\nlook right\n',
  'looking/SKILL.md': '---\nname: looking\ndescription: Looks.\n---\nOpen your eyes.\n',
};

/** What is done in each turn; every step closes a block, which then becomes a stub. */
const CALLS = [
  toolUse('a', 'activate_skill', { name: 'careful' }),
  toolUse('b', 'read_file', { path: 'skills/careful/list.md' }),
  toolUse('c', 'ledger_append', { type: 'step', content: 'turn 3' }),
  toolUse('d', 'list_dir', { path: 'skills/careful' }),
  toolUse('e', 'ledger_append', { type: 'step', content: 'turn 5' }),
];

const programme: AnthropicProgramme = (body) => {
  const said = JSON.stringify(body['messages']).matchAll(/(?:This is )?turn (\d+)/g);
  const turn = Math.max(0, ...[...said].map((match) => Number(match[1]))) + 1;
  const call = CALLS[turn - 1];
  return { content: call === undefined ? [text('All done.')] : [text(`This is turn ${turn}.`), call] };
};

function withSkills(server: ModelServer, databaseUrl: string): Site {
  const site = workshop(server, databaseUrl);
  for (const [path, content] of Object.entries(SKILLS)) {
    const file = join(site.directory, 'skills', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const workspace = join(site.directory, 'faculties');
  writeFileSync(
    join(workspace, 'smith.toml'),
    `[faculty]\nname = "smith"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Act."\n` +
      'tools = ["read_file", "list_dir"]\n[faculty.awareness]\nenabled = false\n[faculty.recover]\nmax_attempts = 100\n',
  );
  return site;
}

const inOrder: Choose = ([next], call, moment, times) =>
  next?.call === call && next.moment === moment && next.nth <= times ? 0 : -1;

async function run(kills: readonly Kill[]) {
  const server = await startModelServer(programme);
  onTestFinished(() => server.close());
  const { id, site, met } = await runWithKills(pg, server, inOrder, kills, withSkills);
  expect(met).toEqual(kills);
  const [focus] = await pg.database.query<{ id: string; directory: string }>(
    'select id, directory from animus.foci where work_item_id = $1',
    [id],
  );
  const bodies = server.requests.map((request) =>
    [focus!.directory, focus!.id, id, site.directory].reduce(
      (body, value, index) => body.replaceAll(value, `<${index}>`),
      request.body.toString(),
    ),
  );
  const activated = await pg.database.query(
    `select a.skill, a.reason, (select count(*)::int from animus.focus_messages m where m.focus_id = a.focus_id and m.kind = 'skill') as messages
       from animus.skill_activations a where a.work_item_id = $1 order by a.skill`,
    [id],
  );
  // A request that was cut before its answer was recorded is sent again with the same bytes.
  return { bodies: bodies.filter((body, index) => body !== bodies[index - 1]), activated };
}

it('activates each skill once and sends the same requests, killed before and after every commit of an activation', async () => {
  // First, because only then packages are stored.
  const killed = await run([
    ...moments('store_skill_package', 1),
    ...moments('begin_foci', 1),
    // In the transaction of the call.
    ...moments('store_skill_package', 1),
    ...moments('activate_skills', 1),
    { call: 'add_message', nth: 1, moment: 'before' },
    { call: 'finish_tool_calls', nth: 1, moment: 'after' },
  ]);
  const unkilled = await run([]);
  expect(unkilled.activated).toEqual([
    { skill: 'careful', reason: 'model', messages: 3 },
    { skill: 'looking', reason: 'dependency', messages: 3 },
    { skill: 'steps', reason: 'auto', messages: 3 },
  ]);
  const last = unkilled.bodies.at(-1)!;
  expect(last).toContain('completed step');
  expect(last).not.toContain('This is turn 2.');
  for (const words of ['Put one foot before', 'Look first; see list.md', 'Open your eyes']) {
    expect(last.split(words)).toHaveLength(2);
  }
  expect(killed.activated).toEqual(unkilled.activated);
  // Hashes first: a difference of whole requests is unreadable.
  expect(killed.bodies.map(digest)).toEqual(unkilled.bodies.map(digest));
}, 600_000);

function digest(body: string, index: number): string {
  return `${index}: ${body.length} ${createHash('sha256').update(body).digest('hex').slice(0, 12)}`;
}
