import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';

const FACULTY = (name: string, consolidate: string) => `
[faculty]
name = "${name}"
workspace = "../workspace"
[faculty.orient]
command = "../orient.sh"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You look at odd bytes."
tools = ["bash", "read_file", "list_dir", "glob", "grep"]
[faculty.consolidate]
command = "../${consolidate}.sh"
[faculty.recover]
max_attempts = 1
`;

/** What Postgres refuses in text and jsonb, and invalid UTF-8: NUL, lone bytes, a surrogate half encoded as UTF-8. */
const ODD = String.raw`a\000b\377\376c\355\240\200d\033[31m`;

const pg = testDatabase({ anew: true });

it('NUL and invalid UTF-8 from tools, hooks and models are stored, shown and sent in valid form', async () => {
  const calls = [
    toolUse('out', 'bash', { command: `printf '${ODD}'` }),
    toolUse('err', 'bash', { command: `printf '${ODD}' >&2; exit 1` }),
    toolUse('big', 'bash', { command: `yes "$(printf '${ODD}')" | head -c 3000000` }),
    toolUse('read', 'read_file', { path: 'latin' }),
    toolUse('list', 'list_dir', { path: '.' }),
    toolUse('glob', 'glob', { pattern: '**/*' }),
    toolUse('grep', 'grep', { pattern: 'gr' }),
    toolUse('note', 'ledger_append', { type: 'finding', content: 'a\0b\ud800c' }),
  ];
  const server = await startModelServer([
    { content: calls },
    { content: [text('Seen\0 all.')] },
    { content: [text('x')] },
  ]);
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: '[daemon]\npoll_seconds = 1\n',
    faculties: { odd: FACULTY('odd', 'fine'), broken: FACULTY('broken', 'broken') },
  });
  const workspace = join(site.directory, 'workspace');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'latin'), Buffer.from('gr\xfcn\n', 'latin1'));
  writeFileSync(join(workspace, 'two\nlines'), 'gr\n');
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/b`), Buffer.from([0xff])]), 'gr');
  const hooks = { orient: `printf 'gr\\374n \\355\\240\\200'`, fine: 'exit 0', broken: `printf '${ODD}' >&2; exit 1` };
  for (const [name, script] of Object.entries(hooks)) {
    writeFileSync(join(site.directory, `${name}.sh`), `#!/bin/sh\n${script}\n`);
    chmodSync(join(site.directory, `${name}.sh`), 0o755);
  }
  await startDaemon(site);
  const item = await endOf('odd');
  expect(item).toMatchObject({ state: 'completed', outcome: { text: 'Seen\uFFFD all.' }, attempts: 0 });

  const rows = await pg.database.query<{ call_id: string; state: string; output: string }>(
    'select call_id, state, output from animus.tool_calls order by position',
  );
  const output = Object.fromEntries(rows.map((row) => [row.call_id, row.output]));
  expect(output['out']).toBe('exit code 0\nstdout:\na\u2400b\uFFFD\uFFFDc\uFFFD\uFFFD\uFFFDd\u001b[31m');
  expect(output['err']).toContain('exit code 1\nstderr:\na\u2400b');
  expect(output['big']).toContain('the middle left out');
  expect(output['read']).toContain('1\tgr\uFFFDn\n[not valid UTF-8');
  expect(output['list']).toContain('"two\\nlines"\t3');
  expect(output['glob']!.split('\n')).toContain('"two\\nlines"');
  expect(output['grep']).toContain('"two\\nlines":1:gr');
  const ledger = await pg.database.query('select content from animus.work_ledger where work_item_id = $1', [item.id]);
  expect(ledger).toEqual([{ content: 'a\uFFFDb\uFFFDc' }]);

  // The strict server has accepted all of it; nothing in it breaks JSON parsers.
  const sent = server.requests.map(({ body }) => body.toString()).join('\n');
  expect(/\\u0000|\\ud[89a-f]/i.exec(sent)).toBeNull();
  expect(sent.includes('gr\uFFFDn')).toBe(true);

  const shown = await runAnimus(site, ['work', 'show', item.id]);
  expect(shown.exit).toBe(0);
  // oxlint-disable-next-line no-control-regex
  expect(shown.stdout).not.toMatch(/[\u0000\u001b]/);

  // Only now, because the server's answers come in order.
  const failed = await endOf('broken');
  expect(failed).toMatchObject({ state: 'dead', error: { code: 'hook.failed', phase: 'consolidate' } });
  expect((failed.error as { message: string }).message).toContain('stderr: a\uFFFDb');
}, 180_000);

async function endOf(faculty: string) {
  const [row] = await pg.database.query<{ id: string }>(
    'insert into animus.work_items (faculty, description) values ($1, $2) returning id',
    [faculty, 'look'],
  );
  return eventually(`${faculty} ends`, async () => {
    const [found] = await pg.database.query<{ id: string; error: unknown }>(
      'select id, state, outcome, error, attempts from animus.work_items where id = $1 and resolved_at is not null',
      [row!.id],
    );
    return found ?? null;
  });
}
