/** Entries of a ledger. */
import type { LedgerType } from '../../core/work/work.ts';
import type { LedgerEntry } from '../../operations/ledger.ts';
import { type Output, styled } from './output.ts';
import type { Style } from './part.ts';
import { age } from './quantities.ts';

/** Prints entries: number, type and age, with the text below. */
export function showLedger(output: Output, entries: readonly LedgerEntry[], indent = ''): void {
  const now = Date.now();
  for (const entry of entries) {
    const who = entry.focus_id === null ? ' by an operator' : '';
    const head = styled(`#${entry.seq} ${entry.type}`, TYPE_STYLES[entry.type]);
    output.line(indent, head, styled(`  ${age(entry.created_at, now)}${who}`, 'dim'));
    output.block(entry.content, `${indent}   `);
  }
}

const TYPE_STYLES: Readonly<Record<LedgerType, Style>> = {
  plan: 'cyan',
  finding: 'bold',
  decision: 'bold',
  step: 'green',
  error: 'red',
  note: 'plain',
};
