// Also on the wires openai, responses.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { pdf, png } from '../support/media-files.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Choose, type Kill, moments, runWithKills } from './journal-kills.ts';

const SHOT = png(64, 48);
const PAPER = pdf(2);

/** Two files in one answer, one of them again, then the end. */
const programme: AnthropicProgramme = (body) => {
  const turns = messagesOf(body).filter(({ role }) => role === 'assistant').length;
  if (turns === 0) return { content: [read('r1', 'shot.png'), read('r2', 'paper.pdf')] };
  return turns === 1 ? { content: [read('r3', 'shot.png')] } : { content: [text('Seen.')] };
};
const read = (id: string, path: string) => toolUse(id, 'read_file', { path });

describe('pictures and documents that read_file shows', () => {
  const pg = testDatabase({ anew: true });

  it('are kept once with their results, and sent again byte for byte after a kill at every point of that', async () => {
    const whole = await requestsOf([]);
    const killed = await requestsOf([
      ...moments('keep_file', 1),
      ...moments('finish_tool_calls', 1),
      ...moments('finish_tool_calls', 2),
      ...moments('begin_turn', 1),
      { call: 'record_turn', nth: 1, moment: 'after' },
    ]);
    expect(whole.map((body) => [count(body, SHOT), count(body, PAPER)])).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
    ]);
    expect(killed).toEqual(whole);
  }, 400_000);

  /** The requests of a run with these kills, without those that repeat the one before. */
  async function requestsOf(kills: readonly Kill[]): Promise<string[]> {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const inOrder: Choose = ([next], call, moment, times) =>
      next?.call === call && next.moment === moment && next.nth <= times ? 0 : -1;
    const { id, site, met } = await runWithKills(pg, server, inOrder, kills, workshop);
    expect(met).toEqual(kills);
    expect(server.requests.map(({ refused }) => refused).filter((why) => why !== null)).toEqual([]);
    const files = await pg.database.query<{ id: string; name: string }>(
      `select a.id, a.name, a.media_type, a.content from animus.artifacts a where a.work_item_id = $1 order by a.name`,
      [id],
    );
    expect(files).toMatchObject([
      { name: 'paper.pdf', media_type: 'application/pdf', content: PAPER },
      { name: 'shot.png', media_type: 'image/png', content: SHOT },
    ]);
    const calls = await pg.database.query(
      `select c.call_id, c.state, c.details -> 'shown' -> 0 ->> 'artifact' as artifact
         from animus.all_tool_calls c where c.work_item_id = $1 order by c.call_id`,
      [id],
    );
    const [paper, shot] = files.map((file) => file.id);
    expect(calls).toEqual([
      { call_id: 'r1', state: 'done', artifact: shot },
      { call_id: 'r2', state: 'done', artifact: paper },
      { call_id: 'r3', state: 'done', artifact: shot },
    ]);
    const [focus] = await pg.database.query<{ id: string; directory: string }>(
      'select id, directory from animus.foci where work_item_id = $1',
      [id],
    );
    const names: readonly (readonly [string, string])[] = [
      [focus!.directory, '<dir>'],
      [focus!.id, '<focus>'],
      [id, '<work>'],
      [site.directory, '<site>'],
      [paper!, '<paper>'],
      [shot!, '<shot>'],
    ];
    const bodies = server.requests.map(({ body }) =>
      names.reduce((written, [from, to]) => written.replaceAll(from, to), body.toString()),
    );
    return bodies.filter((body, index) => body !== bodies[index - 1]);
  }

  function workshop(server: ModelServer, databaseUrl: string) {
    const config = '[daemon]\nlease_seconds = 20\npoll_seconds = 0.5\n';
    const site = makeSite({ modelUrl: server.url, databaseUrl, config, faculties: {} });
    const workspace = join(site.directory, 'faculties');
    writeFileSync(join(workspace, 'shot.png'), SHOT);
    writeFileSync(join(workspace, 'paper.pdf'), PAPER);
    writeFileSync(
      join(workspace, 'smith.toml'),
      `[faculty]\nname = "smith"\nworkspace = "${workspace}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "Look."\n` +
        'tools = ["read_file"]\n[faculty.awareness]\nenabled = false\n[faculty.recover]\nmax_attempts = 100\n',
    );
    return site;
  }
});

function count(body: string, file: Buffer): number {
  return body.split(file.toString('base64')).length - 1;
}
