/** Skills as the API shows them. */
import { z } from 'zod';
import { id, time } from '../../operations/schemas.ts';

export const skillName = () => z.string().min(1).max(64).describe('of a skill');
export const versionNumber = () => z.coerce.number().int().min(1).max(1_000_000_000).describe('of a skill');

export const skillVersion = z
  .object({
    name: z.string(),
    version: z.int(),
    state: z.string(),
    base: z.int().nullable().describe('the version that it was made from'),
    description: z.string(),
    note: z.string(),
    content_hash: z.string(),
    faculty: z.string().nullable(),
    created_at: time(),
    decided_by: z.string().nullable(),
    decided_at: time().nullable(),
    decision_note: z.string().nullable(),
    work_item_id: id().nullable().describe('the work that wrote it, if one may see it'),
  })
  .meta({ id: 'SkillVersion' });
