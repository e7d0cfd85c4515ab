/** Asks a provider about a batch, and stores its results when it has ended. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { BatchAnswer, BatchLook } from '../../llm/batch/batch-api.ts';
import { type Fault, fault } from '../../llm/wire/fault.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { type BatchPass, downloads, smallCalls } from './batch-pass.ts';
import { answerRequest, type Batch, batchRequests, endBatch, noteBatch } from './store.ts';

/** One look at a submitted batch. */
export async function collectBatch(batch: Batch & { readonly providerId: string }, pass: BatchPass): Promise<void> {
  const { api } = pass.batches;
  const look = await api.look(batch.providerId, smallCalls(pass));
  const note = { id: batch.id, token: await pass.hold() };
  switch (look.kind) {
    case 'failed':
      return trouble(batch, note, look.fault, pass);
    case 'running': {
      if (!batch.unwanted) return noteBatch(pass.db, note, { problem: null });
      const problem = await api.cancel(batch.providerId, smallCalls(pass));
      if (problem) return trouble(batch, note, problem, pass);
      pass.log.info({ provider: pass.provider, batch: batch.id }, 'cancelled a batch whose work has ended');
      return noteBatch(pass.db, note, { problem: null, cancelled: true });
    }
    case 'ended':
      return store(batch, look, note, pass);
    default:
      return look satisfies never;
  }
}

async function store(
  batch: Batch,
  look: Extract<BatchLook, { kind: 'ended' }>,
  note: { readonly id: string; readonly token: string },
  pass: BatchPass,
): Promise<void> {
  const answers = new Map<string, BatchAnswer>();
  for (const file of look.files) {
    const problem = await pass.batches.api.results(file, (id, answer) => answers.set(id, answer), downloads(pass));
    if (problem) return trouble(batch, note, problem, pass);
  }
  if (answers.size < look.answered) {
    const read = `${answers.size} of ${look.answered} answers could be read`;
    return trouble(batch, note, fault('protocol', `the results are not complete: ${read}`), pass);
  }
  const requests = await batchRequests(pass.db, batch.id);
  // A request that was deleted with its work item shifts the lines.
  for (const { line, answer } of requests.length === batch.requests ? look.lines : []) {
    const request = requests[line - 1];
    if (request) answers.set(request.id, answer);
  }
  const left: BatchAnswer = { ended: look.problem === null ? 'missing' : 'not_run' };
  for (const { id } of requests.filter(({ open }) => open)) {
    await answer(id, stored(answers.get(id) ?? left, pass), pass);
  }
  const token = await pass.hold();
  const endedAs = look.problem === null ? 'collected' : 'not_run';
  const ended = await endBatch(pass.db, { id: batch.id, token }, endedAs, look.problem);
  const { provider } = pass;
  const fields = { provider, batch: batch.id, requests: requests.length };
  if (ended) count('work.batch.requests', requests.length, { provider, result: endedAs });
  if (ended && look.problem === null)
    record('work.batch.duration', Math.max(0, Date.now() - batch.createdAt.getTime()) / 1000, { provider });
  if (!ended) pass.log.warn(fields, 'some answers of a batch could not be stored; trying again');
  else if (look.problem === null) pass.log.info(fields, 'collected a batch');
  else pass.log.warn({ ...fields, error: look.problem }, 'the provider ran no request of a batch');
}

/** As JSON. An error may quote the key, which has no place in the database. */
function stored(answer: BatchAnswer, { batches }: BatchPass): string {
  const text = JSON.stringify(answer);
  return 'status' in answer && answer.status !== 200 ? batches.mask(text) : text;
}

/** A locked item gets its answer in the next pass. */
async function answer(id: string, text: string, { db }: BatchPass): Promise<void> {
  try {
    await answerRequest(db, id, text);
  } catch (error) {
    if (!isAnimusError(error, 'work.locked')) throw error;
  }
}

async function trouble(
  batch: Batch,
  note: { readonly id: string; readonly token: string },
  problem: Fault,
  { db, log, provider }: BatchPass,
): Promise<void> {
  log.warn(
    { provider, batch: batch.id, error: problem.message },
    'cannot ask the provider about a batch; trying again',
  );
  await noteBatch(db, note, { problem: problem.message });
}
