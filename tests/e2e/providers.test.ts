// Also on the wire openai.
import { cpSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicProgramme, text } from '../support/model-server/anthropic.ts';
import { MODEL, PROVIDER, startModelServer, WIRE } from '../support/model-server/either-wire.ts';

const KEY = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' }[PROVIDER];

const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You keep the books."
stream_idle_seconds = 1
[faculty.recover]
max_attempts = 1
`;

/** After so many parts the text has begun, and no stop reason has come: with one, it would be a whole answer. */
const MID_ANSWER = WIRE === 'openai' ? 2 : 3;

describe('a provider with problems', () => {
  const pg = testDatabase();

  it('refuses the key: the work waits without using up attempts, status says what to do, and it continues when the key is right', async () => {
    let valid = false;
    const site = await siteOf(() =>
      valid ? { content: [text('Done.')] } : { status: 401, message: 'invalid key', headers: { 'retry-after': '2' } },
    );
    await startDaemon(site);
    let shown = '';
    const submit = ['work', 'submit', 'clerk', 'Write the book', '--wait'];
    const submitting = runAnimus(site, submit, (stdout) => (shown = stdout));
    const waiting = await item(`state = 'scheduled'`);
    const id = String(waiting['id']);
    expect(waiting).toMatchObject({ attempts: 0, turns: 0 });
    const advice = new RegExp(
      `faculty clerk has been waiting since 20.*Z: provider ${PROVIDER}: HTTP 401 .*invalid key; check the key in ${KEY}, and restart animus`,
    );
    await eventually('status tells', async () => (advice.test(await status(site)) ? true : null), 40);
    expect((await runAnimus(site, ['work', 'show', id])).stdout).toContain(`check the key in ${KEY}`);

    // The command may have begun to follow later than the work began to wait.
    await eventually('the command tells', async () => (shown.includes('\nscheduled\n') ? true : null), 40);
    valid = true; // as if the vendor had enabled it
    const { exit, stdout } = await submitting;
    expect(exit).toBe(0);
    expect(stdout).toMatch(/\nscheduled\n[^]*completed\n/);
    expect(await item('true', id)).toMatchObject({ state: 'completed', attempts: 0 });
    await eventually('status is quiet again', async () =>
      (await status(site)).includes('has been waiting since') ? null : true,
    );
  }, 180_000);

  it('does not know the model: the work fails, with the name to check', async () => {
    const site = await siteOf(() => ({ status: 404, message: 'The model does not exist', error: 'not_found_error' }));
    await startDaemon(site);
    const failed = await item('resolved_at is not null', await insert());
    expect(failed).toMatchObject({ state: 'dead', attempts: 1 });
    expect(failed.error).toMatchObject({
      code: 'llm.model_not_found',
      message: expect.stringMatching(`^provider ${PROVIDER}: HTTP 404 .*; check the name of the model$`) as string,
    });
  }, 180_000);

  it('stops answering in mid-answer: it is called again, and the work completes', async () => {
    const server = await served((_, index) =>
      index === 0
        ? { content: [text('I begin and')], stopAfter: MID_ANSWER, finally: 'stall' }
        : { content: [text('Whole.')] },
    );
    await startDaemon(siteAt(server.url));
    const done = await item('resolved_at is not null', await insert());
    expect(done).toMatchObject({ state: 'completed', attempts: 0, turns: 1, outcome: { text: 'Whole.' } });
    expect(server.requests).toHaveLength(2);
    expect((await server.requests[0]!.ended).cutByClient).toBe(true);
  }, 180_000);

  it('cannot be reached: the work waits without using up attempts, and status shows the address', async () => {
    const site = siteAt(`http://127.0.0.1:${await closedPort()}`);
    await startDaemon(site);
    const waiting = await item(`state = 'scheduled'`, await insert());
    expect(waiting).toMatchObject({ attempts: 0 });
    await eventually('status tells', async () =>
      /clerk has been waiting since .*: provider \w+: .*ECONNREFUSED.*; check base_url of \w+/.test(await status(site))
        ? true
        : null,
    );
  }, 180_000);

  async function siteOf(programme: AnthropicProgramme): Promise<Site> {
    return siteAt((await served(programme)).url);
  }

  function siteAt(modelUrl: string): Site {
    return makeSite({ modelUrl, databaseUrl: pg.connectionString, faculties: { clerk: FACULTY } });
  }

  async function insert(): Promise<string> {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('clerk', 'Write the book') returning id`,
    );
    return row!.id;
  }

  function item(condition: string, id?: string): Promise<Record<string, unknown>> {
    return eventually(condition, async () => {
      const [row] = await pg.database.query(
        `select * from animus.work_items where id = coalesce($1, id) and ${condition} order by id desc limit 1`,
        [id ?? null],
      );
      return row ?? null;
    });
  }
});

describe('without any key', () => {
  const pg = testDatabase();

  it('serve starts with the shipped faculties, says what is missing, and claims no work it cannot do', async () => {
    const site = makeSite({ modelUrl: null, databaseUrl: pg.connectionString, faculties: {} });
    cpSync(new URL('../../faculties', import.meta.url), join(site.directory, 'faculties'), { recursive: true });
    const daemon = await startDaemon(site);
    const lack =
      /provider anthropic has no key, so no work is claimed for assistant, engineer, .*; set ANTHROPIC_API_KEY, or ANTHROPIC_API_KEY_FILE, and restart animus/;
    expect(daemon.output()).toMatch(lack);
    // The faculty sandbox needs no model.
    expect(daemon.output()).toContain('serving sandbox on ');
    const submitted = await runAnimus(site, ['work', 'submit', 'engineer', 'Fix it']);
    expect(submitted.stderr).toContain(
      'no running daemon serves engineer; the work stays queued. To see why: animus status',
    );
    const shown = await status(site);
    expect(shown).toMatch(lack);
    expect(shown).toMatch(/engineer +queued +1 .* no running daemon serves engineer/);
    expect(await pg.database.query('select state, attempts from animus.work_items')).toEqual([
      { state: 'queued', attempts: 0 },
    ]);
    await daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  }, 180_000);

  it('a local server is called without a key', async () => {
    const server = await served(() => ({ content: [text('No key needed.')] }));
    const faculties = { clerk: FACULTY };
    const site = withoutKeys(makeSite({ modelUrl: server.url, databaseUrl: pg.connectionString, faculties }));
    const daemon = await startDaemon(site);
    expect(daemon.output()).toContain('serving clerk on');
    await pg.database.query(`insert into animus.work_items (faculty) values ('clerk')`);
    await server.received(1);
    expect(server.requests[0]!.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]!.headers).not.toHaveProperty('x-api-key');
  }, 180_000);
});

async function served(programme: AnthropicProgramme) {
  const server = await startModelServer(programme);
  onTestFinished(() => server.close());
  return server;
}

function withoutKeys(site: Site): Site {
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...env } = site.env;
  return { ...site, env };
}

async function status(site: Site): Promise<string> {
  return (await runAnimus(site, ['status'])).stdout;
}

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
