import type { Database } from '../../../store/sql/database.ts';
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import type { RecordedTurn } from '../../../store/transcript/turns.ts';
import type { EndedNestedCall } from '../../../tools/tool.ts';
import type { FocusListener } from '../../events/events.ts';
import type { AfterRun } from '../gate.ts';
import type { GateMeans } from '../gates.ts';
import type { NestedJournal } from './nested-journal.ts';
import type { NestedRecord } from './nested-record.ts';

/** The execution that a call belongs to. */
export interface Execution {
  readonly turn: RecordedTurn;
  /** The call that runs the code. */
  readonly parent: RecordedCall;
  readonly means: NestedMeans;
  readonly record: NestedRecord;
  readonly journal: NestedJournal;
  readonly onEnd: (ended: EndedNestedCall, call: RecordedCall) => void;
}

/** The dependencies of calls from code: those of calls of the model. */
export interface NestedMeans extends GateMeans {
  readonly db: Database;
  readonly afterRun?: AfterRun;
  readonly maxParallelTools: number;
  readonly onEvent: FocusListener;
}
