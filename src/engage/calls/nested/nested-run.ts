/** Runs one call of code, within its time-out. */
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import { abortable } from '../../../core/lifecycle/abortable.ts';
import { within } from '../../../core/lifecycle/within.ts';
import type { RecordedCall } from '../../../store/transcript/calls.ts';
import { recordCodeCalls } from '../../../store/transcript/code-calls.ts';
import {
  type DatabaseTool,
  type EndedNestedCall,
  type Tool,
  type ToolContext,
  type ToolOutput,
  toolError,
  type WorldTool,
} from '../../../tools/tool.ts';
import { STOPPED_WITH_CODE, waitsInCode } from '../../prompt/code-texts.ts';
import type { ValidCall } from '../gates.ts';
import { permissionNow } from '../permission-now.ts';
import { prepared } from '../prepared.ts';
import type { Execution } from './execution.ts';
import type { NestedCallStart } from './nested-record.ts';
import { MAX_RESULT_BYTES } from './nested-result.ts';

/** How a call ended, for its record. */
export interface NestedEnd {
  readonly state: EndedNestedCall['state'];
  readonly output: ToolOutput;
  /** Its row was written in the transaction of its effect. */
  readonly recorded?: boolean;
}

/** Runs a call that has passed its gates; before that it is recorded, unless it may be repeated. Rejects with what ends the focus. */
export async function runNestedCall(
  call: RecordedCall,
  start: NestedCallStart,
  valid: ValidCall,
  execution: Execution,
  signal: AbortSignal,
): Promise<NestedEnd> {
  const { run, record, journal, turn, parent } = execution;
  const { tool } = valid;
  const input = typeof valid.written === 'object' && valid.written !== null ? { ...valid.written } : {};
  const { name, callId } = call;
  if (tool.kind === 'world' && !tool.idempotent) await journal.begin(record.begun(start));
  run.onEvent({ type: 'call', turn: turn.turn, callId, parentCallId: parent.callId, name, input });
  const running =
    tool.kind === 'database'
      ? runInTransaction(call, start, valid, tool, execution, signal)
      : runInWorld(call, valid, tool, execution, signal);
  return running.catch((error: unknown): NestedEnd => {
    if (run.signal.aborted || endsTheFocus(error) || !signal.aborted) throw error;
    const again = tool.kind === 'database' || tool.idempotent;
    return { state: again ? 'failed' : 'in_doubt', output: toolError(STOPPED_WITH_CODE) };
  });
}

async function runInWorld(
  call: RecordedCall,
  { input }: ValidCall,
  tool: WorldTool,
  execution: Execution,
  outer: AbortSignal,
): Promise<NestedEnd> {
  const { callScope, guard } = execution.reach;
  const turn = execution.turn.turn;
  const timeout = AbortSignal.timeout(callScope.timeoutMs);
  const signal = AbortSignal.any([outer, timeout]);
  const { callId, name } = call;
  let output: ToolOutput;
  try {
    output = await abortable(tool.run(input, contextOf(call, tool, execution, signal)), signal);
    if (output.wait) output = toolError(waitsInCode(name));
  } catch (error) {
    if (outer.aborted || endsTheFocus(error)) throw error;
    output = toolError(
      timeout.aborted
        ? `${name} did not finish within ${callScope.timeoutMs / 1000} s and was stopped`
        : `${name} failed: ${messageOf(error)}`,
    );
  }
  const gated = { tool, input, callId, turn, scope: callScope, signal: outer };
  const seen = guard.afterRun?.sees(tool) ? await abortable(guard.afterRun.change(gated, output), outer) : output;
  const inDoubt = seen.inDoubt ?? output.inDoubt;
  return { state: inDoubt ? 'in_doubt' : seen.isError ? 'failed' : 'done', output: seen };
}

class Waits extends Error {}

/** Effect and row commit together, so it happens exactly once. A tool that would wait is undone. */
async function runInTransaction(
  call: RecordedCall,
  start: NestedCallStart,
  { input }: ValidCall,
  tool: DatabaseTool,
  execution: Execution,
  outer: AbortSignal,
): Promise<NestedEnd> {
  const { reach, turn, parent, record } = execution;
  const { db, callScope } = reach;
  const signal = within(callScope.timeoutMs, outer);
  const startedMs = performance.now();
  try {
    const context = await prepared(tool, input, contextOf(call, tool, execution, signal));
    return await db.transaction(async (tx): Promise<NestedEnd> => {
      const output = await tool.run(input, context, tx);
      if (output.wait) throw new Waits();
      const state = output.isError ? 'failed' : 'done';
      const row = record.ended(start, state, output, performance.now() - startedMs);
      await recordCodeCalls(tx, callScope, turn.turn, parent.callId, [row]);
      return { state, output, recorded: true };
    });
  } catch (error) {
    if (outer.aborted || endsTheFocus(error)) throw error;
    const content = error instanceof Waits ? waitsInCode(call.name) : `${call.name} failed: ${messageOf(error)}`;
    return { state: 'failed', output: toolError(content) };
  }
}

/** Nothing that the code could react to. */
function endsTheFocus(error: unknown): boolean {
  return isAnimusError(error, 'work.lease_lost', 'work.locked', 'db.unreachable');
}

function contextOf({ callId }: RecordedCall, tool: Tool, { turn, reach }: Execution, signal: AbortSignal): ToolContext {
  const { callScope: scope, guard } = reach;
  const fileRules = tool.kind === 'database' ? [] : scope.fileRules();
  const permissionFor: ToolContext['permissionFor'] = (input, also) =>
    permissionNow({ tool, input, ...(also && { also }), callId, turn: turn.turn, scope, signal }, guard.gates);
  return { ...scope, turn: turn.turn, callId, signal, fileRules, permissionFor, codeBytes: MAX_RESULT_BYTES };
}
