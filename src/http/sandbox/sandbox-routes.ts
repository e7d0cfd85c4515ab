/** Code in the sandbox: work items of faculties whose mode is `code`. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { CODE_FIELDS, describeCode, EITHER, oneOfBoth } from '../../core/work/code-params.ts';
import * as schemas from '../../operations/schemas.ts';
import { facultyName, id, workState } from '../../operations/schemas.ts';
import { submittedItem } from '../../operations/work-rows.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readVisibleFaculty } from '../../store/views/visible/visible-appliance.ts';
import { whyWaiting } from '../../store/views/waiting.ts';
import { submitWork } from '../../store/work/submit-work.ts';
import { jsonRoute, type Route } from '../route/route.ts';

/** The shipped faculty. */
const FACULTY = 'sandbox';

const newExecution = z
  .strictObject({
    ...CODE_FIELDS,
    faculty: facultyName().default(FACULTY).describe('one whose mode is code'),
    description: z.string().optional().describe('default: what is run'),
    concurrency_key: z.string().optional().describe('items with the same key run one after another'),
    priority: z.int32().optional().describe('higher runs first; default 0'),
  })
  .refine(oneOfBoth, EITHER)
  .meta({ id: 'NewExecution' });

const runCode = jsonRoute({
  id: 'runCode',
  method: 'POST',
  path: '/sandbox/executions',
  tag: 'sandbox',
  summary: 'Run Python or a command in a container: submits a work item, whose events contain the output while it runs',
  scope: 'work',
  body: newExecution,
  status: 202,
  output: z
    .object({
      id: id().describe('the work item'),
      state: workState(),
      events: z.string().describe('the path of its events'),
      ...submittedItem(schemas),
    })
    .meta({ id: 'Execution' }),
  awaits: 'id',
  errors: ['work.invalid', 'http.no_sandbox'],
  run: async ({ tx, traceparent }, { body }) => {
    const { faculty, description, concurrency_key: concurrencyKey, priority, ...params } = body;
    await checkSandbox(tx, faculty);
    const submitted = await submitWork(tx, {
      faculty,
      description: description ?? describeCode(params),
      params,
      concurrencyKey,
      priority,
      source: 'http',
      traceContext: traceparent ?? undefined,
    });
    const events = `/api/v1/work/${submitted.id}/events`;
    return { id: submitted.id, state: submitted.state, waiting: await whyWaiting(tx, submitted.id), events };
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

export const sandboxRoutes: readonly Route[] = [runCode];
