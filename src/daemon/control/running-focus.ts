import type { ClaimedWork } from '../../store/work/work.ts';
import type { FocusControl } from '../focus/scope/focus-control.ts';
import type { FocusLease } from './focus-lease.ts';

/** A focus of this daemon, running or waiting for a slot. */
export interface RunningFocus {
  readonly work: ClaimedWork;
  readonly control: FocusControl;
  readonly lease: FocusLease;
  /** When the claim was sent, in monotonic milliseconds: the lease cannot have begun earlier. */
  readonly leasedAtMs: number;
}
