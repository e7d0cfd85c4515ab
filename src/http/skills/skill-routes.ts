/** Skills that agents wrote: what they say, what a version changes, how they were used. */
import { z } from 'zod';
import { skillChanges } from '../../catalog/skills/skill-changes.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import { time, timeIn } from '../../operations/schemas.ts';
import { type OutcomeCounts, visibleSkillStats, visibleStaleSkills } from '../../store/skills/skill-stats.ts';
import { versionsText } from '../../store/skills/skill-versions.ts';
import type { Queryable } from '../../store/sql/database.ts';
import {
  readVisibleFiles,
  readVisibleVersions,
  type VisibleVersion,
} from '../../store/views/visible/visible-skills.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { skillName, skillVersion, versionNumber } from './skill-schemas.ts';

const listSkills = jsonRoute({
  id: 'listSkills',
  method: 'GET',
  path: '/skills',
  tag: 'skills',
  summary: 'The current versions of the skills that agents wrote, by name',
  scope: 'read',
  output: z.object({ items: z.array(skillVersion) }),
  run: async ({ tx }) => ({ items: await readVisibleVersions(tx, null) }),
});

const showSkill = jsonRoute({
  id: 'showSkill',
  method: 'GET',
  path: '/skills/{name}',
  tag: 'skills',
  summary: 'The versions of a skill that you may see, newest first',
  scope: 'read',
  params: z.strictObject({ name: skillName() }),
  output: z.object({ items: z.array(skillVersion) }),
  errors: ['skill.unknown'],
  run: async ({ tx }, { path }) => ({ items: await versionsOf(tx, path.name) }),
});

const showVersion = jsonRoute({
  id: 'showSkillVersion',
  method: 'GET',
  path: '/skills/{name}/versions/{version}',
  tag: 'skills',
  summary: 'A version of a skill with its files',
  scope: 'read',
  params: z.strictObject({ name: skillName(), version: versionNumber() }),
  output: skillVersion.extend({
    files: z.array(z.object({ path: z.string(), content: z.string().describe('the bytes in base64') })),
  }),
  errors: ['skill.unknown'],
  run: async ({ tx }, { path }) => {
    const version = chosen(await versionsOf(tx, path.name), path.version);
    const files = await readVisibleFiles(tx, path.name, path.version);
    return { ...version, files: files.map((file) => ({ path: file.path, content: file.content.toString('base64') })) };
  },
});

const diffSkill = jsonRoute({
  id: 'diffSkill',
  method: 'GET',
  path: '/skills/{name}/diff',
  tag: 'skills',
  summary: 'What a version of a skill changes: the proposed one, if one waits, otherwise the current one',
  scope: 'read',
  params: z.strictObject({ name: skillName() }),
  query: z.strictObject({
    to: versionNumber().optional().describe('this version'),
    from: versionNumber().optional().describe('default: the one that it was made from'),
  }),
  output: z.object({
    to: skillVersion,
    from: z.int().nullable(),
    files: z.array(z.object({ path: z.string(), patch: z.string() })),
  }),
  errors: ['skill.unknown'],
  run: async ({ tx }, { path, query }) => {
    const versions = await versionsOf(tx, path.name);
    const to = chosen(versions, query.to);
    const base = query.from ?? to.base;
    const from = base === null ? null : chosen(versions, base).version;
    const before = from === null ? [] : await readVisibleFiles(tx, path.name, from);
    return { to, from, files: skillChanges(before, await readVisibleFiles(tx, path.name, to.version)) };
  },
});

async function versionsOf(tx: Queryable, name: string): Promise<VisibleVersion[]> {
  const versions = await readVisibleVersions(tx, name);
  if (versions.length === 0) throw new AnimusError('skill.unknown', { name, hint: '' });
  return versions;
}

/** The version with this number; without one, the proposed version, else the current one, else the newest. Errors: `skill.unknown`. */
function chosen(versions: readonly VisibleVersion[], number: number | undefined): VisibleVersion {
  const ofState = (state: VisibleVersion['state']) => versions.find((each) => each.state === state);
  const found =
    number === undefined
      ? (ofState('proposed') ?? ofState('current') ?? versions[0])
      : versions.find(({ version }) => version === number);
  if (found !== undefined) return found;
  const name = `${versions[0]?.name}, version ${number}`;
  throw new AnimusError('skill.unknown', { name, hint: `; it has ${versionsText(versions)}` });
}

const counts = z
  .object({
    items: z.int(),
    completed: z.int(),
    cost_usd: z.number().nullable().describe('null: the cost of no call is known'),
    unpriced_calls: z.number().describe('calls whose cost is not known, which the sum is without'),
    turns: z.int(),
  })
  .meta({ id: 'SkillOutcomes' });

const statsOfSkills = jsonRoute({
  id: 'skillStats',
  method: 'GET',
  path: '/skill-stats',
  tag: 'skills',
  summary: 'How often skills were used, and what became of the work; for those who may see all work',
  scope: 'read',
  query: z.strictObject({
    since: timeIn().optional().describe('default: 30 days ago'),
    skill: skillName().optional().describe('only this one'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        skill: z.string(),
        activations: z.int(),
        last_used_at: time().nullable(),
        with_it: counts,
        without: counts.describe('other work of the same faculties since the skill was first used there'),
      }),
    ),
  }),
  run: async ({ tx }, { query }) => {
    const since = query.since === undefined ? new Date(Date.now() - DEFAULT_MS) : new Date(query.since);
    const uses = await visibleSkillStats(tx, since, query.skill ?? null);
    return {
      items: uses.map(({ skill, activations, lastUsedAt, withIt, without }) => ({
        skill,
        activations,
        last_used_at: lastUsedAt,
        with_it: countsOf(withIt),
        without: countsOf(without),
      })),
    };
  },
});

const DEFAULT_MS = 30 * 86_400_000;

function countsOf({ items, completed, costUsd, unpricedCalls, turns }: OutcomeCounts): z.input<typeof counts> {
  return { items, completed, cost_usd: costUsd, unpriced_calls: unpricedCalls, turns };
}

const staleSkills = jsonRoute({
  id: 'staleSkills',
  method: 'GET',
  path: '/stale-skills',
  tag: 'skills',
  summary: 'Skills that nobody has used for long; for those who may see all work',
  scope: 'read',
  query: z.strictObject({
    days: z.coerce.number().int().min(1).max(3650).optional().describe('default: as the daemons are configured'),
  }),
  output: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        origin: z.enum(['person', 'agent']),
        last_used_at: time().nullable(),
        first_seen_at: time(),
      }),
    ),
  }),
  run: async ({ tx }, { query }) => ({
    items: (await visibleStaleSkills(tx, query.days ?? null)).map(({ skill, origin, lastUsedAt, firstSeenAt }) => ({
      name: skill,
      origin,
      last_used_at: lastUsedAt,
      first_seen_at: firstSeenAt,
    })),
  }),
});

export const skillRoutes: readonly Route[] = [
  listSkills,
  showSkill,
  showVersion,
  diffSkill,
  statsOfSkills,
  staleSkills,
];
