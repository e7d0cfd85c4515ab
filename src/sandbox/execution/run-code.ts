/** Runs the code of one execution on a runner that is ready, and tells how it ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerEnd } from '../container-host.ts';
import type { CodeCalls, CodeTool, Execution, ExecutionSpec } from '../sandbox.ts';
import { MAX_FILE_BYTES, MAX_FILES } from './left-files.ts';
import type { AnswerCall, OpenRunner, RunnerEnd } from './open-runner.ts';
import { type ExecuteParams, MAX_RESULT_BYTES, type Outcome } from './runner-messages.ts';

const OUTPUT_BYTES = 256 * 1024;
const VALUE_BYTES = 2 ** 20;
/** The runner ends the code by itself at its time-out; after so much more, it is taken for hung. */
const LATE_MS = 10_000;
/** The event that memory ran out may come after the end. */
const EVENT_MS = 300;

const NOTHING = { value: null, stdout: { text: '', bytes: 0 }, stderr: { text: '', bytes: 0 }, files: [] } as const;

/** An execution of which nothing is known but its end. */
export function cutShort(ended: Execution['ended'], problem: string): Execution {
  return { ended, ...NOTHING, problem };
}

/** Never rejects. All calls have ended when it resolves; the container still runs. */
export async function runCode(
  runner: OpenRunner,
  spec: ExecutionSpec,
  calls: CodeCalls,
  signal: AbortSignal,
  sdk: string,
): Promise<Execution> {
  const over = new AbortController();
  const open = new Set<Promise<unknown>>();
  const answer: AnswerCall = async (id, given) => {
    const { name } = given;
    const call = calls({ ...given, id: String(id) }, AbortSignal.any([over.signal, signal]));
    open.add(call);
    const { content, isError, details } = await call.finally(() => open.delete(call));
    const bytes = Buffer.byteLength(content);
    if (bytes > MAX_RESULT_BYTES)
      return {
        id,
        error: { code: -32000, message: `the result of ${name} has ${bytes} bytes; code can take ${MAX_RESULT_BYTES}` },
      };
    return { id, result: { content, is_error: isError, ...(details !== undefined && { details }) } };
  };
  const end = runner.execute(paramsOf(spec, sdk), answer, spec.live);
  const execution = await Promise.race([
    end.then((ended) => executionOf(ended, runner, spec)),
    sleep(spec.timeoutMs + LATE_MS, undefined, { signal: over.signal, ref: false }).then(
      () => cutShort('timeout', 'it did not end in time and was killed'),
      () => cutShort('killed', 'it was stopped'),
    ),
    abortOf(signal, over.signal),
  ]);
  over.abort(new Error('the code has ended'));
  await Promise.allSettled(open);
  return execution;
}

function paramsOf(spec: ExecutionSpec, sdk: string): ExecuteParams {
  const limits = {
    stdout_bytes: OUTPUT_BYTES,
    stderr_bytes: OUTPUT_BYTES,
    value_bytes: VALUE_BYTES,
    file_bytes: MAX_FILE_BYTES,
    files: MAX_FILES,
  };
  const skills = Object.fromEntries(spec.skills.map(({ name, files }) => [name, files]));
  const live = spec.live && { live_bytes: spec.live.bytes };
  return { code: spec.code, sdk, timeout_seconds: spec.timeoutMs / 1000, limits, skills, ...live };
}

function abortOf(signal: AbortSignal, over: AbortSignal): Promise<Execution> {
  return new Promise((resolve) => {
    const stop = (): void => resolve(cutShort('killed', 'it was stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true, signal: over });
  });
}

async function executionOf(end: RunnerEnd, { held }: OpenRunner, spec: ExecutionSpec): Promise<Execution> {
  if (end.outcome !== null) return reported(end.outcome, end);
  if (end.why === 'misused')
    return cutShort('killed', `the sandbox broke the protocol and was stopped: ${end.problem}`);
  const gone = await Promise.race([held.exited, sleep(EVENT_MS, null, { ref: false })]);
  if (held.outOfMemory())
    return cutShort('limit', `it ran out of memory (${Math.round(spec.memoryBytes / 2 ** 20)} MiB)`);
  return cutShort('killed', endProblem(gone));
}

function reported(outcome: Outcome, { files, refused }: Extract<RunnerEnd, { refused: unknown }>): Execution {
  const { ended, value, note, traceback, stdout, stderr, exit_status: exitStatus } = outcome;
  const notes = [...(note ? [note] : []), ...refused];
  return {
    ended,
    value: value ?? null,
    stdout,
    stderr,
    files,
    ...(notes.length > 0 && { note: notes.join('; ') }),
    ...(traceback && { traceback }),
    ...(typeof exitStatus === 'number' && { exitStatus }),
  };
}

function endProblem(end: ContainerEnd | null): string {
  if (end?.ended === 'expired') return 'the lease of the work item ended';
  if (end?.ended === 'lost') return `the sandbox was lost: ${end.problem ?? 'the engine went away'}`;
  if (end?.ended === 'destroyed') return 'it was stopped';
  return `the container ended before the code did (exit code ${end?.exitCode ?? 'unknown'})`;
}

/** Tools as the source of the SDK is made from them. */
export type SdkSource = (tools: readonly CodeTool[]) => string;
