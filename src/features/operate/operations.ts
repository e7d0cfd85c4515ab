/** Faculties, pauses, models and the status. */
import { AnimusError } from '../../core/errors/errors.ts';
import { facultyName, optional, other, text } from '../../operations/fields.ts';
import { READS } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { ALL_FACULTIES, pauseFaculty, resumeFaculty } from '../../store/work/operate.ts';
import type { Feature } from '../feature.ts';
import { modelDocuments, modelRow } from './models/model-documents.ts';
import { readStatus, statusRow } from './status/status.ts';
import * as store from './store.ts';

const listFaculties = operation({
  name: 'listFaculties',
  tag: 'operate',
  summary: 'The faculties that running daemons serve: what each is for, its inputs and its outcome',
  scope: 'read',
  http: { method: 'GET', path: '/faculties' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.listedFaculty(s)) }),
  mcp: {
    name: 'list_faculties',
    description:
      'The faculties that running daemons serve: the kinds of agents that work can be submitted to. Each says what it is for, and has the JSON Schemas of its params and its outcome, if it has them.',
    hints: READS,
  },
  run: async ({ tx }) => ({ items: await store.readFaculties(tx) }),
});

const showFaculty = operation({
  name: 'showFaculty',
  tag: 'operate',
  summary: 'What a faculty is for, its inputs and its outcome, and its settings, as running daemons have read them',
  scope: 'read',
  http: { method: 'GET', path: '/faculties/{name}' },
  input: { name: facultyName() },
  output: store.shownFaculty,
  errors: ['work.not_found'],
  async run({ tx }, { name }) {
    const [faculty] = await store.readFaculties(tx, name);
    if (faculty) return { ...faculty, daemons: await store.readSettings(tx, name) };
    throw new AnimusError('work.not_found', { detail: `no running daemon serves a faculty ${name}`, hint: '' });
  },
});

const listPauses = operation({
  name: 'listPauses',
  tag: 'operate',
  summary: 'What is paused, for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/pauses' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.pause(s)) }),
  run: async ({ tx }) => ({ items: await store.readPauses(tx) }),
});

const facultyOrAll = other((s) => s.z.union([s.z.literal(ALL_FACULTIES), s.facultyName()]));

export const pause = operation({
  name: 'pause',
  tag: 'operate',
  summary: 'Stop new claims and model calls, of one faculty or all; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/pauses', status: 201 },
  input: { faculty: { ...facultyOrAll, default: ALL_FACULTIES }, reason: optional(text()) },
  output: (s) => s.z.object({ faculty: s.z.string(), warning: s.warning() }),
  async run({ tx, unserved }, { faculty, reason }) {
    await pauseFaculty(tx, faculty, reason);
    const named = faculty === ALL_FACULTIES ? [] : [faculty];
    return { faculty, ...(await unserved(named, { until: 'the pause stops nothing' })) };
  },
});

export const resume = operation({
  name: 'resume',
  tag: 'operate',
  summary: 'Lift a pause; for operators',
  scope: 'decide',
  http: { method: 'DELETE', path: '/pauses/{faculty}' },
  input: { faculty: facultyOrAll },
  output: (s) => s.z.object({ faculty: s.z.string(), resumed: s.z.boolean().describe('false: it was not paused') }),
  run: async ({ tx }, { faculty }) => ({ faculty, resumed: await resumeFaculty(tx, faculty) }),
});

const listModels = operation({
  name: 'listModels',
  tag: 'operate',
  summary: 'The models that animus knows, with context windows, prices and abilities',
  scope: 'read',
  http: { method: 'GET', path: '/models' },
  input: {
    provider: optional(text({ description: 'only its models' })),
    model: optional(text({ description: 'its name' })),
  },
  output: (s) => s.z.object({ items: s.z.array(modelRow(s)) }),
  run: async ({ models }, wanted) => ({ items: modelDocuments(await models(), wanted) }),
});

/** In the order of the OpenAPI document. `all`: the parts, which add to the status. */
export function operateOperations(all: readonly Feature[]): readonly Operation[] {
  const status = operation({
    name: 'status',
    tag: 'operate',
    summary: 'What `animus status --json` prints of the database, for those who may see all work',
    scope: 'read',
    http: { method: 'GET', path: '/status' },
    input: {},
    output: (s) =>
      statusRow(s)
        .extend(Object.assign({}, ...all.map(({ status: part }) => part?.shape(s))) as object)
        .meta({ id: 'Status' }),
    run: ({ tx }) => readStatus(tx),
  });
  return [listFaculties, showFaculty, listPauses, pause, resume, status, listModels];
}
