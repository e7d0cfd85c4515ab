import type { LedgerEntry } from '../../store/transcript/ledger.ts';

/** An entry as `--json` prints it. */
export function ledgerJson({ seq, type, content, focusId, createdAt }: LedgerEntry) {
  return { seq, type, content, focus_id: focusId, created_at: createdAt };
}
