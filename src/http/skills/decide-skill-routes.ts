/** What operators decide about skills that agents wrote. */
import { z } from 'zod';
import {
  approveSkill,
  archiveSkill,
  denySkill,
  rollBackSkill,
  type SkillDecision,
} from '../../store/skills/decide-skill.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { type JsonRoute, jsonRoute } from '../route/route.ts';
import { skillName, versionNumber } from './skill-schemas.ts';

const note = z.string().default('').describe('why; it is kept with the decision');
const hash = z
  .string()
  .optional()
  .describe('refused with 409 if another version waits than the one with this content hash');
const decided = {
  method: 'POST',
  tag: 'skills',
  scope: 'decide',
  params: z.strictObject({ name: skillName() }),
  output: z.object({ name: z.string(), version: z.int() }),
  errors: ['work.not_found', 'work.state', 'work.locked'],
} as const;

function decideRoute(
  described: Pick<JsonRoute, 'id' | 'summary' | 'path'>,
  decide: (tx: Queryable, decision: SkillDecision) => Promise<number>,
): JsonRoute {
  return jsonRoute({
    ...decided,
    ...described,
    body: z.strictObject({ note, hash }),
    run: async ({ tx }, { path, body }) => {
      const decision = { name: path.name, note: body.note, ...(body.hash !== undefined && { hash: body.hash }) };
      return { name: path.name, version: await decide(tx, decision) };
    },
  });
}

const archiveRoute = jsonRoute({
  ...decided,
  id: 'archiveSkill',
  path: '/skills/{name}/archive',
  summary: 'Stop using a skill; its versions stay; for operators',
  body: z.strictObject({ note }),
  run: async ({ tx }, { path, body }) => ({ name: path.name, version: await archiveSkill(tx, { ...path, ...body }) }),
});

const rollbackRoute = jsonRoute({
  ...decided,
  id: 'rollBackSkill',
  path: '/skills/{name}/rollback',
  summary: 'Make an earlier version of a skill current again, as a new version with its files; for operators',
  body: z.strictObject({
    to: versionNumber().optional().describe('one that was current before; default: the last of these'),
    note,
  }),
  run: async ({ tx }, { path, body }) => ({ name: path.name, version: await rollBackSkill(tx, { ...path, ...body }) }),
});

export const decideSkillRoutes: readonly JsonRoute[] = [
  decideRoute(
    {
      id: 'approveSkill',
      path: '/skills/{name}/approve',
      summary: 'Approve the proposed version of a skill: foci can use it from then on; for operators',
    },
    approveSkill,
  ),
  decideRoute(
    {
      id: 'denySkill',
      path: '/skills/{name}/deny',
      summary: 'Deny the proposed version of a skill: it is kept and never used; for operators',
    },
    denySkill,
  ),
  archiveRoute,
  rollbackRoute,
];
