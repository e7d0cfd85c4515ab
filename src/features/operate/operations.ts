/** Faculties, pauses, models and the status. */
import { AnimusError } from '../../core/errors/errors.ts';
import { facultyName, optional, text } from '../../operations/fields.ts';
import { READS } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { Feature } from '../feature.ts';
import { listDaemons, listFacultyProblems } from './daemons.ts';
import { modelDocuments, modelRow } from './models/model-documents.ts';
import { listPauses, pause, resume } from './pauses.ts';
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
  return [listFaculties, showFaculty, listFacultyProblems, listDaemons, listPauses, pause, resume, status, listModels];
}
