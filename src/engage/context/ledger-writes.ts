/** The agent's ledger entries, read from the recorded calls: the same before and after a crash. */
import type { LedgerType } from '../../core/work/work.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** An entry the agent wrote itself. Entries of operators and hooks are not among them. */
export interface LedgerWrite {
  readonly turn: number;
  readonly type: LedgerType;
  readonly content: string;
}

/** The entries of a turn that were recorded, in the order they were asked for. */
export function ledgerWrites(turn: RecordedTurn): LedgerWrite[] {
  return turn.calls.filter(isWrite).map(({ input }) => ({
    turn: turn.turn,
    type: input['type'] as LedgerType,
    content: String(input['content']).trim(),
  }));
}

/** A call that is done was valid: its input has the tool's form. */
function isWrite(call: RecordedCall): boolean {
  return call.name === 'ledger_append' && call.state === 'done';
}
