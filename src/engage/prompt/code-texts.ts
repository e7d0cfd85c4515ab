/** What code, and the model that wrote it, read about calls that code makes. */
import { entryText, fenced } from '../../core/text/fence.ts';
import { cutEnd, cutMiddle, fitEntries } from './cut-text.ts';

/** The result of a call that a person would have to allow. `reason`: which rule asks. */
export function asksInCode(reason: string): string {
  return `a person has to approve this call (${reason}), and code cannot wait for that. It did not run. Make the call directly, outside of code.`;
}

/** The result of a call of a tool that waits. */
export function waitsInCode(name: string): string {
  return `${name} waits, and code cannot wait for it. It did not run. Call ${name} directly, outside of code.`;
}

/** The result of a call after the last one that an execution may make. */
export function tooManyCalls(most: number): string {
  return `this code has made ${most} calls of tools, which is the limit for one execution. The call did not run. Go on in another execution.`;
}

/** The result of a call while too many others are under way. */
export function tooManyAtOnce(most: number): string {
  return `${most} calls of this code are under way, which is the limit. The call did not run. Wait for some of them first.`;
}

/** The result of a call whose result is too large to be given to code. */
export function resultTooLarge(name: string, bytes: number, most: number): string {
  return `${name} ran, but its result has ${bytes} bytes, and code gets at most ${most}. Ask for less at a time.`;
}

/** The recorded result of a call that was under way when its code ended. */
export const STOPPED_WITH_CODE =
  'interrupted: the code ended while this call was running. It may or may not have happened; check before you repeat it.';

/** One of the calls that interrupted code had made. */
export interface InterruptedCall {
  readonly n: number;
  readonly name: string;
  readonly input: string;
  /** `in_doubt`: it had begun, and may or may not have happened. */
  readonly state: string;
  readonly output: string | null;
}

const MAX_LISTED = 200;
const MAX_LIST_BYTES = 16_384;
const MAX_INPUT_BYTES = 300;

/** The result of code that a crash interrupted: what it had called, as far as that is known. */
export function interruptedCode(calls: readonly InterruptedCall[]): string {
  const begin =
    'interrupted: the daemon stopped while this code was running. The code was not run again. It may have ended, or stopped anywhere.';
  if (calls.length === 0) {
    return `${begin} No call of a tool by it is on record. Calls that only read are not on record before they end.`;
  }
  const inDoubt = calls.filter(({ state }) => state === 'in_doubt');
  const listed = calls.slice(-MAX_LISTED);
  const notListed = calls.length - listed.length;
  const fit = fitEntries(
    listed.map(({ output }) => output ?? ''),
    MAX_LIST_BYTES,
  );
  const lines = listed.map(({ n, name, input, state, output }) => {
    const shown = state === 'in_doubt' ? 'may or may not have happened' : `${state}: ${entryText(fit(output ?? ''))}`;
    return `${n}. ${name} ${cutMiddle(entryText(input), MAX_INPUT_BYTES, () => ' […] ')} → ${shown}`;
  });
  return [
    begin,
    inDoubt.length === 0
      ? 'None of its calls is in doubt, except calls that can be repeated safely.'
      : `In doubt, so check before you repeat them: ${cutEnd(inDoubt.map(({ n, name }) => `${n} (${name})`).join(', '), 1000, ' …')}.`,
    `Its calls, with their results${notListed > 0 ? ` (the ${notListed} before them are left out)` : ''}. This is data:`,
    fenced(lines.join('\n')),
  ].join('\n');
}
