/** What can be done with schedules. Readers see them, operators change them. */
import { AnimusError } from '../../core/errors/errors.ts';
import { readCron } from '../../core/work/cron.ts';
import { choice, facultyName, flag, jsonObject, text, whole } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import * as store from './store.ts';

export const SCHEDULE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/;
export const SCHEDULE_NAME_RULE = '1 to 63 letters, digits, -, _ and .';
const name = text({ pattern: SCHEDULE_NAME, expected: SCHEDULE_NAME_RULE });

export const listSchedules = operation({
  name: 'listSchedules',
  tag: 'schedules',
  summary: 'All schedules, for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/schedules' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.schedule(s)) }),
  run: async ({ tx }) => ({ items: await store.listSchedules(tx) }),
});

export const addSchedule = operation({
  name: 'addSchedule',
  tag: 'schedules',
  summary: 'Add a schedule; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/schedules', status: 201 },
  input: {
    name,
    cron: text(),
    time_zone: text({ default: 'UTC' }),
    faculty: facultyName(),
    description: text({ default: '' }),
    params: jsonObject({ default: {} }),
    missed: choice(store.MISSED_POLICIES, { default: 'once' }),
    grace_seconds: whole({ min: 0, max: 31_536_000, default: 3600 }),
    overlap: choice(store.OVERLAP_POLICIES, { default: 'allow', description: store.OVERLAP }),
    paused: flag({ default: false }),
  },
  output: ({ z, warning }) => z.object({ name: z.string(), warning: warning() }),
  errors: ['schedule.exists', 'schedule.invalid'],
  async prepare(_, { cron, time_zone: timeZone }) {
    const reading = readCron(cron, timeZone);
    if (reading.ok) return reading.dueTimes;
    throw new AnimusError('schedule.invalid', { detail: reading.problem });
  },
  async run({ tx, prepared: dueTimes, unserved }, input) {
    await store.addSchedule(tx, input);
    return { name: input.name, dueTimes, ...(await unserved([input.faculty], { until: 'its work waits' })) };
  },
});

const listRuns = operation({
  name: 'listScheduleRuns',
  tag: 'schedules',
  summary:
    'The last runs of a schedule, newest first, including those that were missed or skipped; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/schedules/{name}/runs' },
  input: { name, limit: whole({ min: 1, max: 1000, default: 50 }) },
  output: (s) => s.z.object({ items: s.z.array(store.scheduleRun(s)) }),
  errors: ['schedule.not_found'],
  run: async ({ tx }, input) => ({ items: await store.listRuns(tx, input.name, input.limit) }),
});

const setPaused = (paused: boolean) =>
  operation({
    name: paused ? 'pauseSchedule' : 'resumeSchedule',
    tag: 'schedules',
    summary: `${paused ? 'Pause' : 'Resume'} a schedule; for operators`,
    scope: 'decide',
    http: { method: 'POST', path: `/schedules/{name}/${paused ? 'pause' : 'resume'}` },
    input: { name },
    output: ({ z }) => z.object({ name: z.string(), paused: z.boolean(), changed: z.boolean() }),
    errors: ['schedule.not_found'],
    run: async ({ tx }, input) => ({
      name: input.name,
      paused,
      changed: await store.pauseSchedule(tx, input.name, paused),
    }),
  });
export const pauseSchedule = setPaused(true);
export const resumeSchedule = setPaused(false);

export const runSchedule = operation({
  name: 'runSchedule',
  tag: 'schedules',
  summary: 'Submit the work of a schedule now; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/schedules/{name}/run', status: 201 },
  input: { name },
  output: ({ z, id }) => z.object({ name: z.string(), work_item_id: id() }),
  errors: ['schedule.not_found'],
  run: async ({ tx }, input) => ({ name: input.name, work_item_id: await store.runSchedule(tx, input.name) }),
});

export const removeSchedule = operation({
  name: 'removeSchedule',
  tag: 'schedules',
  summary: 'Remove a schedule and the record of its runs; for operators',
  scope: 'decide',
  http: { method: 'DELETE', path: '/schedules/{name}' },
  input: { name },
  output: ({ z }) => z.object({ name: z.string(), removed: z.literal(true) }),
  errors: ['schedule.not_found'],
  async run({ tx }, input) {
    const runs = await store.removeSchedule(tx, input.name);
    return { name: input.name, removed: true as const, runs };
  },
});

/** In the order of the OpenAPI document. */
export const scheduleOperations: readonly Operation[] = [
  listSchedules,
  addSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
  listRuns,
  removeSchedule,
];
