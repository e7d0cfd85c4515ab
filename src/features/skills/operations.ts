/** Skills that agents wrote: what they say, what a version changes, how they were used, and what operators decide about them. */
import { optional, text, time, whole } from '../../operations/fields.ts';
import { type Acting, type Operation, operation } from '../../operations/operation.ts';
import type { Schemas } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';
import * as store from './store.ts';
import * as usage from './usage.ts';

const name = text({ min: 1, max: 64, description: 'of a skill' });
const versionNumber = (description = 'of a skill') => whole({ min: 1, max: 1_000_000_000, description });
const note = text({ default: '', description: 'why; it is kept with the decision' });
const hash = optional(
  text({ description: 'refused with 409 if the version that waits does not have this content hash' }),
);

const listSkills = operation({
  name: 'listSkills',
  tag: 'skills',
  summary: 'The current versions of the skills that agents wrote, by name',
  scope: 'read',
  http: { method: 'GET', path: '/skills' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.skillVersion(s)) }),
  run: async ({ tx }) => ({ items: await store.currentVersions(tx) }),
});

export const showSkill = operation({
  name: 'showSkill',
  tag: 'skills',
  summary: 'The versions of a skill that you may see, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/skills/{name}' },
  input: { name },
  output: (s) => s.z.object({ items: s.z.array(store.skillVersion(s)) }),
  errors: ['skill.unknown'],
  run: async (acting, input) => ({ items: await readVersions(acting, input.name) }),
});

const showVersion = operation({
  name: 'showSkillVersion',
  tag: 'skills',
  summary: 'A version of a skill with its files',
  scope: 'read',
  http: { method: 'GET', path: '/skills/{name}/versions/{version}' },
  input: { name, version: versionNumber() },
  output: (s) =>
    store.skillVersion(s).extend({
      files: s.z.array(s.z.object({ path: s.z.string(), content: s.z.string().describe('the bytes in base64') })),
    }),
  errors: ['skill.unknown'],
  async run({ tx }, input) {
    const version = store.chosenOf(await store.versionsOf(tx, input.name), input.version);
    const files = await store.filesOf(tx, input.name, input.version);
    return { ...version, files: files.map(({ path, content }) => ({ path, content: content.toString('base64') })) };
  },
});

export const diffSkill = operation({
  name: 'diffSkill',
  tag: 'skills',
  summary: 'What a version of a skill changes: the proposed one, if one waits, otherwise the current one',
  scope: 'read',
  http: { method: 'GET', path: '/skills/{name}/diff' },
  input: {
    name,
    to: optional(versionNumber('this version')),
    from: optional(versionNumber('default: the one that it was made from')),
  },
  output: (s) =>
    s.z.object({
      to: store.skillVersion(s),
      from: s.z.int().nullable(),
      files: s.z.array(s.z.object({ path: s.z.string(), patch: s.z.string() })),
    }),
  errors: ['skill.unknown'],
  async run({ tx, visitor }, input) {
    const { skillChanges } = await import('../../catalog/skills/skill-changes.ts');
    const versions = await readVersions({ tx, visitor }, input.name);
    const to = store.chosenOf(versions, input.to);
    const base = input.from ?? to.base;
    const from = base === null ? null : store.chosenOf(versions, base).version;
    const before = from === null ? [] : await store.filesOf(tx, input.name, from);
    return { to, from, files: skillChanges(before, await store.filesOf(tx, input.name, to.version)) };
  },
});

export const skillStats = operation({
  name: 'skillStats',
  tag: 'skills',
  summary: 'How often skills were used, and what became of the work; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/skill-stats' },
  input: {
    since: optional(time({ description: 'default: 30 days ago' })),
    skill: optional(text({ min: 1, max: 64, description: 'only this one' })),
  },
  output: (s) => s.z.object({ items: s.z.array(usage.skillUse(s)) }),
  async run({ tx }, { since = new Date(Date.now() - 30 * 86_400_000), skill }) {
    return { since, items: await usage.skillStats(tx, since, skill) };
  },
});

const staleSkills = operation({
  name: 'staleSkills',
  tag: 'skills',
  summary: 'Skills that nobody has used for a long time; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/stale-skills' },
  input: { days: optional(whole({ min: 1, max: 3650, description: 'default: as the daemons are configured' })) },
  output: (s) => s.z.object({ items: s.z.array(usage.staleSkill(s)) }),
  run: async ({ tx }, { days }) => ({ items: await usage.staleSkills(tx, days) }),
});

const decided = {
  tag: 'skills',
  scope: 'decide',
  output: (s: Schemas) => s.z.object({ name: s.z.string(), version: s.z.int() }),
  errors: ['work.not_found', 'work.state', 'work.locked'],
} as const;

export const approveSkill = operation({
  ...decided,
  name: 'approveSkill',
  summary: 'Approve the proposed version of a skill: foci can use it from then on; for operators',
  http: { method: 'POST', path: '/skills/{name}/approve' },
  input: { name, note, hash },
  run: async ({ tx }, input) => versionOf(tx, input.name, await store.approveSkill(tx, input)),
});

export const denySkill = operation({
  ...decided,
  name: 'denySkill',
  summary: 'Deny the proposed version of a skill: it is kept and never used; for operators',
  http: { method: 'POST', path: '/skills/{name}/deny' },
  input: { name, note, hash },
  run: async ({ tx }, input) => versionOf(tx, input.name, await store.denySkill(tx, input)),
});

export const archiveSkill = operation({
  ...decided,
  name: 'archiveSkill',
  summary: 'Stop using a skill; its versions stay; for operators',
  http: { method: 'POST', path: '/skills/{name}/archive' },
  input: { name, note },
  run: async ({ tx }, input) => ({ name: input.name, version: await store.archiveSkill(tx, input) }),
});

export const rollBackSkill = operation({
  ...decided,
  name: 'rollBackSkill',
  summary: 'Make an earlier version of a skill current again, as a new version with its files; for operators',
  http: { method: 'POST', path: '/skills/{name}/rollback' },
  input: { name, to: optional(versionNumber('one that was current before; default: the last of these')), note },
  run: async ({ tx }, input) => versionOf(tx, input.name, await store.rollBackSkill(tx, input)),
});

/** In the order of the OpenAPI document. */
export const skillOperations: readonly Operation[] = [
  listSkills,
  showSkill,
  showVersion,
  diffSkill,
  skillStats,
  staleSkills,
  approveSkill,
  denySkill,
  archiveSkill,
  rollBackSkill,
];

/** Refuses a login that sees no skills, such as that of a gateway, to which the views look empty. Errors: `db.forbidden`, `skill.unknown`. */
async function readVersions({ tx, visitor }: Pick<Acting<never>, 'tx' | 'visitor'>, name: string) {
  if (visitor === null) await requireSeesAll(tx);
  return store.versionsOf(tx, name);
}

/** The version as a decision has left it: a terminal shows it. */
async function versionOf(tx: Queryable, skill: string, number: number): Promise<store.SkillVersion> {
  return store.chosenOf(await store.versionsOf(tx, skill), number);
}
