/** Final answers, and the files that a daemon reads while it works: skills, which agents write too, and faculties. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadFaculties } from '../../../src/catalog/faculties.ts';
import { parseOutcomeSchema } from '../../../src/catalog/faculty/outcome-schema.ts';
import { readSkillText } from '../../../src/catalog/skills/front-matter.ts';
import { JSON_LIMITS } from '../../../src/core/text/json-limits.ts';
import { readOutcome } from '../../../src/engage/verdict/outcome.ts';
import { SHAPES } from './corpus.ts';
import { measure } from './door.ts';

const MIB = 2 ** 20;
const KIB = 1024;

const repeat = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const numbered = (bytes: number, line: (n: number) => string) => {
  const lines = Array.from({ length: Math.floor(bytes / line(100_000).length) }, (_, n) => line(n));
  return lines.join('');
};
const skill = (front: string, body = 'Do it.') => `---\nname: a\ndescription: b\n${front}\n---\n${body}\n`;

const SKILLS: Readonly<Record<string, () => string>> = {
  'aliases of aliases': () =>
    skill(`a0: &a0 [x]\n${numbered(14 * KIB, (n) => `a${n + 1}: &a${n + 1} [*a${n},*a${n},*a${n},*a${n}]\n`)}`),
  'deep lists': () => skill(`a: ${'['.repeat(15 * KIB)}`),
  'deep blocks': () => skill(Array.from({ length: 170 }, (_, n) => `${' '.repeat(n)}a:`).join('\n')),
  'lists on one line': () => skill(`a:\n${repeat('- ', 15 * KIB)}x`),
  'keys without end': () => skill(numbered(15 * KIB, (n) => `k${n}: v\n`)),
  'questions without end': () => skill(repeat('? a\n', 15 * KIB)),
  'quotes without end': () => skill(`a: ${repeat(`"a" 'b' `, 15 * KIB)}`),
  'a folded text': () => skill(`a: >\n${repeat(' x\n\n', 15 * KIB)}`),
  'comments without end': () => skill(repeat('# x\n', 15 * KIB)),
  'anchors and tags': () => skill(repeat('&a !b ', 15 * KIB)),
  'front matter beyond its limit': () => skill(numbered(MIB, (n) => `k${n}: v\n`)),
  'a body of blank lines': () => skill('', repeat(' \n', MIB)),
  'a body of spaces': () => skill('', ' '.repeat(MIB)),
  'a body of fences': () => skill('', repeat('---\n```\n', MIB)),
};

const HEAD = '[faculty]\nname = "engineer"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = "p"\n';
const ROOM = MIB / 4 - 200;
const FACULTIES: Readonly<Record<string, () => string>> = {
  'deep lists': () => `${HEAD}x = ${'['.repeat(ROOM / 2)}${']'.repeat(ROOM / 2)}`,
  'deep tables': () => `${HEAD}x = ${'{a='.repeat(ROOM / 5)}1${'}'.repeat(ROOM / 5)}`,
  'a deep key': () => `${HEAD}${'a.'.repeat(ROOM / 2)}a = 1`,
  'a deep header': () => `${HEAD}[${'a.'.repeat(ROOM / 2)}a]`,
  'keys without end': () => HEAD + numbered(ROOM, (n) => `k${n} = ${n}\n`),
  'tables without end': () => HEAD + numbered(ROOM, (n) => `[t${n}]\n`),
  'tables in one list': () => HEAD + repeat('[[t]]\n', ROOM),
  'values without end': () => `${HEAD}tools = [${repeat('1,', ROOM)}1]`,
  'texts without end': () => `${HEAD}tools = [${repeat('"a",', ROOM)}"a"]`,
  'a long text': () => `${HEAD}x = "${'x'.repeat(ROOM)}"`,
  'a long line of quotes': () => `${HEAD}x = '''${repeat("''x", ROOM)}'''`,
  escapes: () => `${HEAD}x = "${repeat('\\u0041', ROOM)}"`,
  spaces: () => `${HEAD}${' '.repeat(ROOM)}`,
  comments: () => HEAD + repeat('#\n', ROOM),
  'a long number': () => `${HEAD}x = ${'1'.repeat(ROOM)}`,
  underscores: () => `${HEAD}x = ${repeat('1_', ROOM)}1`,
};

const SCHEMA = '{"type":"object","properties":{"summary":{"type":"string"}}}';

export async function throughOutcomes(): Promise<void> {
  const parsed = parseOutcomeSchema(SCHEMA);
  if ('problem' in parsed) throw new Error(parsed.problem);
  for (const [shape, text] of Object.entries(SHAPES)) {
    const answer = text(3.9 * MIB, JSON_LIMITS.outcome);
    const fenced = `Here it is.\n\`\`\`json\n${answer}\n\`\`\`\n`;
    await measure('final answer', shape, answer.length, async () => readOutcome(answer, parsed.schema));
    await measure('final answer, fenced', shape, fenced.length, async () => readOutcome(fenced, parsed.schema));
  }
}

export async function throughSkills(): Promise<void> {
  for (const [shape, text] of Object.entries(SKILLS)) {
    const given = text();
    await measure('skill', shape, given.length, async () => readSkillText(given));
  }
}

export async function throughFaculties(directory: string): Promise<void> {
  for (const [shape, text] of Object.entries(FACULTIES)) {
    const folder = join(directory, 'faculties');
    mkdirSync(folder);
    const given = text();
    writeFileSync(join(folder, 'engineer.toml'), given);
    await measure('faculty', shape, given.length, async () => loadFaculties(folder, {} as never));
    rmSync(folder, { recursive: true });
  }
}
