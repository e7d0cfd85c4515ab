/** `animus skill diff`: what a version changes, as it is recorded. */
import { skillChanges } from '../../catalog/skills/skill-changes.ts';
import { visibleLines } from '../../core/text/harmless.ts';
import { readPackage } from '../../store/skills/packages.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { versionLine } from './skill-history.ts';
import { versionOf, versionsOf } from './written-versions.ts';

export interface DiffOptions extends CommonOptions {
  readonly to?: number;
  readonly from?: number;
}

/** Compares a version with the one that it was made from, or with another one. */
export async function diffCommand(invocation: Invocation, { to, from }: DiffOptions, name: string): Promise<number> {
  const { output } = invocation;
  const { chosen, base, patches } = await withDatabase(invocation, async (db) => {
    const versions = await versionsOf(db, name);
    const version = versionOf(versions, to);
    const other = from ?? version.base;
    const before = other === null ? null : versionOf(versions, other);
    const files = before === null ? [] : await readPackage(db, before.hash);
    return {
      chosen: version,
      base: before?.version ?? null,
      patches: skillChanges(files, await readPackage(db, version.hash)),
    };
  });
  output.document({ skill: name, ...versionLine(chosen), from: base, files: patches });
  const compared = base === null ? 'a new skill' : `made from version ${base}`;
  output.line(styled(name, 'bold'), `  version ${chosen.version}, ${chosen.state}; ${compared}`);
  if (chosen.note !== '') output.block(chosen.note, '  ');
  for (const { patch } of patches) for (const line of visibleLines(patch)) output.copyable(line);
  if (patches.length === 0) output.note('the files are the same');
  if (chosen.state === 'proposed') {
    output.command('', `skill approve ${name} --hash ${chosen.hash}`);
    output.command('', `skill deny ${name} --note 'WHY'`);
  }
  return 0;
}
