/** Random lives of a conversation: messages of two people, edits, retries, deletions, told messages, and the lives of the items that answer. */
import { randomUUID } from 'node:crypto';
import {
  changeConversation,
  setParticipant,
  startConversation,
} from '../../../src/features/conversations/store/conversations.ts';
import {
  deleteMessage,
  editMessage,
  retryMessage,
  sayInConversation,
} from '../../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { continueFocus, readAnswerStart } from '../../../src/store/conversations/answer-start.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { retryWork } from '../../../src/store/work/operate.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { claimable, type FocusedWork } from '../../support/begun-focus.ts';
import { randomHistory } from './random-history.ts';

interface ItemRow {
  readonly id: string;
  readonly open: boolean;
  readonly blocked: boolean;
  readonly cancelling: boolean;
  readonly retriable: boolean;
}

/** Lives one conversation: each `step` does one thing. `as` runs what a person says or changes, as alice or bob; `later` moves the clock. */
export async function randomConversation(
  db: Queryable,
  random: () => number,
  as: (person: string, act: (tx: Queryable) => Promise<unknown>) => Promise<unknown>,
  later: () => Promise<void>,
) {
  const id = await startConversation(db, { workspaceId: await createWorkspace(db, 'default'), faculty: 'first' });
  for (const actor of ['person:alice', 'person:bob']) await setParticipant(db, id, actor);
  const lives = new Map<string, ReturnType<typeof randomHistory>>();
  const any = <Item>(all: readonly Item[]): Item | undefined => all[Math.floor(random() * all.length)];
  const person = () => (random() < 0.5 ? 'alice' : 'bob');

  /** Each item has a faculty of its own, so that it can be claimed alone. */
  const anew = async (act: (tx: Queryable) => Promise<unknown>, who = person()) => {
    await changeConversation(db, id, {
      faculty: `f${randomUUID()}`,
      while_answering: random() < 0.3 ? 'tell' : 'queue',
    });
    await as(who, act);
  };
  const say = () => anew((tx) => sayInConversation(tx, id, `words ${random()}`));

  async function change(): Promise<void> {
    const rows = await db.query<{ id: string; author: string; role: string; told: boolean }>(
      'select id::text, author, role, told from animus.chat_messages where file_id = $1 and deleted_at is null',
      [id],
    );
    const message = any(rows);
    if (message === undefined) return;
    const author = message.author.replace('person:', '');
    if (random() < 0.3) await as(message.role === 'user' ? author : person(), (tx) => deleteMessage(tx, message.id));
    else if (message.told) return;
    else if (message.role === 'user' && random() < 0.5)
      await anew((tx) => editMessage(tx, message.id, `other words ${random()}`), author);
    else await anew((tx) => retryMessage(tx, message.id)).catch(ignoreDeleted);
  }

  async function items(): Promise<ItemRow[]> {
    return db.query<ItemRow>(
      `select w.id, w.resolved_at is null as open, w.key_blocked as blocked, w.cancel_requested_at is not null as cancelling,
              w.state in ('dead', 'cancelled') and m.deleted_at is null as retriable
         from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id where m.file_id = $1 and m.role = 'user' and not m.told order by m.id`,
      [id],
    );
  }

  function lifeOf({ id: item }: ItemRow) {
    const life = lives.get(item) ?? randomHistory(db, item, random, () => beginAnswer(db, item, random, later));
    lives.set(item, life);
    return life;
  }

  async function live(): Promise<void> {
    const all = await items();
    const item = any(all.filter(({ open, blocked }) => open && !blocked));
    if (item === undefined) return;
    await (item.cancelling ? lifeOf(item).stop() : lifeOf(item).step()).catch(startOver(item));
  }

  /** An item that was lost too often is dead: whoever retries it begins a new life. */
  function startOver({ id: item }: ItemRow) {
    return (error: unknown) => {
      if (!/was not claimed/.test(String(error))) throw error;
      lives.delete(item);
    };
  }

  /** An operator retries an answer, or writes to one that has ended. */
  async function operate(): Promise<void> {
    const item = any((await items()).filter(({ open }) => !open));
    if (item === undefined) return;
    if (item.retriable && random() < 0.5) {
      await lifeOf(item).stop();
      await retryWork(db, item.id);
      lives.delete(item.id);
    } else await db.query(`select animus.append_ledger($1, 'note', 'too late')`, [item.id]);
  }

  return {
    id,
    async step(): Promise<void> {
      const dice = random();
      if (dice < 0.1) await say();
      else if (dice < 0.16) await change();
      else if (dice < 0.2) await operate();
      else await live();
    },
    /** Brings every answer to its end. */
    async finish(): Promise<void> {
      for (let n = 0; n < 100; n++) {
        const item = (await items()).find(({ open, blocked }) => open && !blocked);
        if (item === undefined) return;
        await (item.cancelling ? lifeOf(item).stop() : lifeOf(item).finish()).catch(startOver(item));
      }
      throw new Error('it does not end');
    },
  };
}

/** The message of an answer may have been deleted. */
function ignoreDeleted(error: unknown): void {
  if (!/is deleted|was told/.test(String(error))) throw error;
}

/** Claims the item of a faculty of its own, and goes on with the answer before or not. */
async function beginAnswer(
  db: Queryable,
  id: string,
  random: () => number,
  later: () => Promise<void>,
): Promise<FocusedWork> {
  const [item] = await db.query<{ faculty: string }>('select faculty from animus.work_items where id = $1', [id]);
  let work = await claimNow(db, item!.faculty);
  if (work === undefined) {
    // Its time may have been in the future since the clock was set back.
    await later();
    work = await claimNow(db, item!.faculty);
  }
  if (work?.id !== id) throw new Error(`${id} was not claimed`);
  const [before] = await db.query<{ id: string }>(
    // Like answer_start: the newest focus of an item that has ended.
    `select f.id from animus.foci f join animus.chat_messages m on m.work_item_id = f.work_item_id
       join animus.work_items w on w.id = f.work_item_id and w.resolved_at is not null
      where f.number = (select max(n.number) from animus.foci n where n.work_item_id = w.id) and m.file_id = (select file_id from animus.chat_messages where work_item_id = $1 limit 1) and f.work_item_id <> $1 and f.ended_as is not null
      order by f.started_at desc limit 1`,
    [id],
  );
  const start = await readAnswerStart(db, id);
  const place = { host: 'test', directoryRoot: '/nowhere' };
  const goesOn = before !== undefined && random() < 0.5 && start !== null;
  const row =
    (goesOn && (await continueFocus(db, work, place, { focus: before.id } as Parameters<typeof continueFocus>[3]))) ||
    (await startFocus(db, work, { ...place, facultySnapshot: {}, systemPrompt: 'You test.', tools: [] }));
  return { ...work, key: { workItemId: id, leaseToken: work.leaseToken, focusId: row.id } };
}

async function claimNow(db: Queryable, faculty: string) {
  const [work] = await claimWork(db, randomUUID(), claimable(faculty, true), 1, 60);
  return work;
}
