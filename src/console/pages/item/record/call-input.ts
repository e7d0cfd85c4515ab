/** What a call was asked to do, as people read it. */
import { compareTexts } from '../../../ui/compare-lines.ts';
import type { PatchFile } from '../../../ui/patch.ts';
import type { CallRow } from './rows.ts';

export type CallChange =
  | { readonly is: 'files'; readonly files: readonly PatchFile[] }
  | { readonly is: 'command'; readonly command: string };

type Input = Readonly<Record<string, unknown>>;

/** The most telling field of the input, in one line. */
export function shortInput({ input, finalInput }: Pick<CallRow, 'input' | 'finalInput'>): string {
  const used = finalInput ?? input;
  if (typeof used !== 'object' || used === null) return JSON.stringify(used) ?? '';
  const values = Object.values(used);
  const first = values.find((value) => typeof value === 'string');
  return first ?? JSON.stringify(values.length === 1 ? values[0] : used);
}

/** What it changes, from what is recorded of the call alone; null: it is shown as JSON. Only what the picture shows completely. */
export function changeOf({ name, input: given, finalInput }: CallRow): CallChange | null {
  if (typeof given !== 'object' || given === null || (finalInput !== null && finalInput !== undefined)) return null;
  const input = given as Input;
  const keys = Object.keys(input);
  const hasOnly = (...known: readonly string[]) => keys.every((key) => known.includes(key));
  const { path, content, old_string: before, new_string: after, command } = input;
  if (name === 'write_file' && typeof path === 'string' && typeof content === 'string' && hasOnly('path', 'content'))
    return { is: 'files', files: [compareTexts(path, null, content)] };
  if (
    name === 'edit_file' &&
    typeof path === 'string' &&
    typeof before === 'string' &&
    typeof after === 'string' &&
    hasOnly('path', 'old_string', 'new_string')
  )
    return { is: 'files', files: [compareTexts(path, before, after)] };
  if (name === 'bash' && typeof command === 'string' && hasOnly('command')) return { is: 'command', command };
  return null;
}
