/** Runs one tool call that has passed its gates, within its time-out, and records its end. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { abortable } from '../../core/lifecycle/abortable.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { askPerson } from '../../store/transcript/approvals.ts';
import type { CodeEntry, RecordedCall } from '../../store/transcript/calls.ts';
import { type RecordedTurn } from '../../store/transcript/turns.ts';
import { openWait, type WaitRequest } from '../../store/transcript/waits.ts';
import { count } from '../../telemetry/metrics.ts';
import { type ActiveSpan, span } from '../../telemetry/spans.ts';
import { hasFiles } from '../../tools/media.ts';
import { type Tool, type ToolContext, type ToolOutput, toolError, type WorldTool } from '../../tools/tool.ts';
import { nobodyAnswers } from '../prompt/people.ts';
import { type CallEnd, ended, finish, waiting } from './call-end.ts';
import type { CallScope } from './call-scope.ts';
import type { GatedCall } from './gate.ts';
import { finishWithFiles, recorderOf } from './keep-files.ts';
import { openNestedCalls } from './nested/nested-calls.ts';
import { permissionNow } from './permission-now.ts';
import { prepared } from './prepared.ts';
import type { CallsRun, Reach } from './reach.ts';

/** A call that has passed its gates. */
interface Ready {
  readonly tool: Tool;
  readonly input: unknown;
}

/** What a call gave. */
export interface CallRun {
  readonly end: CallEnd;
  readonly durationMs: number;
  /** True if its end, or its wait, is in the tables already. */
  readonly recorded: boolean;
  /** The ledger entries that its code wrote. */
  readonly wrote?: readonly CodeEntry[];
}

/** Runs the call and returns it with its result, or waiting. Rejects when the focus is aborted or its lease is lost. */
export async function runCall(
  turn: RecordedTurn,
  call: RecordedCall,
  ready: Ready,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  run.signal.throwIfAborted();
  const ran = await executeCall(turn, call, ready, run, reach);
  return keepRun(turn, call, await changeResult(turn, call, ready, ran, run, reach), run, reach);
}

/** Lets the guard of the calls change what goes on record. A database tool's result is recorded with its effect, and a waiting call has none yet. */
async function changeResult(
  { turn }: RecordedTurn,
  { callId }: RecordedCall,
  { tool, input }: Ready,
  ran: CallRun,
  { signal }: CallsRun,
  { guard: { afterRun }, callScope: scope }: Reach,
): Promise<CallRun> {
  const { output } = ran.end;
  if (!afterRun?.sees(tool) || tool.kind === 'database' || output.wait) return ran;
  const call: GatedCall = { tool, input, callId, turn, scope, signal };
  const { isError, content, details, files } = await abortable(afterRun.change(call, output), signal);
  const { inDoubt } = output;
  return {
    ...ran,
    end: {
      output: {
        content,
        ...(isError && { isError }),
        ...(details && { details }),
        ...(inDoubt && { inDoubt }),
        ...(files && { files }),
      },
    },
  };
}

/**
 * Runs the tool within its time-out, in a span. The effect of a database tool is recorded with its end; that of any other tool is not
 * recorded here, and watchers are not notified. A failure is a result, unless it ends the focus: then it is thrown.
 */
export async function executeCall(
  turn: RecordedTurn,
  call: RecordedCall,
  { tool, input }: Ready,
  run: CallsRun,
  reach: Reach,
): Promise<CallRun> {
  const { callScope } = reach;
  await callScope.lease.sure();
  const startedMs = performance.now();
  const timeoutMs = (tool.kind === 'world' ? tool.timeoutMs : undefined) ?? callScope.timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const nested = tool.kind === 'world' && tool.callsTools ? openNestedCalls(turn, call, run, reach) : null;
  const signal = AbortSignal.any([run.signal, timeout, ...(nested ? [nested.fatal] : [])]);
  // A database tool does not access files.
  const fileRules = tool.kind === 'database' ? [] : callScope.fileRules();
  const permissionFor: ToolContext['permissionFor'] = (input, also) => {
    const place = { callId: call.callId, turn: turn.turn, scope: callScope, signal };
    return permissionNow({ tool, input, ...(also && { also }), ...place }, reach.guard.gates);
  };
  const context: ToolContext = {
    ...callScope,
    turn: turn.turn,
    callId: call.callId,
    timeoutMs,
    signal,
    fileRules,
    permissionFor,
    ...(nested && { nested, tellOutput: teller(turn, call, run) }),
  };
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': call.name,
    'gen_ai.tool.call.id': call.callId,
    'work.turn': turn.turn,
  };
  try {
    const end = await span('execute_tool', attributes, async (executing) =>
      tool.kind === 'database'
        ? runInTransaction(turn, call, tool, input, context, startedMs, reach)
        : { output: await runInWorld(tool, input, context, executing) },
    );
    await nested?.close();
    return {
      end,
      durationMs: performance.now() - startedMs,
      recorded: tool.kind === 'database',
      ...(nested && { wrote: nested.wrote() }),
    };
  } catch (error) {
    await nested?.close();
    run.signal.throwIfAborted();
    // A lost lease, an unreachable database, a locked row or a host that cannot start processes ends the focus; it is not a result.
    if (isAnimusError(error, 'work.lease_lost', 'work.locked', 'db.unreachable', 'process.interrupted')) throw error;
    const content = timeout.aborted
      ? `${call.name} did not finish within ${timeoutMs / 1000} s and was stopped`
      : `${call.name} failed: ${messageOf(error)}`;
    return {
      end: { output: { content, isError: true } },
      durationMs: performance.now() - startedMs,
      recorded: false,
      ...(nested && { wrote: nested.wrote() }),
    };
  }
}

function teller(
  { turn }: RecordedTurn,
  { callId }: RecordedCall,
  { onEvent }: CallsRun,
): NonNullable<ToolContext['tellOutput']> {
  return (stream, text) => onEvent({ type: 'observation', live: true, turn, callId, stream, text });
}

/** Records what a call gave, where it is not recorded yet, and returns the call with its result, or waiting. */
export async function keepRun(
  turn: RecordedTurn,
  call: RecordedCall,
  { end, durationMs, recorded, wrote = [] }: CallRun,
  run: CallsRun,
  reach: Reach,
): Promise<RecordedCall> {
  if (wrote.length > 0) return { ...(await keepRun(turn, call, { end, durationMs, recorded }, run, reach)), wrote };
  const { wait } = end.output;
  if (wait) {
    const opened = recorded ? wait : await recordWait(reach.db, reach.callScope, turn.turn, call.callId, wait);
    if (typeof opened === 'string') return finish(turn, call, { output: toolError(opened) }, durationMs, run);
    return waiting(turn, call, opened, run);
  }
  if (recorded) return ended(turn, call, end, durationMs, run);
  if (hasFiles(end.output)) return finishWithFiles(turn, call, end, durationMs, run, reach);
  return finish(turn, call, end, durationMs, run);
}

/** Records that the call waits; returns the wait with its deadline, or why it may not wait. */
async function recordWait(
  db: Queryable,
  scope: CallScope,
  turn: number,
  callId: string,
  wait: WaitRequest,
): Promise<WaitRequest | string> {
  if (wait.asks) {
    const { deadline, refused } = await askPerson(db, scope, turn, callId, wait.kind, wait.asks);
    if (refused !== null) return refused;
    count('work.approvals.asked', 1, { faculty: scope.faculty, subject: wait.asks.subject });
    return { ...wait, deadline };
  }
  await openWait(db, scope, turn, callId, wait);
  return wait;
}

async function runInWorld(
  tool: WorldTool,
  input: unknown,
  context: ToolContext,
  executing: ActiveSpan<'execute_tool'>,
): Promise<ToolOutput> {
  const output = await abortable(tool.run(input, context), context.signal);
  executing.set({ 'work.tool.is_error': output.isError ?? false, 'work.tool.output_bytes': output.content.length });
  return output;
}

/** Effect and journal row commit together, so the call happens exactly once, no matter when the daemon dies. */
async function runInTransaction(
  turn: RecordedTurn,
  call: RecordedCall,
  tool: Extract<Tool, { kind: 'database' }>,
  input: unknown,
  context: ToolContext,
  startedMs: number,
  reach: Reach,
): Promise<CallEnd> {
  const { db, callScope, guard } = reach;
  const inCall = await prepared(tool, input, context);
  return db.transaction(async (tx) => {
    const ran: ToolOutput = await tool.run(input, inCall, tx);
    let result =
      ran.wait?.asks && guard.unattended ? toolError(nobodyAnswers(`it asks about a ${ran.wait.asks.subject}`)) : ran;
    if (result.wait) {
      const opened = await recordWait(tx, callScope, turn.turn, call.callId, result.wait);
      if (typeof opened !== 'string') return { output: { ...result, wait: opened } };
      result = toolError(opened);
    }
    return recorderOf(turn, call, { output: result }, performance.now() - startedMs, reach)(tx);
  });
}
