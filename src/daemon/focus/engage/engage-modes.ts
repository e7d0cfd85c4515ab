/** Selects how a focus does its work, by the faculty's `engage.mode`. */
import type { EngageSettings } from '../../../catalog/faculty/faculty.ts';
import type { EngageDone } from '../../../engage/verdict/engage-end.ts';
import type { Transcript } from '../../../store/transcript/transcript.ts';
import type { FocusEnd } from '../scope/focus-end.ts';
import type { Focus } from '../scope/focus-scope.ts';
import { engageBuiltIn } from './built-in-engage.ts';
import { engageCode } from './code-engage.ts';
import { engageExternally } from './external-engage.ts';

/** Does the work from the end of what is recorded: done, or an end that skips consolidate. Rejects when the focus is aborted or its lease is lost. */
type Engage = (focus: Focus, recorded: Transcript) => Promise<FocusEnd | EngageDone>;

/** One entry per mode. `src/catalog/faculty/modes.ts` lists what each mode needs. */
export const ENGAGE_MODES: Readonly<Record<EngageSettings['mode'], Engage>> = {
  builtin: engageBuiltIn,
  external: engageExternally,
  code: engageCode,
};
