/** Skills that agents wrote. A proposed one is decided like all that waits for a person: under approvals, as `skill:NAME`. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { readVisibleSkills } from '../../store/views/visible-appliance.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { id, time } from '../route/schemas.ts';

const skill = z
  .object({
    name: z.string(),
    version: z.int(),
    state: z.string(),
    description: z.string(),
    note: z.string(),
    content_hash: z.string(),
    faculty: z.string().nullable(),
    created_at: time(),
    decided_by: z.string().nullable(),
    decided_at: time().nullable(),
    work_item_id: id().nullable().describe('the work that wrote it, if one may see it'),
  })
  .meta({ id: 'SkillVersion' });

const listSkills = jsonRoute({
  id: 'listSkills',
  method: 'GET',
  path: '/skills',
  tag: 'skills',
  summary: 'The current versions of the skills that agents wrote, by name',
  scope: 'read',
  output: z.object({ items: z.array(skill) }),
  run: async ({ tx }) => ({ items: await readVisibleSkills(tx, null) }),
});

const showSkill = jsonRoute({
  id: 'showSkill',
  method: 'GET',
  path: '/skills/{name}',
  tag: 'skills',
  summary: 'The versions of a skill that one may see, newest first',
  scope: 'read',
  params: z.strictObject({ name: z.string().min(1).max(64) }),
  output: z.object({ items: z.array(skill) }),
  errors: ['skill.unknown'],
  run: async ({ tx }, { path }) => {
    const items = await readVisibleSkills(tx, path.name);
    if (items.length === 0) throw new AnimusError('skill.unknown', { name: path.name, hint: '' });
    return { items };
  },
});

export const skillRoutes: readonly Route[] = [listSkills, showSkill];
