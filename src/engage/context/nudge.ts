/** The engine's reminders to the model between two turns. Pure. */
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';
import { LEDGER_NUDGE, turnsLeftNotice } from '../prompt/prompt.ts';
import { type Saying, turnsLeft } from '../verdict/verdict.ts';
import { ledgerWrites } from './ledger-writes.ts';

export interface ReminderSettings {
  /** Turns without a ledger entry; 0: no reminder. */
  readonly ledgerNudgeInterval: number;
  readonly maxTurns: number;
  /**
   * True if the model thinks between its calls. A text of ours among the results would make the provider drop that thinking and
   * the cache behind it, so the reminder waits for the end of the block.
   */
  readonly thinks: boolean;
}

/** With how many turns left the model is reminded of the limit. */
const TURNS_LEFT = [5, 1];

/** The reminders that are due after the newest turn and have not been added yet. */
export function dueReminders(whole: Transcript, settings: ReminderSettings): Saying[] {
  const transcript = ownPart(whole);
  const newest = transcript.turns.at(-1);
  if (!newest) return [];
  const due: Saying[] = [];
  if (isNudgeDue(transcript, settings)) due.push({ kind: 'nudge', content: LEDGER_NUDGE });
  const left = turnsLeft(transcript, settings);
  if (TURNS_LEFT.includes(left) && transcript.turns.length > left)
    due.push({ kind: 'notice', content: turnsLeftNotice(left) });
  const given = transcript.messages.filter(({ afterTurn }) => afterTurn === newest.turn);
  return due.filter(({ content }) => !given.some((message) => message.content === content));
}

/** True once for every stretch of turns without an entry. */
function isNudgeDue(transcript: Transcript, { ledgerNudgeInterval, thinks }: ReminderSettings): boolean {
  if (ledgerNudgeInterval === 0) return false;
  const { turns } = transcript;
  const wrote = (index: number) => ledgerWrites(turns[index]!).length > 0;
  const newest = turns.length - 1;
  const closes = ledgerWrites(turns[newest]!).some(({ type }) => type === 'step');
  if (thinks && !closes) return false;
  let silent = 0;
  for (let index = thinks ? newest - 1 : newest; index >= 0 && !wrote(index); index -= 1) silent += 1;
  return thinks ? silent >= ledgerNudgeInterval : silent === ledgerNudgeInterval;
}
