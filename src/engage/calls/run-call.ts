/** Runs one tool call that has passed its gates, within its time-out, and records its end. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { FileRule } from '../../process/file-rules.ts';
import type { Database } from '../../store/sql/database.ts';
import { finishToolCalls, type RecordedCall } from '../../store/transcript/calls.ts';
import { type RecordedTurn } from '../../store/transcript/turns.ts';
import { openWait } from '../../store/transcript/waits.ts';
import { type ActiveSpan, span } from '../../telemetry/spans.ts';
import type { Tool, ToolContext, ToolOutput, WorldTool } from '../../tools/tool.ts';
import { abortable } from './abortable.ts';
import { callResult, type EndMeans, ended, finish, waiting } from './call-end.ts';

/** The parts of a tool's context that all calls of a focus share; turn, call and signal complete it. */
export type CallScope = Omit<ToolContext, 'turn' | 'callId' | 'signal' | 'fileRules'> & {
  /** Makes the focus's own directory, before the first call that may use files. Idempotent. */
  readonly makeDirectory: () => Promise<void>;
  /** Computed for each call: key files may be replaced meanwhile. Errors: `files.displaced`. */
  readonly fileRules: () => readonly FileRule[];
};

interface RunMeans extends EndMeans {
  readonly db: Database;
  readonly callScope: CallScope;
  readonly signal: AbortSignal;
}

/** Runs the call and returns it with its result, or waiting. Rejects when the focus is aborted or its lease is lost. */
export async function runCall(
  turn: RecordedTurn,
  call: RecordedCall,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
  means: RunMeans,
): Promise<RecordedCall> {
  means.signal.throwIfAborted();
  means.onEvent({ type: 'tool_started', turn: turn.turn, callId: call.callId, name: call.name, input: call.input });
  const startedMs = performance.now();
  const timeout = AbortSignal.timeout(means.callScope.timeoutMs);
  const signal = AbortSignal.any([means.signal, timeout]);
  // A database tool does not access files.
  const fileRules = tool.kind === 'database' ? [] : means.callScope.fileRules();
  const context: ToolContext = { ...means.callScope, turn: turn.turn, callId: call.callId, signal, fileRules };
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.name,
    'gen_ai.tool.call.id': call.callId,
    'work.turn': turn.turn,
  };
  try {
    return await span('execute_tool', attributes, (executing) =>
      tool.kind === 'database'
        ? runInTransaction(turn, call, tool, input, context, startedMs, means)
        : runInWorld(turn, call, tool, input, context, startedMs, means, executing),
    );
  } catch (error) {
    means.signal.throwIfAborted();
    // A lost lease, an unreachable database, a locked row or a host that cannot start processes ends the focus; it is not a result.
    if (isAnimusError(error, 'work.lease_lost', 'work.locked', 'db.unreachable', 'process.interrupted')) throw error;
    const content = timeout.aborted
      ? `${call.name} did not finish within ${means.callScope.timeoutMs / 1000} s and was stopped`
      : `${call.name} failed: ${messageOf(error)}`;
    const output = { content, isError: true };
    return finish(turn, call, { state: 'failed', output }, performance.now() - startedMs, means);
  }
}

async function runInWorld(
  turn: RecordedTurn,
  call: RecordedCall,
  tool: WorldTool,
  input: unknown,
  context: ToolContext,
  startedMs: number,
  means: RunMeans,
  executing: ActiveSpan<'execute_tool'>,
): Promise<RecordedCall> {
  const output = await abortable(tool.run(input, context), context.signal);
  executing.set({ 'work.tool.is_error': output.isError ?? false, 'work.tool.output_bytes': output.content.length });
  if (output.wait) {
    await openWait(means.db, context, turn.turn, call.callId, output.wait);
    return waiting(turn, call, output.wait, means);
  }
  return finish(turn, call, { output }, performance.now() - startedMs, means);
}

/** Effect and journal row commit together, so the call happens exactly once, no matter when the daemon dies. */
async function runInTransaction(
  turn: RecordedTurn,
  call: RecordedCall,
  tool: Extract<Tool, { kind: 'database' }>,
  input: unknown,
  context: ToolContext,
  startedMs: number,
  means: RunMeans,
): Promise<RecordedCall> {
  const output = await means.db.transaction(async (tx) => {
    const result: ToolOutput = await tool.run(input, context, tx);
    if (result.wait) await openWait(tx, context, turn.turn, call.callId, result.wait);
    else {
      const row = callResult(turn, call, { output: result }, performance.now() - startedMs);
      await finishToolCalls(tx, context, [row]);
    }
    return result;
  });
  if (output.wait) return waiting(turn, call, output.wait, means);
  return ended(turn, call, { output }, performance.now() - startedMs, means);
}
