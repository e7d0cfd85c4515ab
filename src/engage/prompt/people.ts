/** What the model is told about decisions of people. */
import { isoSeconds } from '../../core/text/iso-seconds.ts';
import type { WaitResult } from '../../store/transcript/waits.ts';

/** The result of a call that a person did not approve. */
export function notApproved(result: WaitResult, at: Date): string {
  if (result.timed_out)
    return `This call needed a person's approval, and nobody decided until its deadline (${isoSeconds(at)}). It did not run.`;
  const note = result.note === undefined ? ' No reason was given.' : ` The reason given: ${result.note}`;
  return `${result.by ?? 'An operator'} denied this call at ${isoSeconds(at)}. It did not run.${note}`;
}

/** The result of an approved call that must not run after all. */
export function approvalVoid(reason: string): string {
  return `This call was approved, and then it did not run: ${reason}`;
}

/** The result of a call that needs a person where nobody can be asked. `reason`: why it needs one. */
export function nobodyAnswers(reason: string): string {
  return `This call needs a person (${reason}), and nobody can be asked in this run. It did not run.`;
}

/** Why work ends at a limit where nobody can raise it. */
export function nobodyRaises(exceeded: string): string {
  return `${exceeded}; nobody can be asked in this run`;
}
