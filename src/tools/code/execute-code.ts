/** execute_code: runs code in a sandbox, with the faculty's tools as functions. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { z } from 'zod';
import type { CodeExecution } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { CodeCalls, Execution, ExecutionSpec, PooledSpec, Sandbox } from '../../sandbox/sandbox.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import { type NestedCalls, type ToolContext, type ToolOutput, toolError, type WorldTool, worldTool } from '../tool.ts';
import { reportExecution } from './execution-report.ts';

/** The name of the tool. */
export const EXECUTE_CODE = 'execute_code';

const MAX_CODE_CHARS = 262_144;
/** Beside the time of the code: for the start of its container, and for its end. */
const AROUND_MS = 60_000;

const input = z.strictObject({
  code: z.string().min(1).max(MAX_CODE_CHARS).describe('Python 3; return at the top level ends it with a value'),
  timeout_seconds: z
    .number()
    .positive()
    .optional()
    .describe('Time-out in seconds, at most that of the faculty, which is the default'),
});

const DESCRIPTION =
  'Runs Python in a container of its own that can reach nothing but your tools. There they are functions with the same names and inputs, such as ' +
  'read_file("a.txt"); help(read_file) shows what it returns. A call that fails raises ToolError. gather(f.later(…), g.later(…)) makes calls at the same ' +
  'time. Use it for many calls, loops and large results: code gets up to 16 MiB of a result, and only what it returns and prints comes back to you. Files ' +
  'in out/ are kept as artifacts. Calls that need an approval or that wait are errors there: make them directly. Each run starts afresh, with the ' +
  'standard library only.';

/** The tool for a faculty. `sandbox`: null where this process has none. */
export function executeCodeTool(
  settings: CodeExecution,
  sandbox: () => Sandbox | null,
): WorldTool<z.infer<typeof input>> {
  return worldTool<z.infer<typeof input>>({
    name: EXECUTE_CODE,
    description: DESCRIPTION,
    input,
    risk: 'execute',
    idempotent: false,
    callsTools: true,
    timeoutMs: settings.timeoutSeconds * 1000 + AROUND_MS,
    run: ({ code, timeout_seconds: seconds = settings.timeoutSeconds }, context) => {
      const timeoutMs = Math.round(Math.min(seconds, settings.timeoutSeconds) * 1000);
      return run(code, timeoutMs, settings, sandbox(), context);
    },
  });
}

async function run(
  code: string,
  timeoutMs: number,
  settings: CodeExecution,
  sandbox: Sandbox | null,
  context: ToolContext,
): Promise<ToolOutput> {
  const { nested } = context;
  if (!nested) throw new TypeError('the context has no nested calls');
  const spec: ExecutionSpec = {
    owner: context.workItemId,
    code,
    tools: nested.tools,
    timeoutMs,
    ...pooledSpec(settings),
    ...(settings.mountsWorkspace && { workspaceMount: context.workspace }),
    skills: (await context.skills?.scripts()) ?? [],
  };
  const startedMs = performance.now();
  const { execution, calls } = await executeIn(sandbox, spec, nested, context);
  const files = [];
  for (const file of execution.files) files.push({ file, kept: await nested.keepFile(file) });
  const output = reportExecution(execution, { timeoutMs, files, calls });
  const { faculty } = context;
  const { ended } = execution;
  count('work.sandbox.executions', 1, { faculty, ended });
  record('work.sandbox.duration', performance.now() - startedMs, { faculty });
  count('work.sandbox.output_bytes', Buffer.byteLength(output.content), { faculty });
  return output;
}

/** What a container for code of this faculty is started with. */
export function pooledSpec({ image, memoryMib, cpus }: CodeExecution): PooledSpec {
  return { image: image ?? '', memoryBytes: memoryMib * 1024 * 1024, cpus };
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
  return ({ name, input }, signal) =>
    here(async () => {
      const { content, isError = false, details } = await nested.call({ name, input }, signal).catch(stopped);
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
