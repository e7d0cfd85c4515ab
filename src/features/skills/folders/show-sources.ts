/** The part of `animus skill show --sources` that says where a written skill comes from. */
import type { Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { shortId } from '../../../terminal/view/quantities.ts';
import { type RecordedSource, sourcesOf } from '../store.ts';

/** The ledger entries of all versions, the newest first. */
export function readSources(invocation: Invocation, name: string): Promise<RecordedSource[]> {
  return withDatabase(invocation, (db) => sourcesOf(db, name));
}

export function showSources(output: Output, sources: readonly RecordedSource[]): void {
  output.line();
  output.line(styled('sources', 'bold'));
  if (sources.length === 0) output.line('  none is recorded');
  for (const { version, work_item_id: item, seq, faculty, type, content, supports } of sources) {
    const entry = item === null ? '' : `${shortId(item)}/${seq}`;
    output.line(
      `  version ${version}  `,
      styled(entry, 'bold'),
      `  ${type ?? ''} of ${faculty ?? 'an unknown faculty'}`,
    );
    if (supports !== null) output.block(`supports: ${supports}`, '    ');
    output.block(content, '    ');
  }
}
