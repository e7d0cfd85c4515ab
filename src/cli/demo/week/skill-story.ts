/** A skill that agents have written: versions, one decided by a person and one that waits. */
import { createHash } from 'node:crypto';
import { storeSkillPackage } from '../../../store/skills/packages.ts';
import { beginSkillVersion, createSkill, updateSkill } from '../../../store/skills/skill-versions.ts';
import { completeWork } from '../../../store/work/work.ts';
import { FACULTIES } from './cast.ts';
import { type Life, note, submit, take, turn } from './item-life.ts';
import { as, type Stage, type Story } from './stage.ts';
import { work } from './stories.ts';
import { DAY_MS } from './working-week.ts';

const NAME = 'demo-harbour-names';
const DESCRIPTION =
  'How the names of harbours are compared and written. Use it before names are searched, shown or stored.';
const STEPS = [
  'Fold both sides before you compare: what is typed, and the name.',
  'Write names as the harbour writes them: Świnoujście, not Swinoujscie.',
  'Two harbours are called Nes: ask for the fjord, never for the country.',
];

export async function* skillStory(stage: Stage): Story {
  const { tx, clock } = stage;
  for (let version = 1; version <= STEPS.length; version++) {
    const { task, life } = await begun(stage, version);
    await write(stage, life, version);
    await turn(stage, life, { says: `Version ${version} of ${NAME} is written; a person decides whether it is used.` });
    await completeWork(tx, work(life), { skill: NAME, version }, `Proposed version ${version} of ${NAME}.`);
    if (version === STEPS.length) return;
    yield clock.atMs + 0.4 * DAY_MS;
    await as(stage, task.by, () =>
      tx.query('select animus.approve_skill($1, $2)', [
        NAME,
        version === 1 ? 'Good to have.' : 'Yes, with the example.',
      ]),
    );
    yield clock.atMs + 1.5 * DAY_MS;
  }
}

async function begun(stage: Stage, version: number) {
  const task = {
    faculty: FACULTIES.writer,
    description: `Write down what we have learned about names of harbours (${version}).`,
    by: 'mira' as const,
  };
  const life = await take(stage, await submit(stage, task), task.faculty);
  await turn(stage, life, { says: '', calls: [note('finding', STEPS[version - 1]!)] });
  return { task, life };
}

async function write(stage: Stage, life: Life, version: number): Promise<void> {
  const content = skillText(version);
  const files = [{ path: 'SKILL.md', content: Buffer.from(content) }];
  const hash = createHash('sha256').update(content).digest('hex');
  await turn(stage, life, {
    says: '',
    calls: [
      {
        tool: 'create_skill',
        input: { name: NAME, description: DESCRIPTION, instructions: content },
        output: `version ${version} is proposed`,
        ms: 40,
      },
    ],
  });
  const call = life.results[0]!;
  const writer = {
    workItemId: life.workItemId,
    leaseToken: life.leaseToken,
    focusId: life.focusId,
    callId: call.callId,
  };
  await storeSkillPackage(stage.tx, { hash, name: NAME }, async () => files);
  const next = await beginSkillVersion(stage.tx, writer, NAME);
  const sources = [{ workItemId: life.workItemId, seq: 1, supports: STEPS[version - 1]! }];
  const skill = {
    name: NAME,
    version: next.next,
    hash,
    description: DESCRIPTION,
    note: `Adds rule ${version}.`,
    sources,
    mode: 'ask' as const,
  };
  if (next.current === null) await createSkill(stage.tx, writer, skill);
  else await updateSkill(stage.tx, writer, { ...skill, base: next.current });
}

function skillText(version: number): string {
  const steps = STEPS.slice(0, version).map((step, n) => `${n + 1}. ${step}`);
  return `---\nname: ${NAME}\ndescription: ${DESCRIPTION}\n---\n\n# Names of harbours\n\n${steps.join('\n')}\n`;
}
