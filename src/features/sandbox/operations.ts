/** Code in the sandbox: work items of faculties whose mode is `code`. */
import { AnimusError } from '../../core/errors/errors.ts';
import { CODE_FIELDS, describeCode, EITHER, oneOfBoth } from '../../core/work/code-params.ts';
import { facultyName, optional, other, text, whole } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { submittedItem } from '../../operations/work-rows.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readVisibleFaculty } from '../../store/views/visible/visible-appliance.ts';
import { submitShownWork } from '../../store/work/submit-work.ts';

/** The shipped faculty. */
const FACULTY = 'sandbox';

/** The command of a terminal also follows the output, and may be stopped while the work goes on (`run-code.ts`). */
const runCode = operation({
  name: 'runCode',
  tag: 'sandbox',
  summary: 'Run Python or a command in a container: submits a work item, whose events contain the output while it runs',
  scope: 'work',
  http: { method: 'POST', path: '/sandbox/executions', status: 202, awaits: 'id', body: 'NewExecution' },
  input: {
    code: other(() => CODE_FIELDS.code),
    command: other(() => CODE_FIELDS.command),
    timeout_seconds: other(() => CODE_FIELDS.timeout_seconds),
    faculty: facultyName({ default: FACULTY, description: 'one whose mode is code' }),
    description: optional(text({ description: 'default: what is run' })),
    concurrency_key: optional(text({ description: 'items with the same key run one after another' })),
    priority: optional(whole({ min: -2_147_483_648, max: 2_147_483_647, description: 'higher runs first; default 0' })),
  },
  check: (input) => (oneOfBoth(input) ? null : EITHER),
  output: (s) =>
    s.z
      .object({
        id: s.id().describe('the work item'),
        state: s.workState(),
        events: s.z.string().describe('the path of its events'),
        ...submittedItem(s),
      })
      .meta({ id: 'Execution' }),
  errors: ['work.invalid', 'http.no_sandbox'],
  async run({ tx, traceparent }, { faculty, description, concurrency_key: concurrencyKey, priority, ...params }) {
    await checkSandbox(tx, faculty);
    const { id, state, waiting } = await submitShownWork(tx, {
      faculty,
      description: description ?? describeCode(params),
      params,
      concurrencyKey,
      priority,
      source: 'http',
      traceContext: traceparent ?? undefined,
    });
    return { id, state, waiting, events: `/api/v1/work/${id}/events` };
  },
});

/**
 * Refuses what could not run now. Errors: `http.no_sandbox` if no running daemon has the faculty, or none of them can start its containers, as
 * they last looked, at most 10 s ago; `work.invalid` for a faculty of another mode.
 */
async function checkSandbox(tx: Queryable, name: string): Promise<void> {
  const faculty = await readVisibleFaculty(tx, name);
  if (faculty === null) {
    const remedy = `start one that has it (animus serve), or submit the work with POST /api/v1/work, where it waits`;
    throw new AnimusError('http.no_sandbox', { detail: `no running daemon has the faculty ${name}`, remedy });
  }
  if (faculty.mode !== 'code') {
    throw new AnimusError('work.invalid', { detail: `the faculty ${name} runs no code: it needs mode = "code"` });
  }
  if (faculty.able > 0) return;
  const detail = faculty.problem ?? 'no Docker engine answers, or it has no image for code';
  const remedy = 'animus sandbox status, where the daemon runs, says what is missing';
  throw new AnimusError('http.no_sandbox', { detail, remedy });
}

export const sandboxOperations: readonly Operation[] = [runCode];
