/** A second attempt of a parent, after a real failure: what it is told of the first, and what it gets again. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

type Json = Record<string, unknown>;

const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 1\nmax_concurrent = 3\n';
const READER = `[faculty]\nname = "reader"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You are the reader."\ntools = []\n`;
const read = (id: string, what: string) =>
  toolUse(id, 'spawn_child_work', { faculty: 'reader', description: `Read ${what}`, params: { page: 1 } });

describe('a parent whose first attempt failed', () => {
  const pg = testDatabase();

  it('is told of children, decisions, files and messages, gets its children again, and asks no second time what was denied', async () => {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: CONFIG,
      faculties: { reader: READER },
    });
    // Refuses the first result, and only that.
    const hook = join(site.directory, 'refuse-once.sh');
    writeFileSync(
      hook,
      `cat > /dev/null\nif [ -e ${hook}.ran ]; then exit 0; fi\ntouch ${hook}.ran\necho again >&2\nexit 2\n`,
    );
    writeFileSync(join(site.directory, 'faculties', 'lead.toml'), lead(site.directory, hook));
    await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('lead', 'Lead') returning id`,
    );
    const { id } = row!;
    await eventually('it asks about the command', async () => {
      const asked = await pg.database.query(
        `select from animus.inbox x join animus.work_items w on w.id = x.work_item_id and w.state = 'waiting' where w.id = $1`,
        [id],
      );
      return asked.length === 1 ? asked : null;
    });
    expect(await runAnimus(site, ['work', 'say', id, 'Mind the margins'])).toMatchObject({ exit: 0 });
    expect(await runAnimus(site, ['work', 'deny', id, '--note', 'never that'])).toMatchObject({ exit: 0 });
    await eventually(
      'it ends',
      async () => {
        const [now] = await pg.database.query<{ state: string }>(`select state from animus.work_items where id = $1`, [
          id,
        ]);
        return ['completed', 'dead'].includes(now!.state) ? now! : null;
      },
      60,
    );

    const [told] = requestsWith(server.requests, 'What earlier attempts did').map(({ json }) => firstText(json!));
    expect(told).toContain('Child work');
    for (const what of ['Read maps', 'Read charts', 'Seen: maps', 'Seen: charts']) expect(told).toContain(what);
    expect(told).toMatch(/deny by \S+ of bash \{"command":"rm maps"\}, which did not run: never that/);
    expect(told).toContain('write_file notes.txt');
    expect(told).toContain('Mind the margins');
    const children = await pg.database.query<{ id: string; description: string }>(
      `select id, description from animus.work_items where parent_id = $1 order by id`,
      [id],
    );
    // The second attempt asked for maps again, and for maps once more, which it had only once.
    expect(children.map(({ description }) => description)).toEqual(['Read maps', 'Read charts', 'Read maps']);
    const results = resultsIn(requestsWith(server.requests, 'What earlier attempts did').at(-1)!.json!);
    expect(results['again']).toMatch(new RegExp(`^${children[0]!.id}: completed; an earlier attempt spawned it`));
    expect(results['more']).toBe(`${children[2]!.id}: queued`);
    expect(results['rm']).toContain('denied this call in an earlier attempt');
    expect(results['rm']).toContain('never that');
    const denied = await pg.database.query(`select from animus.decisions where work_item_id = $1 and action = 'deny'`, [
      id,
    ]);
    expect(denied).toHaveLength(1);
    expect(existsSync(`${hook}.ran`)).toBe(true);
    expect(readFileSync(join(site.directory, 'notes.txt'), 'utf8')).toBe('two pages');
  }, 180_000);
});

function lead(directory: string, hook: string): string {
  return `
[faculty]
name = "lead"
workspace = "${directory}"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You lead."
tools = ["bash", "write_file"]
bash_isolation = "none"
[faculty.children]
faculties = ["reader"]
[faculty.permissions]
bash = "ask"
write_file = "auto"
[faculty.consolidate]
command = "sh"
args = ["${hook}"]
[faculty.recover]
max_attempts = 2
base_seconds = 0
`;
}

/** The same request gets the same answer. */
function programme(body: Json) {
  const messages = messagesOf(body);
  const whole = JSON.stringify(messages);
  if (!whole.includes('"Lead') && !whole.includes('\\nLead\\n')) {
    return { content: [text(whole.includes('Read maps') ? 'Seen: maps' : 'Seen: charts')] };
  }
  const called = Object.keys(resultsIn(body));
  const second = whole.includes('Why the last attempt failed');
  if (called.length === 0 && second) {
    return {
      content: [read('again', 'maps'), read('more', 'maps'), toolUse('rm', 'bash', { command: 'rm maps' })],
    };
  }
  if (called.length === 0) {
    return {
      content: [
        read('a', 'maps'),
        read('b', 'charts'),
        toolUse('w', 'write_file', { path: 'notes.txt', content: 'two pages' }),
      ],
    };
  }
  if (!second && called.length === 3) return { content: [toolUse('wait', 'await_child_work', {})] };
  if (!second && called.length === 4) return { content: [toolUse('rm', 'bash', { command: 'rm maps' })] };
  return { content: [text('Done.')] };
}

function requestsWith<Request extends { readonly json?: Json | null }>(requests: readonly Request[], words: string) {
  return requests.filter(({ json }) => JSON.stringify(json)?.includes(words));
}

function firstText(json: Json): string {
  return textOf(messagesOf(json)[0]!['content']);
}

function resultsIn(body: Json): Readonly<Record<string, string>> {
  const results = messagesOf(body).flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((block) => block['type'] === 'tool_result'),
  );
  return Object.fromEntries(results.map((block) => [String(block['tool_use_id']), textOf(block['content'])]));
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map((part) => part.text ?? '').join('');
}
