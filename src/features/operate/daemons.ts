/** Daemons with their load, and what is wrong with faculties. */
import { operation } from '../../operations/operation.ts';
import { type RowOf, row } from '../../operations/row.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';

const daemon = row((s) =>
  s.z
    .object({
      id: s.id(),
      host: s.z.string(),
      pid: s.z.int(),
      version: s.z.string(),
      alive: s.z.boolean().describe('it has not stopped, and was seen within the last two minutes'),
      started_at: s.time(),
      seen_at: s.time().describe('it reports every 30 seconds at least'),
      stopped_at: s.time().nullable(),
      ending_at: s.time().nullable().describe('since when it claims no more work, because it ends'),
      slots: s.z.int().describe('how many items it works on at once at most'),
      working: s.z.int().describe('on how many it works'),
      saturated: s.z.boolean().describe('it claims nothing until one of them ends'),
      faculties: s.z.array(s.z.string()),
      problems: s.z
        .array(s.z.string())
        .describe('as it has reported them, such as faculty files that it could not read'),
      blocked_at: s.time().nullable().describe('when its event loop was last blocked for a second or more'),
      blocked_seconds: s.z.number().nullable(),
      blocks: s.z.int().describe('how often it was'),
    })
    .meta({ id: 'Daemon' }),
);

export const listDaemons = operation({
  name: 'listDaemons',
  tag: 'operate',
  summary:
    'The daemons with their load and their problems, also those that stopped in the last hour; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/daemons' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(daemon(s)) }),
  async run({ tx }) {
    await requireSeesAll(tx);
    return {
      items: await tx.query<RowOf<typeof daemon>>(
        `select id, host, pid, version, alive, started_at, seen_at, stopped_at, ending_at, slots, working, saturated, faculties, problems, blocked_at,
                blocked_seconds, blocks from animus.visible_daemons order by alive desc, started_at, id limit 1000`,
      ),
    };
  },
});

const facultyProblem = row((s) =>
  s.z
    .object({
      faculty: s.z.string(),
      kind: s.z
        .enum(['sandbox', 'held', 'claims'])
        .describe(
          '`sandbox`: no container for its code; `held`: its work cannot begin; `claims`: nothing of it can be claimed',
        ),
      problem: s.z.string(),
      since: s.time().nullable(),
      until: s.time().nullable().describe('when it is tried again'),
      daemon_id: s.id().nullable().describe('null: every daemon'),
      host: s.z.string().nullable(),
    })
    .meta({ id: 'FacultyProblem' }),
);

export const listFacultyProblems = operation({
  name: 'listFacultyProblems',
  tag: 'operate',
  summary: 'What is wrong with faculties, as running daemons have reported it; for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/faculty-problems' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(facultyProblem(s)) }),
  async run({ tx }) {
    await requireSeesAll(tx);
    return {
      items: await tx.query<RowOf<typeof facultyProblem>>(
        `select faculty, kind, left(problem, 10000) as problem, since, until, daemon_id, host from animus.visible_faculty_problems order by faculty, kind, host limit 1000`,
      ),
    };
  },
});
