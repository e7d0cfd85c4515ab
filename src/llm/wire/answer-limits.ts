import { type Fault, fault } from './fault.ts';

/** No model calls more tools at once, and each call is a row and a result. */
const MAX_CALLS = 1000;
/** Blocks, citations and other parts of an answer. */
const MAX_PARTS = 20_000;
/** Four million tokens of text: no model writes more, and what is kept must fit into memory and a row. */
const MAX_CHARS = 16 * 1024 * 1024;

/** Counts what a fold keeps of an answer, the same limits for every wire. */
export interface AnswerLimits {
  /** Counts a call. */
  call(): void;
  /** Counts a block, a citation or another part. */
  part(): void;
  /** Counts characters that are kept. */
  keep(chars: number): void;
  /** The fault of an answer beyond a limit. It is not retried: the same request would be answered the same way. */
  fault(): Fault | null;
}

/** Limits of one answer: 1,000 calls, 20,000 parts and 16 Mi characters. */
export function answerLimits(): AnswerLimits {
  let calls = 0;
  let parts = 0;
  let chars = 0;
  return {
    call() {
      calls += 1;
    },
    part() {
      parts += 1;
    },
    keep(more) {
      chars += more;
    },
    fault() {
      if (calls > MAX_CALLS) return tooMuch(`more than ${MAX_CALLS} tool calls`);
      if (parts > MAX_PARTS) return tooMuch(`more than ${MAX_PARTS} parts`);
      return chars > MAX_CHARS ? tooMuch(`more than ${MAX_CHARS} characters`) : null;
    },
  };
}

function tooMuch(what: string): Fault {
  return fault('protocol', `the answer has ${what}`, { retryable: false });
}
