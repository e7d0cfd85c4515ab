/** Random lives of what has events. */
import type { EventScope } from '../../../src/store/events/read-events.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { retryWork } from '../../../src/store/work/operate.ts';
import { randomConversation } from '../../store/events/random-conversation.ts';
import { randomHistory } from '../../store/events/random-history.ts';
import { personEyes } from '../../support/event-server.ts';

/** Lives a new item or conversation; each `step` does one thing, and moves the clock of the database by `move`. `gateway` acts for people. */
export async function randomLife(
  kind: EventScope['kind'],
  db: Queryable,
  random: () => number,
  gateway: Database,
  move: (by: string) => Promise<void>,
) {
  const tick = async () => {
    if (random() < 0.9) await move(`+${random() < 0.1 ? '-2' : '0.01'} seconds`);
  };
  if (kind === 'work') {
    const [item] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty) values ('f' || gen_random_uuid()) returning id`,
    );
    const scope: EventScope = { kind, id: item!.id };
    let history = randomHistory(db, scope.id, random);
    const orStartOver = async (act: () => Promise<unknown>) => {
      try {
        await act();
      } catch (error) {
        // It was lost too often.
        if (!/was not claimed/.test(String(error))) throw error;
        await retryWork(db, scope.id);
        history = randomHistory(db, scope.id, random);
      }
    };
    return {
      scope,
      async step() {
        await tick();
        await orStartOver(() => history.step());
      },
      async finish() {
        const ended = async () =>
          (await db.query(`select from animus.work_items where id = $1 and state = 'completed'`, [scope.id])).length >
          0;
        while (!(await ended())) await orStartOver(() => history.finish());
      },
    };
  }
  const act = async (person: string, what: (tx: Queryable) => Promise<unknown>) =>
    personEyes(gateway, person).look(what);
  const chat = await randomConversation(db, random, act, () => move('+60 seconds'));
  const scope: EventScope = { kind, id: chat.id };
  return {
    scope,
    async step() {
      await tick();
      await chat.step();
    },
    finish: () => chat.finish(),
  };
}
