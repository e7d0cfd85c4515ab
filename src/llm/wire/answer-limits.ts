import { type Fault, fault } from './fault.ts';

/** No model calls more tools at once, and each call is a row and a result. */
const MAX_CALLS = 1000;
/** Blocks, citations and other parts of an answer. */
const MAX_PARTS = 20_000;
/** Four million tokens of text: no model writes more, and what is kept must fit into memory and a row. */
const MAX_CHARS = 16 * 1024 * 1024;

export type AnswerLimits = ReturnType<typeof answerLimits>;

/** Counts what a fold keeps of one answer, the same limits for every wire: 1,000 calls, 20,000 parts and 16 Mi characters. */
export function answerLimits() {
  let calls = 0;
  let parts = 0;
  let chars = 0;
  return {
    call: () => void (calls += 1),
    /** A block, a citation or another part. */
    part: () => void (parts += 1),
    /** Characters that are kept. */
    keep: (more: number) => void (chars += more),
    /** The fault of an answer beyond a limit. It is not retried: the same request would be answered the same way. */
    fault(): Fault | null {
      if (calls > MAX_CALLS) return tooMuch(`more than ${MAX_CALLS} tool calls`);
      if (parts > MAX_PARTS) return tooMuch(`more than ${MAX_PARTS} parts`);
      return chars > MAX_CHARS ? tooMuch(`more than ${MAX_CHARS} characters`) : null;
    },
  };
}

function tooMuch(what: string): Fault {
  return fault('protocol', `the answer has ${what}`, { retryable: false });
}
