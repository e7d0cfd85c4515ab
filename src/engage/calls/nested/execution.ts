/** One execution of code, as its calls see it. */
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../../store/transcript/turns.ts';
import type { EndedNestedCall } from '../../../tools/tool.ts';
import type { CallsRun, Reach } from '../reach.ts';
import type { NestedJournal } from './nested-journal.ts';
import type { NestedRecord } from './nested-record.ts';

/** The execution that a call belongs to. */
export interface Execution {
  readonly turn: RecordedTurn;
  /** The call that runs the code. */
  readonly parent: RecordedCall;
  readonly run: CallsRun;
  /** Without tools that run code. */
  readonly reach: Reach;
  readonly record: NestedRecord;
  readonly journal: NestedJournal;
  readonly onEnd: (ended: EndedNestedCall, call: RecordedCall) => void;
}
