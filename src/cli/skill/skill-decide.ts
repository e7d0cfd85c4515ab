/** `animus skill approve|deny|archive|rollback`: decisions about skills that work has written. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import {
  approveSkill,
  archiveSkill,
  denySkill,
  rollBackSkill,
  type SkillDecision,
} from '../../store/skills/decide-skill.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { versionOf, versionsOf } from './written-versions.ts';

export interface SkillDecisionOptions extends CommonOptions {
  readonly note?: string;
  readonly hash?: string;
}

const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

/** Makes the proposed version current. */
export async function approveCommand(
  invocation: Invocation,
  options: SkillDecisionOptions,
  name: string,
): Promise<number> {
  return decide(invocation, options, name, 'approved', approveSkill);
}

/** Rejects the proposed version. */
export async function denyCommand(
  invocation: Invocation,
  options: SkillDecisionOptions,
  name: string,
): Promise<number> {
  return decide(invocation, options, name, 'denied', denySkill);
}

/** The decision carries the hash of what was read, so that nothing else is decided. */
async function decide(
  { output, ...rest }: Invocation,
  { note = '', hash }: SkillDecisionOptions,
  name: string,
  done: 'approved' | 'denied',
  call: (db: Queryable, decision: SkillDecision) => Promise<number>,
): Promise<number> {
  const { version, found } = await withDatabase({ output, ...rest }, async (db) => {
    const read = (await versionsOf(db, name)).find(({ state }) => state === 'proposed');
    const expected = hash ?? read?.hash;
    const decision = { name, note, ...(expected !== undefined && { hash: expected }) };
    return { version: await untilUnlocked(() => call(db, decision), PATIENCE), found: read };
  });
  output.document({ skill: name, version, [done]: true, hash: found?.hash ?? hash ?? null });
  output.line(styled(name, 'bold'), `  version ${version}  `, styled(done, done === 'approved' ? 'green' : 'red'));
  if (found !== undefined) output.block(found.description, '  ');
  if (done === 'approved')
    output.note(
      'each daemon writes its files now, and foci that begin from then on can use it; where a person has a skill of that name, that one stays (animus status)',
    );
  return 0;
}

/** Ends the current version: daemons delete its files. */
export async function archiveCommand(
  invocation: Invocation,
  { note = '' }: SkillDecisionOptions,
  name: string,
): Promise<number> {
  const { output } = invocation;
  const version = await withDatabase(invocation, (db) =>
    untilUnlocked(() => archiveSkill(db, { name, note }), PATIENCE),
  );
  output.document({ skill: name, version, archived: true });
  output.line(styled(name, 'bold'), `  version ${version}  archived`);
  output.note(
    'daemons delete its files, unless a person has edited them; its versions stay: animus skill history ' + name,
  );
  return 0;
}

/** Makes an earlier version current again: each daemon writes its files. */
export async function rollbackCommand(
  invocation: Invocation,
  { note = '', to }: CommonOptions & { readonly note?: string; readonly to?: number },
  name: string,
): Promise<number> {
  const { output } = invocation;
  const made = await withDatabase(invocation, async (db) => {
    const version = await untilUnlocked(() => rollBackSkill(db, { name, to, note }), PATIENCE);
    return versionOf(await versionsOf(db, name), version);
  });
  output.document({ skill: name, version: made.version, rolled_back: true, replaced: made.base, hash: made.hash });
  output.line(styled(name, 'bold'), `  version ${made.version}  `, styled('current', 'green'), `  ${made.note}`);
  output.note(
    'each daemon writes its files now, and foci that begin from then on use it; where a person has edited the skill, that one stays (animus status)',
  );
  return 0;
}
