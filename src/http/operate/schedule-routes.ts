/** Schedules. Readers see them, operators change them. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { readCron } from '../../core/work/cron.ts';
import { facultyName, id, jsonObject, submitted, time, warning } from '../../operations/schemas.ts';
import { readVisibleSchedules } from '../../store/views/visible/visible-appliance.ts';
import { isVisibleSchedule, readVisibleRuns } from '../../store/views/visible/visible-operated.ts';
import { addScheduleAs, pauseScheduleAs, removeScheduleAs, runScheduleAs } from '../../store/work/change-schedules.ts';
import { MISSED_POLICIES, OVERLAP_POLICIES } from '../../store/work/schedules.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { unserved } from '../route/unserved.ts';

const name = () => z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/);
const params = z.strictObject({ name: name() });
const schedule = z
  .object({
    name: z.string(),
    cron: z.string(),
    time_zone: z.string(),
    faculty: z.string(),
    description: z.string(),
    params: jsonObject(),
    missed: z.enum(MISSED_POLICIES),
    grace_seconds: z.int(),
    overlap: z
      .enum(OVERLAP_POLICIES)
      .describe('what a run does that is due while an item of the schedule has not ended'),
    paused: z.boolean(),
    problem: z.string().nullable(),
    next_at: time().nullable(),
    last_at: time().nullable(),
    created_at: time(),
    open_item: id().nullable().describe('with `skip` and `queue`: the item that has not ended'),
  })
  .meta({ id: 'Schedule' });

const listSchedules = jsonRoute({
  id: 'listSchedules',
  method: 'GET',
  path: '/schedules',
  tag: 'schedules',
  summary: 'All schedules, for those who may see all work',
  scope: 'read',
  output: z.object({ items: z.array(schedule) }),
  run: async ({ tx }) => ({ items: await readVisibleSchedules(tx) }),
});

const addSchedule = jsonRoute({
  id: 'addSchedule',
  method: 'POST',
  path: '/schedules',
  tag: 'schedules',
  summary: 'Add a schedule; for operators',
  scope: 'decide',
  body: z.strictObject({
    name: name(),
    cron: z.string(),
    time_zone: z.string().default('UTC'),
    faculty: facultyName(),
    description: z.string().default(''),
    params: submitted(jsonObject()).default({}),
    missed: z.enum(MISSED_POLICIES).default('once'),
    grace_seconds: z.int().min(0).max(31_536_000).default(3600),
    overlap: z
      .enum(OVERLAP_POLICIES)
      .default('allow')
      .describe('what a run does that is due while an item of the schedule has not ended'),
    paused: z.boolean().default(false),
  }),
  status: 201,
  output: z.object({ name: z.string(), warning: warning() }),
  errors: ['schedule.exists', 'schedule.invalid'],
  run: async ({ tx }, { body }) => {
    const reading = readCron(body.cron, body.time_zone);
    if (!reading.ok) throw new AnimusError('schedule.invalid', { detail: reading.problem });
    const { time_zone: timeZone, grace_seconds: graceSeconds, ...rest } = body;
    await addScheduleAs(tx, { ...rest, timeZone, graceSeconds });
    return { name: body.name, ...(await unserved(tx, [body.faculty], 'its work waits')) };
  },
});

const listRuns = jsonRoute({
  id: 'listScheduleRuns',
  method: 'GET',
  path: '/schedules/{name}/runs',
  tag: 'schedules',
  summary:
    'The last runs of a schedule, newest first, including those that were missed or skipped; for those who may see all work',
  scope: 'read',
  params,
  query: z.strictObject({ limit: z.coerce.number().int().min(1).max(1000).default(50) }),
  output: z.object({
    items: z.array(
      z.object({
        due_at: time(),
        until_at: time().describe('the last one of several that were missed or skipped'),
        result: z.string().describe('fired, manual, missed or skipped'),
        runs: z.int(),
        work_item_id: id().nullable(),
      }),
    ),
  }),
  errors: ['schedule.not_found'],
  run: async ({ tx }, { path, query }) => {
    if (!(await isVisibleSchedule(tx, path.name))) {
      throw new AnimusError('schedule.not_found', { name: path.name, hint: '' });
    }
    return { items: await readVisibleRuns(tx, path.name, query.limit) };
  },
});

const setPaused = (paused: boolean) =>
  jsonRoute({
    id: paused ? 'pauseSchedule' : 'resumeSchedule',
    method: 'POST',
    path: `/schedules/{name}/${paused ? 'pause' : 'resume'}`,
    tag: 'schedules',
    summary: `${paused ? 'Pause' : 'Resume'} a schedule; for operators`,
    scope: 'decide',
    params,
    body: z.strictObject({}),
    output: z.object({ name: z.string(), paused: z.boolean(), changed: z.boolean() }),
    errors: ['schedule.not_found'],
    run: async ({ tx }, { path }) => ({
      name: path.name,
      paused,
      changed: await pauseScheduleAs(tx, path.name, paused),
    }),
  });

const runSchedule = jsonRoute({
  id: 'runSchedule',
  method: 'POST',
  path: '/schedules/{name}/run',
  tag: 'schedules',
  summary: 'Submit the work of a schedule now; for operators',
  scope: 'decide',
  params,
  body: z.strictObject({}),
  status: 201,
  output: z.object({ name: z.string(), work_item_id: id() }),
  errors: ['schedule.not_found'],
  run: async ({ tx }, { path }) => ({ name: path.name, work_item_id: await runScheduleAs(tx, path.name) }),
});

const removeSchedule = jsonRoute({
  id: 'removeSchedule',
  method: 'DELETE',
  path: '/schedules/{name}',
  tag: 'schedules',
  summary: 'Remove a schedule and the record of its runs; for operators',
  scope: 'decide',
  params,
  output: z.object({ name: z.string(), removed: z.literal(true) }),
  errors: ['schedule.not_found'],
  run: async ({ tx }, { path }) => {
    await removeScheduleAs(tx, path.name);
    return { name: path.name, removed: true as const };
  },
});

export const scheduleRoutes: readonly Route[] = [
  listSchedules,
  addSchedule,
  setPaused(true),
  setPaused(false),
  runSchedule,
  listRuns,
  removeSchedule,
];
