/** The agent's ledger entries, read from the recorded calls: the same before and after a crash. */
import type { LedgerType } from '../../core/work/work.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import { codeEntry } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** An entry that the agent wrote itself, as opposed to operators and hooks. */
export interface LedgerWrite {
  readonly turn: number;
  readonly type: LedgerType;
  readonly content: string;
}

/** The recorded entries of a turn, in the order of its calls; those that code wrote stand for the call that ran it. */
export function ledgerWrites(turn: RecordedTurn): LedgerWrite[] {
  const entries = turn.calls.flatMap((call) => (isWrite(call) ? [codeEntry(call)] : (call.wrote ?? [])));
  return entries.map(({ type, content }) => ({
    turn: turn.turn,
    type: type as LedgerType,
    content: String(content).trim(),
  }));
}

function isWrite(call: RecordedCall): boolean {
  return call.name === 'ledger_append' && call.state === 'done';
}
