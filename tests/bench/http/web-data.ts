/** What people who look at their work have in the database: items, and a conversation each. */

import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { importMessages } from '../../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { openLogin } from '../../../src/http/login/login.ts';
import { asVisitor } from '../../../src/http/login/visitor.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { createPerson, createToken } from '../../support/people.ts';

export interface WebPerson {
  readonly person: string;
  readonly token: string;
  /** Of fifty of its items that have ended, and of fifty that wait. */
  readonly ended: readonly string[];
  readonly waiting: readonly string[];
  /** The path of its conversation. */
  readonly chat: string;
}

export interface WebData {
  readonly people: readonly WebPerson[];
  /** Of an operator. */
  readonly operator: Pick<WebPerson, 'person' | 'token'>;
}

const PEOPLE = 20;

/** Items of 20 people, in turns; every tenth waits for a daemon. A conversation has 20 messages. `db` is the schema's owner. */
export async function fillWebData(db: Database, items: number): Promise<WebData> {
  await createPerson(db, 'olga', 'operator');
  const operator = { person: 'olga', token: (await createToken(db, 'olga')).secret };
  await fillWork(db, items);
  const names = Array.from({ length: PEOPLE }, (_, n) => `p${n}`);
  const people: WebPerson[] = [];
  for (const person of names) people.push(await webPerson(db, person));
  await db.query('vacuum analyze');
  return { people, operator };
}

/** As triggers would have written them. */
async function fillWork(db: Database, items: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `insert into animus.work_items (id, faculty, description, params, root_id, depth, state, created_at, updated_at, queue_msg_id, resolved_at,
                                      outcome_summary, outcome, submitted_by)
       select id, 'writer', 'Answer letter ' || n, '{"letter": 1}', id, 0, case when open then 'queued' else 'completed' end, now(), now(),
              case when open then nextval('pgmq.q_animus_work_msg_id_seq') end, case when not open then now() end,
              case when not open then 'It is answered.' end, case when not open then '{"answered": true}'::jsonb end, 'person:p' || n / 10 % $2::int
         from (select animus.uuid_v7() as id, n, n % 10 = 0 as open from generate_series(1, $1::int) n) i`,
      [items, PEOPLE],
    );
    await tx.query(
      `insert into pgmq.q_animus_work (msg_id, vt, message) overriding system value
       select queue_msg_id, created_at, jsonb_build_object('work_item_id', id) from animus.work_items where state = 'queued'`,
    );
  });
}

async function webPerson(db: Database, person: string): Promise<WebPerson> {
  await createPerson(db, person);
  const { secret: token } = await createToken(db, person);
  const idsOf = async (state: string) => {
    const rows = await db.query<{ id: string }>(
      'select id from animus.work_items where submitted_by = $1 and state = $2 order by id desc limit 50',
      [`person:${person}`, state],
    );
    return rows.map(({ id }) => id);
  };
  const visitor = await openLogin({ database: db }).visitor(`Bearer ${token}`);
  const chat = await asVisitor(db, visitor, async (tx) => {
    const workspaceId = await createWorkspace(tx, 'default');
    const id = await startConversation(tx, { workspaceId, faculty: 'writer' });
    const content = 'A sentence of a conversation, as long as sentences are. '.repeat(4);
    await importMessages(
      tx,
      id,
      Array.from({ length: 20 }, (_, n) => ({ role: n % 2 === 0 ? 'user' : 'assistant', content })),
    );
    return `/workspaces/${workspaceId}/chats/${id}`;
  });
  return { person, token, ended: await idsOf('completed'), waiting: await idsOf('queued'), chat };
}
