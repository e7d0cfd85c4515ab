/** Faculties, pauses, status and spend. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { facultyName, jsonObject, time, warning } from '../../operations/schemas.ts';
import {
  readFacultySettings,
  readVisibleFaculties,
  readVisibleFaculty,
  readVisiblePauses,
  readVisibleStatus,
} from '../../store/views/visible/visible-appliance.ts';
import { ALL_FACULTIES, pauseFaculty, resumeFaculty } from '../../store/work/operate.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { unserved } from '../route/unserved.ts';
import { status as statusOutput } from '../../features/operate/status/status.ts';

/** What one needs to know to submit work to a faculty. */
const told = {
  name: z.string(),
  description: z.string().describe('what it is for, as its file says; may be empty'),
  mode: z.string().describe('who does its work: builtin (a model), external (a command) or code'),
  params_schema: jsonObject()
    .nullable()
    .describe(
      'the JSON Schema of `params` of its work; null: any object, which its agent reads beside the description',
    ),
  outcome_schema: jsonObject()
    .nullable()
    .describe('the JSON Schema of its outcomes (`outcome.result`); null: they have no fixed form'),
};

const listFaculties = jsonRoute({
  id: 'listFaculties',
  method: 'GET',
  path: '/faculties',
  tag: 'operate',
  summary: 'The faculties that running daemons serve: what each is for, its inputs and its outcome',
  scope: 'read',
  output: z.object({
    items: z.array(
      z.object({
        ...told,
        daemons: z.int().describe('how many serve it'),
        hosts: z.array(z.string()).readonly().nullable().describe('for those who may see all work'),
        able: z
          .int()
          .describe('how many of the daemons can start the containers that mode code needs, as far as they know'),
        problem: z.string().nullable().describe('why one cannot; for those who may see all work'),
      }),
    ),
  }),
  run: async ({ tx }) => ({ items: await readVisibleFaculties(tx) }),
});

const showFaculty = jsonRoute({
  id: 'showFaculty',
  method: 'GET',
  path: '/faculties/{name}',
  tag: 'operate',
  summary: 'What a faculty is for, its inputs and its outcome, and its settings, as running daemons have read them',
  scope: 'read',
  params: z.strictObject({ name: facultyName() }),
  output: z.object({
    ...told,
    daemons: z.array(
      z.object({
        version: z.string().describe('of animus'),
        host: z.string().nullable().describe('for those who may see all work'),
        settings: jsonObject(),
      }),
    ),
  }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => {
    const faculty = await readVisibleFaculty(tx, path.name);
    if (faculty === null) {
      throw new AnimusError('work.not_found', { detail: `no running daemon serves a faculty ${path.name}`, hint: '' });
    }
    return { ...faculty, daemons: await readFacultySettings(tx, path.name) };
  },
});

const facultyOrAll = () => z.union([z.literal(ALL_FACULTIES), facultyName()]);

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
  output: z.object({ faculty: z.string(), warning: warning() }),
  run: async ({ tx }, { body }) => {
    await pauseFaculty(tx, body.faculty, body.reason);
    const named = body.faculty === ALL_FACULTIES ? [] : [body.faculty];
    return { faculty: body.faculty, ...(await unserved(tx, named, 'the pause stops nothing')) };
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

export const operateRoutes: readonly Route[] = [listFaculties, showFaculty, listPauses, pause, resume, status];
