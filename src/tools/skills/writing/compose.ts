/** Makes the files of a version from what work says, and checks them as strictly as our own skills. Pure. */
import { contentHashOf } from '../../../catalog/skills/content-hash.ts';
import { problemsOf } from '../../../catalog/skills/finding.ts';
import { parseSkill } from '../../../catalog/skills/parse-skill.ts';
import type { Skill, SkillContent } from '../../../catalog/skills/skill.ts';
import { applyHunks } from '../../files/patch/apply-hunks.ts';
import { parsePatch } from '../../files/patch/patch-text.ts';
import { MAX_FILES, type NewSkill, type SkillChange } from './draft.ts';
import { clashingPaths, wrongPath } from './skill-paths.ts';
import { partsOf, type SkillParts, skillText } from './write-skill-text.ts';

/** A version that may be stored. */
export interface Composed {
  readonly description: string;
  readonly hash: string;
  readonly files: readonly SkillContent[];
}

/** What is wrong with it, for the model. */
export interface Refused {
  readonly problem: string;
}

/** Version `version` of a new skill. */
export function composeNew(draft: NewSkill, version: number): Composed | Refused {
  const parts: SkillParts = {
    name: draft.name,
    description: draft.description,
    license: null,
    compatibility: null,
    metadata: triggersOf({}, draft),
    instructions: draft.instructions,
  };
  const files = contentsOf(draft.files ?? []);
  return wrongAmong(files) ?? compose(parts, files, draft, version);
}

/** Version `version`, made from the files of another one. */
export function composeChange(base: readonly SkillContent[], change: SkillChange, version: number): Composed | Refused {
  const { skill } = parseSkill(base, { directory: `/${change.name}`, directoryName: change.name });
  if (skill === null) return { problem: 'the version that it is made from cannot be read' };
  const instructions = changedInstructions(skill, change);
  if (typeof instructions !== 'string') return instructions;
  const before = partsOf(skill);
  const parts: SkillParts = {
    ...before,
    description: change.description ?? before.description,
    metadata: triggersOf(before.metadata, change),
    instructions,
  };
  const removed = new Set(change.remove_files);
  if (removed.has('SKILL.md')) return { problem: 'SKILL.md cannot be removed: only a person can archive a skill' };
  const unknown = [...removed].find((path) => !base.some((file) => file.path === path));
  if (unknown !== undefined) return { problem: `there is no file ${unknown} to remove` };
  const added = contentsOf(change.files ?? []);
  const replaced = new Set([...added.map(({ path }) => path), ...removed, 'SKILL.md']);
  const files = [...base.filter(({ path }) => !replaced.has(path)), ...added];
  // A skill that was a person's may have more, and names of its own.
  const most = Math.max(MAX_FILES, base.length - 1);
  if (files.length > most)
    return { problem: `the skill would have ${files.length} files beside SKILL.md, and ${most} are allowed` };
  const composed = wrongAmong(added) ?? compose(parts, files, change, version);
  if ('problem' in composed || !isSame([before, base], [parts, composed.files])) return composed;
  return { problem: 'nothing would change' };
}

/** The first path that work may not write; null: none. */
function wrongAmong(files: readonly SkillContent[]): Refused | null {
  for (const { path } of files) {
    const wrong = wrongPath(path);
    if (wrong !== null) return { problem: `${JSON.stringify(path)} cannot be a file of a skill: ${wrong}` };
  }
  return null;
}

/** The text that a change makes of the instructions. */
function changedInstructions(skill: Skill, { instructions, diff }: SkillChange): string | Refused {
  if (diff === undefined) return instructions ?? skill.body;
  if (instructions !== undefined) return { problem: 'give either the whole instructions or a diff' };
  const hunks = diff.replace(/^--- .*\n\+\+\+ .*\n/, '').replace(/^(?!@@)/, '@@\n');
  const patch = parsePatch(`*** Begin Patch\n*** Update File: SKILL.md\n${hunks.trimEnd()}\n*** End Patch`);
  if ('problem' in patch) return { problem: `the diff cannot be read: ${patch.problem}` };
  const [section, more] = patch.sections;
  if (section?.kind !== 'update' || section.moveTo !== null || more !== undefined)
    return { problem: 'the diff changes the instructions, and nothing else' };
  const changed = applyHunks(`${skill.body}\n`, section.hunks);
  return 'problem' in changed ? { problem: `the diff does not apply: ${changed.problem}` } : changed.text;
}

function compose(
  parts: SkillParts,
  others: readonly SkillContent[],
  { sources = [] }: Pick<NewSkill, 'sources'>,
  version: number,
): Composed | Refused {
  const files = [{ path: 'SKILL.md', content: Buffer.from(skillText(parts, version)) }, ...others];
  const clash = clashingPaths(files.map(({ path }) => path));
  if (clash !== null) return { problem: clash };
  const { findings } = parseSkill(files, { directory: `/${parts.name}`, directoryName: parts.name });
  const errors = problemsOf(findings, { directory: parts.name, skill: parts.name, strictness: 'strict' });
  const wrong = errors.filter(({ level }) => level === 'error').map(({ message }) => message);
  if (wrong.length > 0) return { problem: wrong.join('\n') };
  const unsupported = sources.find(({ supports }) => supports !== undefined && !says(files, supports));
  if (unsupported !== undefined)
    return { problem: `the skill does not say what ${unsupported.entry} should support: ${unsupported.supports}` };
  return { description: parts.description, hash: contentHashOf(files), files };
}

/** White space aside: a model wraps lines as it likes. */
function says(files: readonly SkillContent[], words: string): boolean {
  return files.some(({ content }) => plain(content.toString('utf8')).includes(plain(words)));
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function triggersOf(
  before: Readonly<Record<string, string>>,
  { keywords, faculties }: Pick<NewSkill, 'keywords' | 'faculties'>,
): Record<string, string> {
  const { 'animus.keywords': oldKeywords, 'animus.faculties': oldFaculties, ...rest } = before;
  const words = keywords === undefined ? oldKeywords : keywords.join(', ');
  const names = faculties === undefined ? oldFaculties : faculties.join(' ');
  return { ...rest, ...(words && { 'animus.keywords': words }), ...(names && { 'animus.faculties': names }) };
}

function contentsOf(files: NonNullable<NewSkill['files']>): SkillContent[] {
  return files.map(({ path, content }) => ({ path, content: Buffer.from(content.toWellFormed()) }));
}

type Whole = readonly [SkillParts, readonly SkillContent[]];

/** Whether only the number of the version would differ, or how a person has written the front matter. */
function isSame([before, base]: Whole, [after, files]: Whole): boolean {
  return skillText(before, 0) === skillText(after, 0) && others(base) === others(files);
}

function others(all: readonly SkillContent[]): string {
  return contentHashOf(all.filter(({ path }) => path !== 'SKILL.md'));
}
