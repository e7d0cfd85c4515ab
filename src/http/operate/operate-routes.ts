/** Faculties, pauses, status and spend. */
import { z } from 'zod';
import { FACULTY_NAME } from '../../core/work/faculty-name.ts';
import { readVisibleSpend, SPEND_GROUPS, type SpendGroup } from '../../store/views/spend.ts';
import { readVisibleFaculties, readVisiblePauses, readVisibleStatus } from '../../store/views/visible-appliance.ts';
import { ALL_FACULTIES, pauseFaculty, resumeFaculty } from '../../store/work/operate.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { time } from '../route/schemas.ts';
import { status as statusOutput } from './status-schema.ts';

const listFaculties = jsonRoute({
  id: 'listFaculties',
  method: 'GET',
  path: '/faculties',
  tag: 'operate',
  summary: 'The faculties that running daemons serve',
  scope: 'read',
  output: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        daemons: z.int().describe('how many serve it'),
        hosts: z.array(z.string()).readonly().nullable().describe('for those who may see all work'),
      }),
    ),
  }),
  run: async ({ tx }) => ({ items: await readVisibleFaculties(tx) }),
});

const facultyOrAll = () => z.union([z.literal(ALL_FACULTIES), z.string().regex(FACULTY_NAME)]);

const listPauses = jsonRoute({
  id: 'listPauses',
  method: 'GET',
  path: '/pauses',
  tag: 'operate',
  summary: 'What is paused, for those who may see all work',
  scope: 'read',
  output: z.object({
    items: z.array(
      z.object({
        faculty: z.string().describe('`*`: all'),
        reason: z.string(),
        paused_by: z.string(),
        until: time().nullable(),
        created_at: time(),
      }),
    ),
  }),
  run: async ({ tx }) => ({ items: await readVisiblePauses(tx) }),
});

const pause = jsonRoute({
  id: 'pause',
  method: 'POST',
  path: '/pauses',
  tag: 'operate',
  summary: 'Stop new claims and model calls, of one faculty or all; for operators',
  scope: 'decide',
  body: z.strictObject({ faculty: facultyOrAll().default(ALL_FACULTIES), reason: z.string().optional() }),
  status: 201,
  output: z.object({ faculty: z.string() }),
  run: async ({ tx }, { body }) => {
    await pauseFaculty(tx, body.faculty, body.reason);
    return { faculty: body.faculty };
  },
});

const resume = jsonRoute({
  id: 'resume',
  method: 'DELETE',
  path: '/pauses/{faculty}',
  tag: 'operate',
  summary: 'Lift a pause; for operators',
  scope: 'decide',
  params: z.strictObject({ faculty: facultyOrAll() }),
  output: z.object({ faculty: z.string(), resumed: z.boolean().describe('false: it was not paused') }),
  run: async ({ tx }, { path }) => ({ faculty: path.faculty, resumed: await resumeFaculty(tx, path.faculty) }),
});

const status = jsonRoute({
  id: 'status',
  method: 'GET',
  path: '/status',
  tag: 'operate',
  summary: 'What `animus status --json` prints of the database, for those who may see all work',
  scope: 'read',
  output: statusOutput,
  run: ({ tx }) => readVisibleStatus(tx) as Promise<z.input<typeof statusOutput>>,
});

const day = () => z.iso.date();
const groups = z
  .string()
  .describe('one row for each of these: day, month, faculty, model, operation, submitter')
  .default('faculty,model')
  .transform((text, context): SpendGroup[] => {
    const wanted = text.split(',');
    const known = SPEND_GROUPS.filter((group) => wanted.includes(group));
    if (known.length === wanted.length) return known;
    context.addIssue({ code: 'custom', message: `expected a list of ${SPEND_GROUPS.join(', ')}` });
    return z.NEVER;
  });
const sum = { usd: z.number(), input_tokens: z.number(), output_tokens: z.number(), calls: z.number() };

const spend = jsonRoute({
  id: 'spend',
  method: 'GET',
  path: '/spend',
  tag: 'operate',
  summary: 'What model calls cost, by UTC day',
  scope: 'read',
  query: z.strictObject({
    since: day().describe('the first day'),
    until: day().optional().describe('the day after the last'),
    by: groups,
    limit: z.coerce.number().int().min(1).max(10_000).default(200),
  }),
  output: z.object({
    rows: z
      .array(
        z.object({
          day: z.string().nullable(),
          month: z.string().nullable(),
          faculty: z.string().nullable(),
          model: z.string().nullable(),
          operation: z.string().nullable(),
          submitter: z.string().nullable(),
          ...sum,
        }),
      )
      .readonly(),
    total: z.object({ ...sum, groups: z.int() }),
  }),
  run: ({ tx }, { query }) => {
    const { since, until = null, by, limit } = query;
    return readVisibleSpend(tx, by, { since, until }, limit);
  },
});

export const operateRoutes: readonly Route[] = [listFaculties, listPauses, pause, resume, status, spend];
