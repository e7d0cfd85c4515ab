/** The part of `animus skill show --sources` that says where a written skill comes from. */
import { type RecordedSource, readSkillSources } from '../../store/skills/skill-sources.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { shortId } from '../../terminal/view/quantities.ts';

/** The ledger entries of all versions, the newest first: for programs, and shown. */
export async function readSources(invocation: Invocation, name: string) {
  const sources = await withDatabase(invocation, (db) => readSkillSources(db, name));
  return {
    lines: sources.map(({ workItemId, ...source }) => ({ ...source, work_item_id: workItemId })),
    show: () => showSources(invocation.output, sources),
  };
}

function showSources(output: Output, sources: readonly RecordedSource[]): void {
  output.line();
  output.line(styled('sources', 'bold'));
  if (sources.length === 0) output.line('  none is recorded');
  for (const { version, workItemId, seq, faculty, type, content, supports } of sources) {
    const entry = workItemId === null ? '' : `${shortId(workItemId)}/${seq}`;
    output.line(
      `  version ${version}  `,
      styled(entry, 'bold'),
      `  ${type ?? ''} of ${faculty ?? 'an unknown faculty'}`,
    );
    if (supports !== null) output.block(`supports: ${supports}`, '    ');
    output.block(content, '    ');
  }
}
