/** Skills as tests write them through the store: a package is one SKILL.md, and its hash that of the text. */
import { createHash } from 'node:crypto';
import { storeSkillPackage } from '../../../src/store/skills/packages.ts';
import {
  beginSkillVersion,
  createSkill,
  type NewSkillVersion,
  type SkillVersionState,
  type SkillWriter,
  updateSkill,
} from '../../../src/store/skills/skill-versions.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';

/** The focus as a writer, in call `c1`. */
export function writerOf(work: FocusedWork): SkillWriter {
  return { workItemId: work.id, leaseToken: work.leaseToken, focusId: work.key.focusId, callId: 'c1' };
}

/** Stores a package of one file, and returns its hash. */
export async function storePackage(db: Queryable, name: string, text: string): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex');
  await storeSkillPackage(db, { hash, name }, async () => [{ path: 'SKILL.md', content: Buffer.from(text) }]);
  return hash;
}

type Rest = Partial<Pick<NewSkillVersion, 'sources' | 'mode' | 'note' | 'description'>>;

/** Writes a version as a call does, in one transaction: a first one, or with `base` another. */
export async function write(
  db: Database,
  work: FocusedWork,
  name: string,
  rest: Rest & { readonly base?: number; readonly text?: string } = {},
): Promise<{ readonly version: number; readonly state: SkillVersionState; readonly hash: string }> {
  return db.transaction(async (tx) => {
    const writer = writerOf(work);
    const { next } = await beginSkillVersion(tx, writer, name);
    const hash = await storePackage(tx, name, rest.text ?? `${name} ${next}`);
    const skill = {
      name,
      version: next,
      hash,
      description: `About ${name}`,
      note: '',
      sources: [],
      mode: 'auto',
      ...rest,
    } as const;
    const state =
      rest.base === undefined
        ? await createSkill(tx, writer, skill)
        : await updateSkill(tx, writer, { ...skill, base: rest.base });
    return { version: next, state, hash };
  });
}

/** Version, state and base of each version, the oldest first. */
export async function versionsOf(
  db: Queryable,
  name: string,
): Promise<readonly (readonly [number, string, number | null])[]> {
  const rows = await db.query<{ version: number; state: string; base: number | null }>(
    'select version, state, base from animus.skill_versions where name = $1 order by version',
    [name],
  );
  return rows.map(({ version, state, base }) => [version, state, base] as const);
}
