/** Promise: a daemon that is killed while messages are delivered loses none and repeats none, and its requests stay the same. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import { type Choose, type Kill, moments, runWithKills } from './journal-kills.ts';
import { idempotentProgramme } from './twenty-turns.ts';

/** One message in the transaction that records each of the turns 3 to 10, and one while the model gives its last answer. */
const SAYING = `
  create function public.say_something() returns trigger language plpgsql as $$
  begin
    perform animus.say((select work_item_id from animus.foci where id = new.focus_id), 'message <' || new.turn || '>');
    return null;
  end $$;
  create trigger say_at_record after update of recorded_at on animus.turns
    for each row when (new.turn between 3 and 10) execute function public.say_something();
  create trigger say_at_end after insert on animus.turns for each row when (new.turn = 11) execute function public.say_something()`;
const SAID = [3, 4, 5, 6, 7, 8, 9, 10, 11];

describe('messages to a daemon that is killed', () => {
  const pg = testDatabase({ anew: true });

  it('reach the model once each, in the same requests as without kills', async () => {
    await pg.database.query(SAYING);
    const run = async (kills: readonly Kill[]) => {
      const server = await startModelServer(idempotentProgramme);
      onTestFinished(() => server.close());
      const inOrder: Choose = ([next], call, moment, times) =>
        next?.call === call && next.moment === moment && next.nth <= times ? 0 : -1;
      const { id, site, met } = await runWithKills(pg, server, inOrder, kills);
      expect(met).toEqual(kills);
      const [focus] = await pg.database.query<{ id: string; directory: string }>(
        `select id, directory from animus.foci where work_item_id = $1`,
        [id],
      );
      const whole = JSON.stringify(messagesOf(server.requests.at(-1)!.json!));
      expect(SAID.map((n) => whole.split(`message <${n}>`).length - 1)).toEqual(SAID.map(() => 1));
      const mail = await pg.database.query(
        `select count(*)::int as said, count(delivered_at)::int as delivered from animus.mailbox where work_item_id = $1`,
        [id],
      );
      expect(mail).toEqual([{ said: SAID.length, delivered: SAID.length }]);
      const bodies = server.requests.map(({ body }) =>
        body
          .toString()
          .replaceAll(focus!.directory, '<dir>')
          .replaceAll(focus!.id, '<focus>')
          .replaceAll(id, '<work>')
          .replaceAll(site.directory, '<site>')
          .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, '<time>'),
      );
      return bodies.filter((body, index) => body !== bodies[index - 1]);
    };

    const unkilled = await run([]);
    const killed = await run([
      // The message is delivered, and the turn is not begun.
      { call: 'begin_turn', nth: 3, moment: 'after' },
      // The turn is begun with it.
      { call: 'begin_turn', nth: 2, moment: 'after' },
      { call: 'begin_turn', nth: 1, moment: 'before' },
      { call: 'record_turn', nth: 2, moment: 'after' },
      { call: 'begin_turn', nth: 1, moment: 'after' },
      ...moments('complete_batch', 1),
    ]);
    expect(killed.length).toBe(unkilled.length);
    for (const [n, body] of killed.entries()) expect([n, body === unkilled[n]]).toEqual([n, true]);
  }, 180_000);
});
