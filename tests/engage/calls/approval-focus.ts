/** Foci whose model calls `write`, which a person has to approve; parked, decided and resumed as a daemon would do it. */
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { createJournal } from '../../../src/engage/calls/journal.ts';
import type { EngageEnd } from '../../../src/engage/verdict/engage-end.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import type { Tool } from '../../../src/tools/tool.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';
import { callsOf } from './early-call-focus.ts';

/** A permission rule that asks about `write`. */
export const asks: CallGate = {
  name: 'permissions',
  when: () => 'now',
  judge: ({ tool }) => (tool.name === 'write' ? { kind: 'ask', reason: 'the rule write = "ask"' } : { kind: 'pass' }),
};

export interface AskingFocus {
  readonly focus: TestFocus;
  readonly id: string;
  /** The inputs with which `write` ran. */
  readonly ran: unknown[];
  /** Runs the loop as the process that has the lease does. */
  run(overrides?: Partial<LoopParts>): Promise<EngageEnd>;
  /** Parks the item, as the daemon does when the loop has parked; returns its state. */
  park(): Promise<string>;
  /** Claims the item for another daemon, which has the lease from then on; false if it cannot be claimed. */
  claim(): Promise<boolean>;
  calls(): Promise<readonly RecordedCall[]>;
}

/** `write` runs with its input; `read` only reads. */
export async function askingFocus(
  db: Database,
  script: string = callsOf('write'),
  options: {
    readonly tools?: readonly Tool[];
    readonly idempotent?: boolean;
    readonly gates?: readonly CallGate[];
  } = {},
): Promise<AskingFocus> {
  const ran: unknown[] = [];
  const write = testTool(
    'write',
    async (input) => {
      ran.push(input);
      return { content: 'written' };
    },
    options.idempotent,
  );
  const read = testTool('read', async () => ({ content: 'read' }), true);
  const focus = await startTestFocus(db, { script, tools: [write, read, ...(options.tools ?? [])] });
  const id = focus.key.workItemId;
  let key = focus.key;
  return {
    focus,
    id,
    ran,
    run(overrides = {}) {
      const means = focus.means();
      const over = overrides.db ?? db;
      return engage({
        ...means,
        focus: key,
        journal: createJournal(over, key),
        callScope: { ...means.callScope, ...key },
        gates: options.gates ?? [asks],
        ...overrides,
      });
    },
    park: () => parkWork(db, { id, leaseToken: key.leaseToken }),
    async claim() {
      const claimable = { [focus.means().faculty]: { max: 1, max_attempts: 3, dedup_until: 'resolved' as const } };
      const [work] = await claimWork(db, crypto.randomUUID(), claimable, 1, 60);
      if (!work) return false;
      await db.query(`update animus.work_items set state = 'running' where id = $1`, [id]);
      key = { ...key, leaseToken: work.leaseToken };
      return true;
    },
    calls: async () => (await readTranscript(db, focus.key.focusId)).turns.flatMap(({ calls }) => calls),
  };
}

/** A database on which the process dies at a statement that calls this function, before or after it is sent. */
export function dyingDatabase(db: Database, name: string, moment: 'before' | 'after') {
  const dead = new Error('killed');
  const death = new AbortController();
  const query: Database['query'] = async (sql, params) => {
    if (!sql.includes(`animus.${name}(`)) return db.query(sql, params);
    if (moment === 'after') await db.query(sql, params);
    death.abort(dead);
    throw dead;
  };
  return { dead, overrides: { db: { ...db, query }, signal: death.signal } as Partial<LoopParts> };
}

/** The actions of the decisions about an item, in order, each with the call and the beginning of what it is bound to. */
export async function decisionsOf(db: Database, id: string): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `select concat_ws(' ', action, call_id, left(encode(subject_digest, 'hex'), 6)) as line from animus.decisions where work_item_id = $1 order by seq`,
    [id],
  );
  return rows.map(({ line }) => line);
}
