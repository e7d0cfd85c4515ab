/** The rows of calls that code makes: what people can read later, bounded. */
import { toText } from '../../../store/sql/json.ts';
import type { CodeCallRow } from '../../../store/transcript/code-calls.ts';
import type { Tool, ToolOutput } from '../../../tools/tool.ts';
import { cutMiddle } from '../../prompt/cut-text.ts';

/** Bytes of one call on record; once the calls of an execution have `ROOMY_BYTES` together, further ones get less. */
const ROOMY = { input: 16_384, output: 2000 } as const;
const TIGHT = { input: 1000, output: 200 } as const;
const ROOMY_BYTES = 4 * 1024 * 1024;
const MAX_DETAILS_BYTES = 8192;

/** Its entries are read back from the record of the call, which therefore has them whole. */
const LEDGER_APPEND = 'ledger_append';
/** Of an entry, as JSON: 16,000 characters, however they are written. */
const MAX_ENTRY_BYTES = 131_072;

/** Why a call cannot be recorded as it has to be; null: it can. */
export function unrecordable(name: string, input: unknown): string | null {
  const bytes = name === LEDGER_APPEND ? sizeOf(input) : 0;
  return bytes <= MAX_ENTRY_BYTES
    ? null
    : `the input of ${name} has ${bytes} bytes; code may give it ${MAX_ENTRY_BYTES}`;
}

/** A call of code before it has a result. */
export interface NestedCallStart {
  readonly n: number;
  readonly name: string;
  readonly input: unknown;
  /** What it runs with in place of `input`; null: unchanged. */
  readonly finalInput: { readonly value: unknown } | null;
  /** Undefined: there is no such tool, or its input is invalid. */
  readonly tool: Tool | undefined;
}

export interface NestedRecord {
  begun(call: NestedCallStart): CodeCallRow;
  ended(call: NestedCallStart, state: CodeCallRow['state'], output: ToolOutput, durationMs: number): CodeCallRow;
}

/** Makes the rows of one execution. */
export function createNestedRecord(): NestedRecord {
  let bytes = 0;
  /** Each input as it is kept: it is in two rows, and may have megabytes. */
  const kept = new WeakMap<object, unknown>();
  const limits = () => (bytes < ROOMY_BYTES ? ROOMY : TIGHT);

  function keptInput(input: unknown, most: number): unknown {
    if (typeof input !== 'object' || input === null) return boundedInput(input, most);
    if (!kept.has(input)) kept.set(input, boundedInput(input, most));
    return kept.get(input);
  }

  function rowOf(call: NestedCallStart): CodeCallRow {
    const { n, name, tool } = call;
    // Entries of the ledger are read back from here; a call with a longer input is refused.
    const most = tool?.name === LEDGER_APPEND ? MAX_ENTRY_BYTES : limits().input;
    const input = keptInput(call.input, most);
    const finalInput = call.finalInput === null ? null : keptInput(call.finalInput.value, most);
    bytes += sizeOf(input) + sizeOf(finalInput);
    const open = { output: null, outputBytes: null, isError: null, details: null, durationMs: null };
    return { n, name, input, finalInput, state: 'started', ...open };
  }

  return {
    begun: rowOf,
    ended(call, state, { content, isError = false, details = null }, durationMs) {
      const text = toText(content);
      const outputBytes = Buffer.byteLength(text);
      const output = cutMiddle(
        text,
        limits().output,
        (leftOut) => `\n[… ${leftOut} bytes were given to the code only …]\n`,
      );
      bytes += Buffer.byteLength(output);
      const kept = sizeOf(details) <= MAX_DETAILS_BYTES ? details : null;
      const ended = { state, output: output || '(no output)', outputBytes, isError, details: kept, durationMs };
      return { ...rowOf(call), ...ended };
    },
  };
}

function boundedInput(input: unknown, most: number): unknown {
  const cutText = (text: string) => cutMiddle(text, most, (leftOut) => `[… ${leftOut} bytes left out …]`);
  let leftOut = 0;
  // Long texts are cut before they are written as JSON: escapes of millions of characters take a third of a second.
  const json = JSON.stringify(input, (_key, value: unknown) => {
    if (typeof value !== 'string' || value.length <= most) return value;
    const cut = cutText(value);
    leftOut += Buffer.byteLength(value) - Buffer.byteLength(cut);
    return cut;
  });
  const text = json ?? 'null';
  const bytes = Buffer.byteLength(text) + leftOut;
  return bytes <= most ? input : { cut: cutText(text), bytes };
}

function sizeOf(value: unknown): number {
  return value === null ? 0 : Buffer.byteLength(JSON.stringify(value) ?? '');
}
