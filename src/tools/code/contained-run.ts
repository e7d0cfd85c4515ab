/** Runs code in the sandbox for a call: its calls of tools, its files, its output while it runs, and its figures. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CodeExecution } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type {
  CodeCalls,
  Execution,
  ExecutionSpec,
  LiveOutput,
  OutputStream,
  PooledSpec,
  Sandbox,
} from '../../sandbox/sandbox.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import {
  type EndedNestedCall,
  type NestedCalls,
  type NestedFile,
  type ToolContext,
  type ToolOutput,
  toolError,
} from '../tool.ts';

/** Of each stream, this much is copied while the code runs: as much as an artifact may have. */
export const LIVE_BYTES = 10 * 2 ** 20;

/** What is run. */
export interface CodeToRun {
  readonly code: string;
  readonly timeoutMs: number;
  /** Gets each piece of output as it comes, beside those who watch the work. */
  readonly onOutput?: LiveOutput['onOutput'];
}

/** What came of it. */
export interface ContainedRun {
  readonly execution: Execution;
  readonly calls: readonly EndedNestedCall[];
  readonly files: readonly KeptFile[];
  readonly durationMs: number;
}

/** A file of `out/`, and the artifact that it became, or why it did not. */
export interface KeptFile {
  readonly file: NestedFile;
  readonly kept: { readonly artifactId: string } | { readonly problem: string };
}

/** Runs it. `sandbox`: null where this process has none. Rejects with what ends the focus. */
export async function runContained(
  { code, timeoutMs, onOutput }: CodeToRun,
  settings: CodeExecution,
  sandbox: Sandbox | null,
  context: ToolContext,
): Promise<ContainedRun> {
  const { nested, faculty } = context;
  if (!nested) throw new TypeError('the context has no nested calls');
  const spec: ExecutionSpec = {
    owner: context.workItemId,
    code,
    tools: nested.tools,
    timeoutMs,
    ...pooledSpec(settings),
    ...(settings.mountsWorkspace && { workspaceMount: context.workspace }),
    skills: (await context.skills?.scripts()) ?? [],
    live: { bytes: LIVE_BYTES, onOutput: listener(context, onOutput) },
  };
  const startedMs = performance.now();
  const { execution, calls } = await executeIn(sandbox, spec, nested, context);
  const durationMs = performance.now() - startedMs;
  const files: KeptFile[] = [];
  for (const file of execution.files) files.push({ file, kept: await nested.keepFile(file) });
  count('work.sandbox.executions', 1, { faculty, ended: execution.ended });
  record('work.sandbox.duration', performance.now() - startedMs, { faculty });
  return { execution, calls, files, durationMs };
}

/** What a container for code of this faculty is started with. */
export function pooledSpec({ image, memoryMib, cpus }: CodeExecution): PooledSpec {
  return { image: image ?? '', memoryBytes: memoryMib * 1024 * 1024, cpus };
}

/** Decodes what watchers get: a character may come in two pieces, and bytes that are not text become U+FFFD. */
function listener({ tellOutput }: ToolContext, onOutput?: LiveOutput['onOutput']): LiveOutput['onOutput'] {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  return (stream: OutputStream, piece: Buffer) => {
    onOutput?.(stream, piece);
    const text = tellOutput === undefined ? '' : decoders[stream].decode(piece, { stream: true });
    if (text !== '') tellOutput?.(stream, text);
  };
}

/** In a span of its own, below which the calls of the code are. */
function executeIn(sandbox: Sandbox | null, spec: ExecutionSpec, nested: NestedCalls, context: ToolContext) {
  const attributes = { 'work.turn': context.turn, 'gen_ai.tool.call.id': context.callId };
  return span('execute_code', attributes, async (executing) => {
    const execution = await (sandbox?.execute(spec, callsOf(nested, context), context.signal) ?? NO_SANDBOX);
    const calls = await nested.close();
    executing.set({ 'work.sandbox.ended': execution.ended, 'work.sandbox.tool_calls': calls.length });
    if (execution.ended !== 'returned') executing.fail(execution.ended);
    return { execution, calls };
  });
}

/** Calls arrive on a stream of the container; their spans belong below the active one. */
function callsOf(nested: NestedCalls, { faculty }: ToolContext): CodeCalls {
  const here = AsyncLocalStorage.snapshot();
  return ({ name, input, unread }, signal) =>
    here(async () => {
      const { content, isError = false, details } = await nested.call({ name, input, unread }, signal).catch(stopped);
      count('work.sandbox.tool_calls', 1, { faculty });
      count('work.sandbox.internal_bytes', Buffer.byteLength(content), { faculty });
      return { content, isError, ...(details && { details }) };
    });
}

/** The code ends, or what ends the focus ends it. */
function stopped(error: unknown): ToolOutput {
  return toolError(`interrupted: ${messageOf(error)}`);
}

const EMPTY = { text: '', bytes: 0 } as const;
const NO_SANDBOX: Execution = {
  ended: 'unavailable',
  value: null,
  stdout: EMPTY,
  stderr: EMPTY,
  files: [],
  problem: 'this process of animus has no sandbox for code',
};
