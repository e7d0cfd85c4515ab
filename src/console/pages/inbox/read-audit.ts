/** Reads the decisions out of the audit, which comes as JSON Lines, oldest first. */
import type { AuditLine, AuditRow } from '../../../client/client.ts';

export interface Decisions {
  /** Newest first. */
  readonly rows: readonly AuditRow[];
  /** There are older ones in the range. */
  readonly more: boolean;
}

/** The newest `most` of them. */
export async function readDecisions(response: Response, most: number): Promise<Decisions> {
  const rows: AuditRow[] = [];
  let more = false;
  for await (const line of linesOf(response)) {
    const row = JSON.parse(line) as AuditLine;
    // What people decided about requests: other decisions name none.
    if (!('ask_id' in row) || row.ask_id === null) continue;
    rows.push(row);
    if (rows.length > 2 * most) {
      rows.splice(0, rows.length - most);
      more = true;
    }
  }
  return { rows: rows.slice(-most).toReversed(), more: more || rows.length > most };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel();
  }
}
