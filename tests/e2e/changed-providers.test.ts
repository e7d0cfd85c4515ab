/** Promise: the words of work that has begun go to the provider with which it began, and to another one only after a person has approved that. */
import { describe, expect, it } from 'vitest';
import { runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicAnswer, startAnthropicServer, text, toolUse } from '../support/model-server/anthropic.ts';
import { messagesOf } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { opened, PRICE, PROVIDER, providerSite } from '../support/provider-site.ts';

describe('work whose provider is gone', () => {
  const pg = testDatabase({ anew: true });

  it('says what it waits for, and goes on with the present model when that was approved', async () => {
    const { own, other, id, site } = await waits();
    const shown = await runAnimus(site, ['work', 'show', id]);
    const present = `It can go on with next/m (anthropic at ${other.url} with OWN_KEY), the faculty's present model`;
    expect(shown.stdout.replace(/\s+/g, ' ')).toContain(present);
    expect(shown.stdout).toContain(`own/m was anthropic at ${own.url} with OWN_KEY when this work began`);
    const [why] = await pg.database.query('select reason, why, ends, who from animus.why_waiting(array[$1::uuid])', [
      id,
    ]);
    expect(why).toEqual({
      reason: 'approval',
      why: expect.stringContaining(`no provider of that name is configured now. ${present}`),
      ends: 'an operator decides',
      who: 'operator',
    });
    const [plain] = await pg.database.query('select why from animus.why_waiting(array[$1::uuid], true)', [id]);
    expect(plain).toEqual({ why: 'it asks whether it may go on with another model, because it lost its own' });
    const inbox = await runAnimus(site, ['inbox', id]);
    expect(inbox.stdout).toContain('asks whether to go on with next/m');
    expect(inbox.stdout.replace(/\s+/g, ' ')).toContain(present);
    const edited = await runAnimus(site, ['work', 'approve', id, '--input', '{"present": {}}']);
    expect(edited.exit).not.toBe(0);
    expect(edited.stderr).toContain('approved as it is, or denied');
    expect(await runAnimus(site, ['work', 'approve', id])).toMatchObject({ exit: 0 });
    await stateIs(id, 'completed');
    expect(own.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(1);
    const spent = await pg.database.query('select model from animus.spend_details where faculty = $1 order by 1', [
      'worker',
    ]);
    expect(spent).toEqual([{ model: 'next/m' }, { model: 'own/m' }]);
  }, 120_000);

  it('ends when that was denied, and begins anew when it is retried', async () => {
    const { own, other, id } = await waits();
    await pg.database.query(`select animus.deny($1, null, 'Not there')`, [id]);
    await stateIs(id, 'dead');
    const [row] = await pg.database.query(
      `select error ->> 'code' as code, attempts from animus.work_items where id = $1`,
      [id],
    );
    expect(row).toEqual({ code: 'work.provider_changed', attempts: 1 });
    expect(other.requests).toHaveLength(0);
    await pg.database.query(`select animus.retry_work($1)`, [id]);
    await eventually('a new focus has asked the present model', () => (other.requests.length > 0 ? true : null));
    expect(own.requests).toHaveLength(1);
  }, 120_000);

  it('ends when that was denied, even if its provider is there again before it is taken up', async () => {
    const { own, other, id, daemon } = await waits();
    await daemon.kill('SIGTERM');
    await pg.database.query(`select animus.deny($1, null, 'Not there')`, [id]);
    await startDaemon(siteWith(PROVIDER('own', own.url) + PROVIDER('next', other.url), 'next/m'));
    await stateIs(id, 'dead');
    const [row] = await pg.database.query(`select error ->> 'message' as why from animus.work_items where id = $1`, [
      id,
    ]);
    expect(row).toEqual({ why: expect.stringMatching(/that was denied by \w+: Not there$/) });
    expect([own.requests.length, other.requests.length]).toEqual([1, 0]);
  }, 120_000);

  it('belongs to its own provider until what was approved is used', async () => {
    const { own, other, id, daemon } = await waits();
    const third = await modelServer();
    await daemon.kill('SIGTERM');
    await pg.database.query(`select animus.approve($1)`, [id]);
    const second = await startDaemon(siteWith(PROVIDER('next', third.url), 'next/m'));
    await eventually('it asks again', async () =>
      JSON.stringify((await askedOf(id)).request['present']).includes(third.url) ? true : null,
    );
    await second.kill('SIGTERM');
    await startDaemon(siteWith(PROVIDER('own', own.url) + PROVIDER('next', third.url), 'next/m'));
    await stateIs(id, 'completed');
    expect([own.requests.length, other.requests.length, third.requests.length]).toEqual([2, 0, 0]);
  }, 120_000);

  it('goes on by itself when a daemon starts that has it again', async () => {
    const { own, other, id, daemon } = await waits();
    await daemon.kill('SIGTERM');
    await startDaemon(siteWith(PROVIDER('own', own.url) + PROVIDER('next', other.url), 'next/m'));
    await stateIs(id, 'completed');
    expect([own.requests.length, other.requests.length]).toEqual([2, 0]);
    const open = await pg.database.query(`select from animus.inbox where work_item_id = $1`, [id]);
    expect(open).toEqual([]);
  }, 120_000);

  it('asks once, and again if the name has yet another provider when it goes on', async () => {
    const { own, other, id, daemon } = await waits();
    const third = await modelServer();
    await daemon.kill('SIGTERM');
    await startDaemon(siteWith(PROVIDER('next', third.url), 'next/m'));
    const [asked] = await pg.database.query<{ n: number }>(
      `select count(*)::int as n from animus.asked where work_item_id = $1`,
      [id],
    );
    expect(asked).toEqual({ n: 1 });
    await pg.database.query(`select animus.approve($1)`, [id]);
    const again = await eventually('it asks again', async () => {
      const { request } = await askedOf(id);
      return JSON.stringify(request['present']).includes(third.url) ? request : null;
    });
    // Nothing of it was sent to the one that was approved.
    expect(again).toMatchObject({ model: 'own/m', began: expect.stringContaining(own.url), now: null });
    expect(third.requests).toHaveLength(0);
    await pg.database.query(`select animus.approve($1)`, [id]);
    await stateIs(id, 'completed');
    expect([other.requests.length, third.requests.length]).toEqual([0, 1]);
  }, 120_000);

  it('is not asked about a fallback model: it goes on without it', async () => {
    const [own, other] = [await modelServer(), await modelServer()];
    const both = PROVIDER('own', own.url) + PROVIDER('spare', other.url);
    const id = await begun(siteWith(both, 'own/m', 'fallback_models = ["spare/m"]'));
    const daemon = await startDaemon(siteWith(PROVIDER('own', own.url), 'own/m'));
    await stateIs(id, 'completed');
    expect([own.requests.length, other.requests.length]).toEqual([2, 0]);
    expect(daemon.output()).toContain('work goes on without one of its fallback models');
  }, 120_000);

  it('waits for a person where an earlier animus did not record the provider, and its name is gone', async () => {
    const [own, other, stranger] = [await modelServer(), await modelServer(), await modelServer()];
    const id = await begun(siteWith(PROVIDER('own', own.url), 'own/m'));
    await pg.database.query(
      `update animus.foci f set faculty_snapshot = s.faculty_snapshot #- '{engage,providers}' from animus.focus_settings s
        where s.id = f.settings_id and f.work_item_id = $1`,
      [id],
    );
    await startDaemon(siteWith(PROVIDER('next', other.url), 'next/m', '', stranger));
    expect((await askedOf(id)).request).toMatchObject({ model: 'own/m', began: null, now: null });
    expect([other.requests.length, stranger.requests.length]).toEqual([0, 0]);
  }, 120_000);

  it('waits for a person under a limit in USD when its model has lost its price', async () => {
    const [own, other] = [await modelServer(), await modelServer()];
    const both = PROVIDER('own', own.url) + PROVIDER('next', other.url);
    const id = await begun(siteWith(both + PRICE('own/m') + PRICE('next/m'), 'own/m', '', null, 1));
    const daemon = await startDaemon(siteWith(both + PRICE('next/m'), 'next/m', '', null, 1));
    expect((await askedOf(id)).request).toMatchObject({
      model: 'own/m',
      price: true,
      reason: expect.stringContaining('has no price'),
    });
    await daemon.kill('SIGTERM');
    await startDaemon(siteWith(both + PRICE('own/m') + PRICE('next/m'), 'next/m', '', null, 1));
    await stateIs(id, 'completed');
    expect([own.requests.length, other.requests.length]).toEqual([2, 0]);
  }, 120_000);

  /** Work with one turn behind it, whose daemon was killed. */
  async function begun(site: Site): Promise<string> {
    // That of other tests would go on, too, where its provider is there again.
    await pg.database.query(`select animus.cancel_work(id) from animus.work_items where resolved_at is null`);
    const first = await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'wait') returning id`,
    );
    await stateIs(row!.id, 'waiting');
    await first.kill('SIGKILL');
    return row!.id;
  }

  /** The same, with another daemon that has another provider, and a faculty with a model of that one. */
  async function waits() {
    await pg.database.query(`delete from animus.spend_calls`);
    const [own, other] = [await modelServer(), await modelServer()];
    const id = await begun(siteWith(PROVIDER('own', own.url), 'own/m'));
    const site = siteWith(PROVIDER('next', other.url), 'next/m');
    const daemon = await startDaemon(site);
    await askedOf(id);
    expect([own.requests.length, other.requests.length]).toEqual([1, 0]);
    return { own, other, id, site, daemon };
  }

  function siteWith(
    providers: string,
    model: string,
    more = '',
    stranger: ModelServer | null = null,
    usd?: number,
  ): Site {
    const limit = usd === undefined ? '' : `[faculty.budget]\nmax_usd = ${usd}\n`;
    return providerSite(pg.connectionString, providers, { model, more, limit }, stranger);
  }

  async function stateIs(id: string, state: string): Promise<void> {
    await eventually(`the work is ${state}`, async () => {
      const [row] = await pg.database.query('select state from animus.work_items where id = $1 and state = $2', [
        id,
        state,
      ]);
      return row ?? null;
    });
  }

  function askedOf(id: string) {
    return eventually('a person is asked', async () => {
      const [row] = await pg.database.query<{ request: Record<string, unknown> }>(
        `select request from animus.inbox where work_item_id = $1 and subject = 'provider'`,
        [id],
      );
      return row ?? null;
    });
  }
});

async function modelServer(): Promise<ModelServer> {
  return opened(
    startAnthropicServer(
      (body): AnthropicAnswer =>
        JSON.stringify(messagesOf(body)).includes('tool_result')
          ? { content: [text('Done.')] }
          : { content: [toolUse('w', 'wait_until', { seconds: 4, reason: 'a change' })] },
    ),
  );
}
