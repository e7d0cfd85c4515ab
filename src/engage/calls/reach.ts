/** What the calls of a focus work with: what they may reach, and what the run keeps for them. */
import type { Database } from '../../store/sql/database.ts';
import type { Tool } from '../../tools/tool.ts';
import type { FocusListener } from '../events/events.ts';
import type { CallScope } from './call-scope.ts';
import type { CallGuard } from './gate.ts';
import type { Journal } from './journal.ts';
import type { Sight } from './sight.ts';

/** What calls may reach: the same for as long as the focus runs here. */
export interface Reach {
  readonly db: Database;
  readonly toolset: ReadonlyMap<string, Tool>;
  readonly callScope: CallScope;
  readonly guard: CallGuard;
  /** Of an answer, and of one execution of code. */
  readonly maxParallelTools: number;
  /** Not there: nobody looks at the files of results. */
  readonly sight?: Sight | undefined;
}

/** What a run keeps for its calls. */
export interface CallsRun {
  readonly journal: Journal;
  /** Aborts what runs now. */
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
}
