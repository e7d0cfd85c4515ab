/** Skills that a call has activated: messages that are recorded with its end. */

import { readSkillMessages } from '../../store/skills/focus-skills.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { ACTIVATE_SKILL } from '../../tools/skills/activate-skill.ts';
import { withinLease } from '../calls/within-lease.ts';
import type { LoopFocus, LoopRun } from '../turn/loop-state.ts';

/** The transcript with the skills that the calls of its newest turn have activated, as they were recorded. Asks the database only if there may be some. */
export async function withSkills(
  transcript: Transcript,
  { key }: LoopFocus,
  { signal }: LoopRun,
  db: Database,
): Promise<Transcript> {
  const newest = transcript.turns.at(-1);
  if (!newest?.calls.some(({ name, state }) => name === ACTIVATE_SKILL && state === 'done')) return transcript;
  const recorded = await withinLease(() => readSkillMessages(db, key.focusId, newest.turn), signal);
  const known = transcript.messages.filter(({ kind, afterTurn }) => kind === 'skill' && afterTurn === newest.turn);
  return { ...transcript, messages: [...transcript.messages, ...recorded.slice(known.length)] };
}
