/** Parents and children for tests, made by the functions that daemons and tools call. */
import { randomUUID } from 'node:crypto';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import {
  lockChildren,
  type NewChild,
  type SpawnedChild,
  spawnChildWork,
} from '../../../src/store/transcript/children.ts';
import { openWait, parkWork, type WaitRequest } from '../../../src/store/transcript/waits.ts';
import { beginFocus, type FocusedWork, itemOf, recordCalls } from '../../support/begun-focus.ts';

export const LIMITS = { maxChildren: 1000, maxDepth: 5 };

/** A running item whose turn 1 has these calls, all started. */
export async function runningParent(
  db: Queryable,
  calls: readonly string[] = ['await'],
  id?: string,
): Promise<FocusedWork> {
  const parent = await beginFocus(db, id === undefined ? {} : { id });
  await recordCalls(db, parent, 1, calls, 'await_child_work');
  return parent;
}

/** Child work of a faculty of its own, so that a test can claim exactly this one. */
export function spawn(db: Queryable, parent: FocusedWork, child: Partial<NewChild> = {}): Promise<SpawnedChild> {
  return spawnChildWork(
    db,
    { ...parent.key, callId: 'spawn' },
    {
      faculty: `f${randomUUID()}`,
      description: 'a part',
      params: {},
      skill: null,
      priority: null,
      dedupKey: null,
      detached: false,
      traceContext: null,
      ...child,
    },
    LIMITS,
  );
}

/** Opens a wait as the tool does: checked, locked and recorded in one transaction. Returns whether it waits. */
export function await_(
  db: Database,
  parent: FocusedWork,
  {
    ids = null,
    call = 'await',
    mode = 'all',
    deadline = null,
  }: Partial<Pick<WaitRequest, 'mode' | 'deadline'>> & {
    readonly ids?: readonly string[] | null;
    readonly call?: string;
  } = {},
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const children = await lockChildren(tx, parent.key, ids);
    const ended = children.filter((child) => child.ended).length;
    if (children.length === 0) return false;
    if (mode === 'all' ? ended === children.length : ended > 0) return false;
    const targets = [...new Set(children.map(({ targetId }) => targetId))];
    return openWait(tx, parent.key, 1, call, { kind: 'children', targets, mode, deadline });
  });
}

/** A parent that is parked until its children have ended. */
export async function parkedParent(db: Database, children: number, mode: 'all' | 'any' = 'all') {
  const parent = await runningParent(db);
  const spawned: SpawnedChild[] = [];
  for (let index = 0; index < children; index++) spawned.push(await spawn(db, parent));
  await await_(db, parent, { mode });
  await parkWork(db, parent);
  return { parent, children: spawned.map(({ id }) => id) };
}

/** The item's state. */
export async function stateOf(db: Queryable, id: string): Promise<unknown> {
  return (await itemOf(db, id))['state'];
}
