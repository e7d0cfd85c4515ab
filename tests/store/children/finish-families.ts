/** Brings families to an end as daemons would, and checks that none of their items waits without a reason. */
import type { Database } from '../../../src/store/sql/database.ts';
import { resolveDueWaits } from '../../../src/store/transcript/waits.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { endCancelled } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';

interface OpenItem {
  readonly id: string;
  readonly state: string;
  readonly leaseToken: string;
  readonly cancelled: boolean;
  /** Of a waiting item: whether every wait of it is over, or one is over that nobody has ended. */
  readonly forgotten: boolean;
}

/** Throws if an item waits for what has ended, or if all that are left wait for each other. */
export async function finishFamilies(db: Database, roots: readonly { readonly id: string }[]): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await resolveDueWaits(db, 1000);
    const open = await openItems(
      db,
      roots.map(({ id }) => id),
    );
    if (open.length === 0) return;
    const forgotten = open.find((item) => item.forgotten);
    if (forgotten) throw new Error(`${forgotten.id} waits, and what it waits for has ended`);
    const ready = open.filter(({ state }) => state !== 'waiting');
    if (ready.length === 0) throw new Error(`wait for each other: ${open.map(({ id }) => id).join(', ')}`);
    for (const item of ready) await end(db, item);
  }
  throw new Error('the families do not come to an end');
}

async function end(db: Database, item: OpenItem): Promise<void> {
  if (item.state === 'queued') {
    // A claim may find it changed: by the end of another item of this round.
    const work = await beginFocus(db, { id: item.id }).catch(() => null);
    if (work) await end(db, { ...item, state: 'running', leaseToken: work.leaseToken });
  } else if (item.cancelled) {
    await endCancelled(db, item);
  } else {
    await completeBatch(db, [
      { id: item.id, leaseToken: item.leaseToken, outcome: {}, summary: null, unread: 'the test ends' },
    ]);
  }
}

function openItems(db: Database, roots: readonly string[]): Promise<OpenItem[]> {
  return db.query<OpenItem>(
    `select w.id, w.state, w.lease_token as "leaseToken", w.cancel_requested_at is not null as cancelled,
            w.state = 'waiting' and (
              not exists (select from animus.waits a where a.work_item_id = w.id and a.resolved_at is null)
              or exists (select from animus.waits a where a.work_item_id = w.id and a.resolved_at is null and a.kind = 'children'
                           and animus.children_ended(a.targets, a.mode))) as forgotten
       from animus.work_items w where w.root_id = any ($1) and w.resolved_at is null order by w.id`,
    [roots],
  );
}
