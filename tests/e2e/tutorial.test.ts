import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newcomer } from '../support/newcomer.ts';
import { matchesShown, type ShownId, type TutorialStep, tutorialSteps, withActualId } from '../support/tutorial.ts';

const PAGE = readFileSync(new URL('../../docs/faculties.md', import.meta.url), 'utf8');
const HEADING = '## A tutorial: a working faculty from scratch';

test('the tutorial does what it says, in an empty home, without key and database', async () => {
  const shell = newcomer();
  const id: ShownId = { shown: '01a200f1-661a-7000-95e7-fb92960bd114', actual: null };
  let cwd = shell.home;
  for (const step of tutorialSteps(PAGE, HEADING)) {
    if (step.kind === 'file') {
      mkdirSync(dirname(join(cwd, step.path)), { recursive: true });
      writeFileSync(join(cwd, step.path), step.text);
    } else if (step.command.startsWith('cd ')) {
      cwd = join(cwd, step.command.slice(3));
    } else if (step.command === 'animus serve') {
      const served = shell.start(step.command, cwd);
      await shows(step, id, async () => served.output());
    } else {
      await shows(step, id, async () => (await shell.run(withActualId(step.command, id), cwd)).output);
    }
  }
  expect(id.actual).not.toBeNull();
}, 400_000);

/** Polls status until it shows what the page shows, because a changed file is not noticed at once. */
async function shows(
  { command, expected }: Extract<TutorialStep, { kind: 'command' }>,
  id: ShownId,
  outputOf: () => Promise<string>,
): Promise<void> {
  const again = command === 'animus status' || command === 'animus serve';
  let output = '';
  const look = async () => {
    output = await outputOf();
    return matchesShown(output, expected, id) || !again ? true : null;
  };
  await eventually(`$ ${command}`, look, again ? 120 : 60).catch(() => null);
  expect(
    matchesShown(output, expected, id),
    `$ ${command}\n${output}\nis not what the page shows:\n${expected.join('\n')}`,
  ).toBe(true);
}
