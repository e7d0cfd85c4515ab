/** Compares the decisions with an earlier export of them, which shows what the chain alone cannot: a chain whose end was cut off or that was rewritten. */
import { open } from 'node:fs/promises';
import { messageOf, usageError } from '../../core/errors/errors.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { decisionHash } from './chain.ts';
import type { Decision } from './rows.ts';
import { readHashes } from './store.ts';

/** What differs from the export. `cut`: a decision is missing. `rewritten`: it is another one. `export_changed`: the line itself does not fit its hash. */
export interface ExportFault extends Pick<Decision, 'work_item_id' | 'target' | 'seq' | 'id'> {
  readonly fault: 'cut' | 'rewritten' | 'export_changed';
  readonly detail: string;
}

/** How many lines are compared at a time. */
const PAGE = 500;

/** Reads the file line by line. Returns the number of its decisions and at most `most` faults. Errors: `usage.invalid`. */
export async function faultsAgainst(
  db: Queryable,
  path: string,
  most: number,
): Promise<{ readonly compared: number; readonly faults: readonly ExportFault[] }> {
  const faults: ExportFault[] = [];
  let compared = 0;
  let page: Decision[] = [];
  const compare = async () => {
    const there = await readHashes(
      db,
      page.map(({ id }) => id),
    );
    for (const one of page) {
      const fault = faultOf(one, there.get(one.id));
      if (fault !== null && faults.length < most) faults.push(fault);
    }
    compared += page.length;
    page = [];
  };
  for await (const one of readExport(path)) {
    page.push(one);
    if (page.length === PAGE) await compare();
  }
  await compare();
  return { compared, faults };
}

function faultOf(exported: Decision, hash: string | undefined): ExportFault | null {
  const { work_item_id, target, seq, id } = exported;
  const found = (fault: ExportFault['fault'], detail: string) => ({ fault, work_item_id, target, seq, id, detail });
  if (decisionHash(exported) !== exported.hash) {
    return found('export_changed', 'the line of the export was changed: its hash does not match');
  }
  if (hash === undefined) return found('cut', 'it was exported and is no longer there');
  return hash === exported.hash
    ? null
    : found('rewritten', 'it is not the decision that was exported: its hash differs');
}

async function* readExport(path: string): AsyncGenerator<Decision> {
  const refuse = (detail: string, cause?: unknown) => usageError(`--against ${path}: ${detail}`, cause);
  const file = await open(path).catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw refuse(isMissing ? 'the file does not exist' : messageOf(error), error);
  });
  let number = 0;
  try {
    for await (const line of file.readLines()) {
      number++;
      if (line.trim() === '') continue;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch (error) {
        throw refuse(`line ${number} is not JSON; give an export in JSON Lines`, error);
      }
      if (isRefusal(value)) continue;
      if (!isDecision(value)) throw refuse(`line ${number} is not a decision of animus audit export`);
      yield value;
    }
  } finally {
    await file.close();
  }
}

/** A tool call that was refused: it is in no chain. */
function isRefusal(value: unknown): boolean {
  const { action, hash } = (value ?? {}) as Partial<Record<keyof Decision, unknown>>;
  return action === 'refuse' && hash === undefined;
}

function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null) return false;
  const { id, seq, hash, note_digest, created_at } = value as Partial<Record<keyof Decision, unknown>>;
  return (
    typeof id === 'string' &&
    /^\d{1,18}$/.test(id) &&
    typeof seq === 'number' &&
    [hash, note_digest, created_at].every((text) => typeof text === 'string')
  );
}
