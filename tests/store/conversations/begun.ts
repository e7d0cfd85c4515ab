/** Steps of tests of conversations, through the SQL functions that a daemon calls. */
import { randomUUID } from 'node:crypto';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { type NewConversation, startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { continueFocus, readAnswerStart } from '../../../src/store/conversations/answer-start.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { answeredTurn, recordTurn } from '../../../src/store/transcript/turns.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { claimable, type FocusedWork } from '../../support/begun-focus.ts';
import { beginTurn } from '../../support/begun-turn.ts';

export interface Talk {
  readonly id: string;
  readonly faculty: string;
}

/** A conversation with a faculty of its own. */
export async function newTalk(db: Queryable, more: Partial<NewConversation> = {}): Promise<Talk> {
  const faculty = more.faculty ?? `f${randomUUID()}`;
  const workspaceId = more.workspaceId ?? (await createWorkspace(db, 'default'));
  return { id: await startConversation(db, { ...more, workspaceId, faculty }), faculty };
}

const PLACE = { host: 'test', directoryRoot: '/nowhere' };

/** The item that a claim of the faculty gets, or null. */
export async function claimOf(db: Queryable, { faculty }: Talk) {
  const [work] = await claimWork(db, randomUUID(), claimable(faculty, true), 1, 60);
  return work ?? null;
}

/** Claims the next item and begins its focus as a daemon does: it goes on with the one before, if it may. */
export async function beginAnswer(
  db: Queryable,
  talk: Talk,
): Promise<FocusedWork & { readonly continues: string | null }> {
  const work = await claimOf(db, talk);
  if (work === null) throw new Error('nothing to claim');
  const start = await readAnswerStart(db, work.id);
  const settings = { facultySnapshot: {}, systemPrompt: 'You test.', tools: [] };
  const row =
    (start?.before && (await continueFocus(db, work, PLACE, start.before))) ??
    (await startFocus(db, work, { ...PLACE, ...settings }));
  return {
    ...work,
    continues: start?.before?.focus ?? null,
    key: { workItemId: work.id, leaseToken: work.leaseToken, focusId: row.id },
  };
}

/** Records an answer of the focus and completes its item, again where others have locked what waits for it, as a daemon does. */
export async function endAnswer(db: Queryable, work: FocusedWork, text: string, turn = 1): Promise<void> {
  await recordText(db, work, turn, text);
  for (;;) {
    try {
      await completeWork(db, work, { text }, text);
      return;
    } catch (error) {
      if (!isAnimusError(error, 'work.locked')) throw error;
    }
  }
}

/** Records a turn that says something. */
export async function recordText(db: Queryable, work: FocusedWork, turn: number, text: string): Promise<void> {
  const answer = {
    provider: 'test',
    model: 'test',
    responseId: null,
    content: [{ type: 'text' as const, text }],
    stopReason: 'end_turn' as const,
    rawStopReason: null,
    cutToolCalls: [],
    usage: null,
    timeToFirstTokenMs: null,
    durationMs: 0,
  };
  await beginTurn(db, work.key, turn, 0);
  await recordTurn(db, work.key, answeredTurn(turn, answer), answer, 0);
}

/** Answers the next message. */
export async function answer(db: Queryable, talk: Talk, text: string, turn = 1): Promise<FocusedWork> {
  const work = await beginAnswer(db, talk);
  await endAnswer(db, work, text, turn);
  return work;
}
