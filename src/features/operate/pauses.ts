/** What is paused, and who may change that. */
import { optional, other, text } from '../../operations/fields.ts';
import { operation } from '../../operations/operation.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';
import { ALL_FACULTIES, pauseFaculty, resumeFaculty } from '../../store/work/operate.ts';

const pauseRow = row((s) =>
  s.z.object({
    faculty: s.z.string().describe('`*`: all'),
    reason: s.z.string(),
    paused_by: s.z.string(),
    until: s.time().nullable(),
    created_at: s.time(),
  }),
);

/** The pauses that are in force. Errors: `db.forbidden` for logins that may not see all work. */
async function readPauses(tx: Queryable): Promise<RowOf<typeof pauseRow>[]> {
  await requireSeesAll(tx);
  return tx.query(
    `select faculty, reason, paused_by, until, created_at from animus.visible_pauses
      where until is null or until > animus.now() order by faculty`,
  );
}

export const listPauses = operation({
  name: 'listPauses',
  tag: 'operate',
  summary: 'What is paused, for those who may see all work',
  scope: 'read',
  http: { method: 'GET', path: '/pauses' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(pauseRow(s)) }),
  run: async ({ tx }) => ({ items: await readPauses(tx) }),
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
