/**
 * What skills cost the beginning of a focus: `npm run bench -- tests/bench/skills/orient.ts [--skills 5000] [--runs 1000]`. No database: the choice of skills, the
 * list for the first message and the messages of active skills, as orient makes them. Prints milliseconds of processor time, and the size of the list.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadSkills } from '../../../src/catalog/skills/load-skills.ts';
import type { SkillLibrary } from '../../../src/catalog/skills/skill.ts';
import { estimateTokens } from '../../../src/core/work/tokens.ts';
import { chooseAutomatic, rankForTask } from '../../../src/tools/skills/choose-skills.ts';
import { prepareActivation } from '../../../src/tools/skills/prepare-activation.ts';
import { rankSkills } from '../../../src/tools/skills/skill-index.ts';
import { catalogueText, mostLines } from '../../../src/tools/skills/skill-text.ts';
import { figure, report } from '../support/report.ts';
import { writeSkills } from './write-skills.ts';

const { values } = parseArgs({
  options: { skills: { type: 'string', default: '5000' }, runs: { type: 'string', default: '1000' } },
});
const runs = Number(values.runs);
const SETTINGS = { offered: ['*'], catalogueMaxTokens: 1500, autoActivate: true, maxAutoActivated: 5 };
const SHORT = 'Find out why the deploy of the invoice parser became flaky after the last schema migration';
const TASKS = { 'a task of a line': SHORT, 'a task of 16 KB': `${SHORT}. `.repeat(180) };

const directory = mkdtempSync(join(tmpdir(), 'animus-bench-skills-'));
try {
  for (const count of [0, 5, 100, Number(values.skills)]) measure(count);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function measure(count: number): void {
  const place = join(directory, String(count));
  writeSkills(place, count);
  const library = loadSkills([place]);
  const first = cpuMs(() => orient(library, SHORT));
  for (const [name, description] of Object.entries(TASKS)) {
    const each = cpuMs(() => repeat(runs, () => orient(library, description))) / runs;
    const { tokens, activated } = orient(library, description);
    const search = cpuMs(() => repeat(runs, () => rankSkills(library, { text: 'flaky deploy' }, 10))) / runs;
    const figures = {
      'first focus ms': figure(first),
      'each focus ms': figure(each),
      'a search ms': figure(search),
      'tokens of the list': String(tokens),
      activated: String(activated),
    };
    const shown = Object.entries(figures).map(([key, value]) => [value, key].join(' '));
    process.stdout.write(`${`${count} skills, ${name}`.padEnd(32)} ${shown.join('   ')}\n`);
    report({ what: 'skills at the beginning of a focus', who: `${count} skills, ${name}`, figures });
  }
}

function orient(library: SkillLibrary, description: string) {
  const task = { faculty: 'engineer', description, params: {} };
  const { chosen } = chooseAutomatic(task, library, SETTINGS, []);
  const prepared = prepareActivation(chosen, library);
  const most = mostLines(SETTINGS.catalogueMaxTokens);
  const list = catalogueText(
    rankForTask(task, library, SETTINGS, most),
    SETTINGS.catalogueMaxTokens,
    library.skills.size,
  );
  return { tokens: list === null ? 0 : estimateTokens(list), activated: prepared.length };
}

function repeat(times: number, what: () => unknown): void {
  for (let n = 0; n < times; n++) what();
}

/** Processor time of this process. */
function cpuMs(what: () => unknown): number {
  const before = process.cpuUsage();
  what();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
