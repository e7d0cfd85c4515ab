/** What `animus skill history` and `animus skill diff` print. */
import type { SkillChange } from '../../catalog/skills/skill-changes.ts';
import { visibleLines } from '../../core/text/harmless.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../terminal/view/table.ts';
import type { SkillVersion } from './store.ts';

/** All versions, the newest first. */
export function showHistory(output: Output, versions: readonly SkillVersion[]): void {
  const now = Date.now();
  showTable(output, versions, [
    [right('VERSION'), ({ version }) => String(version)],
    ['STATE', ({ state }) => styled(state, state === 'current' ? 'green' : state === 'proposed' ? 'yellow' : 'plain')],
    ['WRITTEN', ({ created_at: at }) => age(at, now)],
    ['BY', ({ work_item_id: item, faculty }) => (item === null ? 'a person' : `${shortId(item)} ${faculty ?? ''}`)],
    [spare('DECIDED BY'), ({ decided_by: by }) => by ?? ''],
    [cut('WHY'), ({ decision_note: why, note }) => why || note],
  ]);
}

interface Compared {
  readonly to: SkillVersion;
  /** Null: it is a new skill. */
  readonly from: number | null;
  readonly files: readonly SkillChange[];
}

/** The files of a version beside those of another, and how to decide about it if it waits. */
export function showDiff(output: Output, { to: version, from, files }: Compared): void {
  const compared = from === null ? 'a new skill' : `made from version ${from}`;
  const { name } = version;
  output.line(styled(name, 'bold'), `  version ${version.version}, ${version.state}; ${compared}`);
  if (version.note !== '') output.block(version.note, '  ');
  for (const { patch } of files) for (const line of visibleLines(patch)) output.copyable(line);
  if (files.length === 0) output.note('the files are the same');
  if (version.state !== 'proposed') return;
  output.command('', `skill approve ${name} --hash ${version.content_hash}`);
  output.command('', `skill deny ${name} --note 'WHY'`);
}
