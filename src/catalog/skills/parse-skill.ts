/** Makes a skill from the content of its files. Pure: the files may come from a directory, a package or a call of a tool. */
import { deepFrozen } from '../../core/text/deep-frozen.ts';
import { type AnimusFields, readAnimusMetadata } from './animus-metadata.ts';
import { byPath, contentHashOf } from './content-hash.ts';
import type { Finding } from './finding.ts';
import { type FrontMatter, readSkillText } from './front-matter.ts';
import type { Skill, SkillContent } from './skill.ts';
import { readSkillFields, type SkillFields } from './skill-fields.ts';
import { SKILL_LIMITS, type SkillLimits } from './skill-limits.ts';

/** The skill of some files. `skill` is null if a finding is `broken`. */
export interface ParsedSkill {
  readonly skill: Skill | null;
  readonly findings: readonly Finding[];
}

/** Where the files are or will be. */
export interface SkillPlace {
  /** Absolute. */
  readonly directory: string;
  /** The last part of the directory, which the format wants to be the name of the skill. */
  readonly directoryName: string;
}

/** More lines are better kept in files of their own, which are read when they are needed. */
const MANY_LINES = 500;

/** Makes the skill of these files, which contain SKILL.md. Paths are taken as they are: they were checked when they were listed. */
export function parseSkill(
  files: readonly SkillContent[],
  place: SkillPlace,
  limits: SkillLimits = SKILL_LIMITS,
): ParsedSkill {
  const findings: Finding[] = sizeFindings(files, limits);
  const text = textOf('SKILL.md', files, limits, findings);
  const prompt = textOf('prompt.md', files, limits, findings);
  if (text === null) return { skill: null, findings };
  const { frontMatter, body, findings: textual } = readSkillText(text);
  findings.push(...textual);
  const read = frontMatter === null ? null : readFields(frontMatter, place, findings);
  if (frontMatter !== null) adviseOnBody(body, findings);
  if (read === null || findings.some(({ rank }) => rank === 'broken')) return { skill: null, findings };
  const skill: Skill = {
    ...read.fields,
    ...read.animus,
    body,
    prompt: prompt === null ? null : normalised(prompt),
    directory: place.directory,
    files: files.map(({ path, content }) => ({ path, bytes: content.length })).sort(byPath),
    contentHash: contentHashOf(files),
  };
  return { skill: deepFrozen(skill), findings };
}

function readFields(
  frontMatter: FrontMatter,
  place: SkillPlace,
  findings: Finding[],
): { fields: SkillFields; animus: AnimusFields } | null {
  const find = (rank: Finding['rank'], key: string | null, what: string) => {
    const line = key === null ? null : (frontMatter.lines.get(key) ?? null);
    findings.push({ rank, path: 'SKILL.md', line, what });
  };
  const fields = readSkillFields(frontMatter, place.directoryName, find);
  return fields === null ? null : { fields, animus: readAnimusMetadata(fields.metadata, find) };
}

function sizeFindings(files: readonly SkillContent[], limits: SkillLimits): Finding[] {
  const findings: Finding[] = [];
  const broken = (path: string, what: string) => findings.push({ rank: 'broken', path, line: null, what });
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  if (files.length > limits.files) broken('', `has ${files.length} files; a skill may have ${limits.files}`);
  if (bytes > limits.packageBytes) broken('', `has ${bytes} bytes; a skill may have ${limits.packageBytes}`);
  for (const { path, content } of files) {
    if (content.length > limits.textBytes && isText(content))
      broken(path, `has ${content.length} bytes; a text file of a skill may have ${limits.textBytes}`);
  }
  return findings;
}

/** The text of a file; null if there is none, or if a finding says what is wrong with it. */
function textOf(path: string, files: readonly SkillContent[], limits: SkillLimits, findings: Finding[]): string | null {
  const broken = (what: string) => (findings.push({ rank: 'broken', path, line: null, what }), null);
  const file = files.find((each) => each.path === path);
  if (file === undefined) return path === 'SKILL.md' ? broken('does not exist') : null;
  if (file.content.length > limits.bodyBytes)
    return broken(`has ${file.content.length} bytes; at most ${limits.bodyBytes} are read`);
  if (!isText(file.content)) return broken('is not UTF-8');
  const text = file.content.toString('utf8');
  return text.includes('\0') ? broken('contains the character U+0000, which is not text') : text;
}

function adviseOnBody(body: string, findings: Finding[]): void {
  const lines = body === '' ? 0 : body.split('\n').length;
  if (lines === 0) advise(findings, 'has no instructions below its front matter');
  if (lines > MANY_LINES)
    advise(
      findings,
      `has ${lines} lines of instructions, which is a lot; move details to separate files that it refers to`,
    );
}

function advise(findings: Finding[], what: string): void {
  findings.push({ rank: 'advice', path: 'SKILL.md', line: null, what });
}

function isText(content: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(content);
    return true;
  } catch {
    return false;
  }
}

function normalised(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .trim();
}
