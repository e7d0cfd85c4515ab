/** Stores what work has written of a skill, in the transaction of the caller: the files, the version and where it comes from. */
import { readPackage, storeSkillPackage } from '../../../store/skills/packages.ts';
import {
  beginSkillVersion,
  createSkill,
  hashOfVersion,
  type NewSkillVersion,
  type SkillSource,
  type SkillVersionState,
  type SkillWriter,
  updateSkill,
} from '../../../store/skills/skill-versions.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { count } from '../../../telemetry/metrics.ts';
import type { Composed, Refused } from './compose.ts';
import type { NewSkill, SkillChange } from './draft.ts';

/** `auto` or `ask`, as the faculty says. */
export type SkillMode = NewSkillVersion['mode'];

/** A stored version. */
export interface StoredVersion {
  readonly name: string;
  readonly version: number;
  readonly state: SkillVersionState;
}

/** Stores a new skill. Errors: those of `createSkill`, after which the transaction cannot go on. */
export async function storeNewSkill(
  tx: Queryable,
  writer: SkillWriter,
  draft: NewSkill,
  mode: SkillMode,
): Promise<StoredVersion | Refused> {
  const { next } = await beginSkillVersion(tx, writer, draft.name);
  const { composeNew } = await import('./compose.ts');
  const composed = composeNew(draft, next);
  if ('problem' in composed) return composed;
  const version = await storeFiles(tx, composed, draft, next, mode);
  const state = await createSkill(tx, writer, version);
  count('work.skills.created', 1, { state });
  return { name: draft.name, version: next, state };
}

/** Stores a change of a skill that work has written. Errors: those of `updateSkill`, after which the transaction cannot go on. */
export async function storeSkillChange(
  tx: Queryable,
  writer: SkillWriter,
  change: SkillChange,
  mode: SkillMode,
): Promise<StoredVersion | Refused> {
  const { name, version: base } = change;
  const { next, current, proposed, proposedBy } = await beginSkillVersion(tx, writer, name);
  if (current === null && proposed === null)
    return { problem: `no work has written a skill ${name}: create it with create_skill` };
  const own = proposed === base && proposedBy === writer.workItemId;
  if (base !== current && !own && current !== null) return replaced(tx, name, base, current);
  const hash = await hashOfVersion(tx, name, base);
  if (hash === null) return { problem: `skill ${name} has no version ${base}` };
  const { composeChange } = await import('./compose.ts');
  const composed = composeChange(await readPackage(tx, hash), change, next);
  if ('problem' in composed) return composed;
  const version = await storeFiles(tx, composed, change, next, mode);
  const state = await updateSkill(tx, writer, { ...version, base });
  count('work.skills.updated', 1, { state });
  return { name, version: next, state };
}

/** With the text of the current version, from which the model can go on. */
async function replaced(tx: Queryable, name: string, base: number, current: number): Promise<Refused> {
  const hash = await hashOfVersion(tx, name, current);
  const files = hash === null ? [] : await readPackage(tx, hash);
  const text = files.find(({ path }) => path === 'SKILL.md')?.content.toString('utf8') ?? '';
  return {
    problem: `nothing was changed: version ${current} of skill ${name} is current by now, not ${base}. Change that version; its SKILL.md:\n${text}`,
  };
}

async function storeFiles(
  tx: Queryable,
  { hash, description, files }: Composed,
  { name, reason, sources = [] }: Pick<NewSkill, 'name' | 'reason' | 'sources'>,
  version: number,
  mode: SkillMode,
): Promise<NewSkillVersion> {
  await storeSkillPackage(tx, { hash, name }, async () => files);
  return { name, version, hash, description, note: reason ?? '', sources: sources.map(sourceOf), mode };
}

function sourceOf({ entry, supports }: NonNullable<NewSkill['sources']>[number]): SkillSource {
  const [workItemId = '', seq = ''] = entry.split('/');
  return { workItemId, seq: Number(seq), supports: supports ?? null };
}
