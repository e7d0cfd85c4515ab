/** The agent's ledger entries, read from the recorded calls: the same before and after a crash. */
import type { LedgerType } from '../../core/work/work.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** An entry that the agent wrote itself, as opposed to operators and hooks. */
export interface LedgerWrite {
  readonly turn: number;
  readonly type: LedgerType;
  readonly content: string;
}

/** The recorded entries of a turn, in the order of their calls. */
export function ledgerWrites(turn: RecordedTurn): LedgerWrite[] {
  return turn.calls.filter(isWrite).map(({ input }) => ({
    turn: turn.turn,
    type: input['type'] as LedgerType,
    content: String(input['content']).trim(),
  }));
}

/** A call that is done was valid, so its input has the form of the tool. */
function isWrite(call: RecordedCall): boolean {
  return call.name === 'ledger_append' && call.state === 'done';
}
