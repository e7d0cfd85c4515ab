/** `animus skill show`: one skill in full. */
import { loadSkills } from '../../../catalog/skills/load-skills.ts';
import type { Skill, SkillLibrary } from '../../../catalog/skills/skill.ts';
import { AnimusError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { bytes } from '../../../terminal/view/quantities.ts';
import { cut, right, showTable } from '../../../terminal/view/table.ts';
import { type SkillOptions, skillLine } from './list-skills.ts';

interface ShowOptions extends SkillOptions {
  readonly sources?: boolean;
}

/** Prints what a skill says. Errors: `skill.unknown`. */
export async function showSkill(invocation: Invocation, options: ShowOptions, name: string): Promise<number> {
  const { output } = invocation;
  const library = loadSkills(await skillsDirectories(invocation, options.skills));
  const skill = library.skills.get(name) ?? unknownSkill(name, library);
  const problems = library.problems.filter((problem) => problem.skill === name);
  const fromDatabase = options.sources ? await import('./show-sources.ts') : null;
  const sources = await fromDatabase?.readSources(invocation, name);
  output.document({
    ...skillLine(skill),
    ...details(skill),
    problems,
    ...(sources && { sources }),
  });
  showHead(output, skill);
  showTable(output, skill.files, [
    [cut('FILE'), (file) => file.path],
    [right('SIZE'), (file) => bytes(file.bytes)],
  ]);
  for (const { message } of problems) output.block(`remark  ${message}`);
  showText(output, 'SKILL.md', skill.body);
  if (skill.prompt !== null) showText(output, 'prompt.md', skill.prompt);
  if (sources) fromDatabase?.showSources(output, sources);
  return 0;
}

/** Says why there is none, or what was meant. Errors: `skill.unknown`. */
export function unknownSkill(name: string, { skills, problems }: SkillLibrary): never {
  const broken = problems.find((problem) => problem.skill === name && problem.level === 'error');
  const meant = didYouMean(name, skills.keys()) || '; to list them: animus skill list';
  const hint = broken === undefined ? meant : `: it was left out, because ${broken.message}`;
  throw new AnimusError('skill.unknown', { name, hint });
}

function details(skill: Skill) {
  const { license, compatibility, metadata, depends, conflicts, body, prompt, files } = skill;
  return {
    license,
    compatibility,
    metadata,
    allowed_tools: skill.allowedTools,
    depends,
    conflicts,
    files,
    body,
    prompt,
  };
}

function showHead(output: Output, skill: Skill): void {
  output.line(styled(skill.name, 'bold'), skill.version === null ? '' : `  version ${skill.version}`);
  output.block(skill.description);
  output.block(skill.directory);
  output.line();
  const rows: [string, Part][] = [['content hash', styled(skill.contentHash, 'dim')]];
  const add = (title: string, text: string | null) => {
    if (text !== null && text !== '') rows.push([title, text]);
  };
  add('written by', skill.origin === 'agent' ? 'an agent' : null);
  add('license', skill.license);
  add('needs', skill.compatibility);
  add('activated', whenActivated(skill));
  add('depends on', skill.depends.join(', '));
  add('conflicts with', skill.conflicts.join(', '));
  add('command', skill.command === null ? null : `/${skill.command}`);
  add('allowed-tools', skill.allowedTools === null ? null : `${skill.allowedTools} (ignored: a skill grants nothing)`);
  for (const [title, value] of rows) output.line(styled(title.padEnd(16), 'dim'), value);
  output.line();
}

/** Null: only when it is asked for. */
function whenActivated({ triggers: { auto, faculties, keywords, params } }: Skill): string | null {
  const conditions = [
    ...(faculties.length > 0 ? [`in ${faculties.includes('*') ? 'all faculties' : faculties.join(', ')}`] : []),
    ...(keywords.length > 0 ? [`by the words ${keywords.join(', ')}`] : []),
    ...Object.entries(params).map(([key, values]) => `by the parameter ${key} = ${values.join(' or ')}`),
  ];
  if (conditions.length === 0) return null;
  return auto ? `automatically ${conditions.join('; ')}` : `not automatically; ${conditions.join('; ')}`;
}

function showText(output: Output, path: string, text: string): void {
  output.line();
  output.line(styled(path, 'bold'));
  output.block(text, '  ');
}
