/** execute_code of a faculty whose mode is `code`: the one call of its work items, whose input is their `params` and whose result is their outcome. */
import { isUtf8 } from 'node:buffer';
import type { CodeExecution } from '../../catalog/faculty/faculty.ts';
import { type CodeParams, codeParams } from '../../core/work/code-params.ts';
import type { OutputStream, Sandbox } from '../../sandbox/sandbox.ts';
import { count } from '../../telemetry/metrics.ts';
import { type NestedCalls, type ToolContext, type ToolOutput, type WorldTool, worldTool } from '../tool.ts';
import { commandSource } from './command-source.ts';
import { type ContainedRun, runContained } from './contained-run.ts';
import { AROUND_MS, EXECUTE_CODE } from './execute-code.ts';
import { executionOutcome, isShownWhole, type NotExited, type WholeParts } from './execution-outcome.ts';

/** A longer value is an artifact. */
const MAX_VALUE_CHARS = 262_144;

/** The tool for a faculty. `sandbox`: null where this process has none. */
export function codeItemTool(settings: CodeExecution, sandbox: () => Sandbox | null): WorldTool<CodeParams> {
  return worldTool<CodeParams>({
    name: EXECUTE_CODE,
    description: 'Runs the Python or the command of the work item in a container, once. No model sees this.',
    input: codeParams,
    risk: 'execute',
    idempotent: false,
    callsTools: true,
    timeoutMs: settings.timeoutSeconds * 1000 + AROUND_MS,
    run: (params, context) => run(params, settings, sandbox(), context),
  });
}

async function run(
  { code, command, timeout_seconds: seconds = Infinity }: CodeParams,
  settings: CodeExecution,
  sandbox: Sandbox | null,
  context: ToolContext,
): Promise<ToolOutput> {
  const collected = collector();
  const source = code ?? commandSource(command ?? []);
  const timeoutMs = Math.round(Math.min(seconds, settings.timeoutSeconds) * 1000);
  const ran = await runContained({ code: source, timeoutMs, onOutput: collected.take }, settings, sandbox, context);
  const { ended, problem, stdout, stderr } = ran.execution;
  if (ended === 'unavailable' || ended === 'killed') return notExited(ended, problem ?? 'for an unknown reason');
  const whole = await keepWhole(ran, collected.whole, context.nested!);
  const outcome = executionOutcome(ran, code === undefined, whole);
  const content = JSON.stringify(outcome);
  count('work.sandbox.output_bytes', Buffer.byteLength(content), { faculty: context.faculty });
  const { exit_status: exitStatus } = outcome;
  const details = { ended, exitStatus, stdoutBytes: stdout.bytes, stderrBytes: stderr.bytes, files: ran.files.length };
  return { content, details, ...(exitStatus !== 0 && { isError: true }) };
}

/** Nothing ran, or it is not known how far it got. */
function notExited(ended: NotExited, problem: string): ToolOutput {
  const inDoubt = ended === 'killed';
  return {
    content: JSON.stringify({ ended, problem }),
    isError: true,
    ...(inDoubt && { inDoubt }),
    details: { ended },
  };
}

/** Collects the output as far as it is copied. */
function collector() {
  const pieces: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  return {
    take: (stream: OutputStream, piece: Buffer) => void pieces[stream].push(piece),
    whole: (stream: OutputStream) => Buffer.concat(pieces[stream]),
  };
}

/** Keeps as artifacts what the outcome does not show exactly: long output, output that is not text, a long value. */
async function keepWhole(
  { execution: { stdout, stderr, value } }: ContainedRun,
  wholeOf: (stream: OutputStream) => Buffer,
  nested: NestedCalls,
): Promise<WholeParts> {
  const whole: Partial<Record<'stdout' | 'stderr' | 'value', NonNullable<WholeParts['stdout']>>> = {};
  for (const [origin, captured] of Object.entries({ stdout, stderr })) {
    const stream = origin as OutputStream;
    const bytes = wholeOf(stream);
    // An older image sends no copies.
    if (bytes.length === 0 || (isShownWhole(captured) && isUtf8(bytes))) continue;
    whole[stream] = await nested.keepFile({ name: stream, origin: stream, bytes });
  }
  if (value !== null && value.length > MAX_VALUE_CHARS) {
    whole.value = await nested.keepFile({ name: 'value.json', origin: 'value', bytes: Buffer.from(value) });
  }
  return whole;
}
