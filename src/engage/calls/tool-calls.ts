/** The tool calls of one answer: prepared, run in parallel, their ends journaled. Failures are results, never exceptions. */
import { z } from 'zod';
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { ToolCallBlock } from '../../llm/client.ts';
import type { Database } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import {
  type CallResult,
  finishToolCalls,
  type RecordedCall,
  type RecordedTurn,
} from '../../store/transcript/transcript.ts';
import { openWait, type WaitRequest } from '../../store/transcript/waits.ts';
import { span } from '../../telemetry/spans.ts';
import type { Tool, ToolContext, ToolOutput } from '../../tools/tool.ts';
import type { FocusListener } from '../events/events.ts';
import { IN_DOUBT_RESULT } from '../prompt/prompt.ts';
import type { Journal } from './journal.ts';

/** What running calls needs; `context` is completed with turn, call and signal for each. */
export interface CallMeans {
  readonly db: Database;
  readonly journal: Journal;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly context: Omit<ToolContext, 'turn' | 'callId' | 'signal'>;
  readonly maxParallel: number;
  readonly signal: AbortSignal;
  readonly onEvent: FocusListener;
}

/**
 * Runs every call of the turn that has not ended, and returns the turn with all results, in call order whatever order
 * they finished in. Calls on the database run one after the other, so that ledger entries keep the order they were
 * asked in; the others run side by side, at most `maxParallel`. Rejects when the focus is aborted or its lease is lost.
 */
export async function runToolCalls(turn: RecordedTurn, focusMeans: CallMeans): Promise<RecordedTurn> {
  // A call that ends the focus (its lease is lost) stops its siblings too.
  const siblings = new AbortController();
  const means = { ...focusMeans, signal: AbortSignal.any([focusMeans.signal, siblings.signal]) };
  const takeSlot = limiter(means.maxParallel);
  let database: Promise<unknown> = Promise.resolve();

  const running = turn.calls.map((call) => {
    if (call.output !== null || call.state === 'waiting') return Promise.resolve(call);
    const prepared = prepare(call, turn, means);
    if (prepared.kind === 'answered') return Promise.resolve(finish(turn, call, prepared.output, 0, means));
    if (prepared.tool.kind === 'database') {
      const mine = database.then(() => runCall(turn, call, prepared, means));
      database = mine.catch(() => undefined); // the failure is thrown by Promise.all below
      return mine;
    }
    return takeSlot(() => runCall(turn, call, prepared, means));
  });
  for (const run of running) run.catch((error: unknown) => siblings.abort(error));
  return { ...turn, calls: await allSettledOrThrow(running) };
}

/**
 * Gives every call that a crash cut off its due: run again where that is safe (its tool says so, or its effect would have
 * been recorded with it), else reported to the model as in doubt.
 */
export function settleInterrupted(
  turn: RecordedTurn,
  tools: ReadonlyMap<string, Tool>,
  journal: Journal,
): RecordedTurn {
  const calls = turn.calls.map((call): RecordedCall => {
    const tool = tools.get(call.name);
    const safe = !tool || tool.kind === 'database' || tool.idempotent;
    if (call.output !== null || safe || call.state !== 'started') return call;
    journal.add({
      turn: turn.turn,
      callId: call.callId,
      state: 'in_doubt',
      output: IN_DOUBT_RESULT,
      isError: true,
      details: null,
      durationMs: 0,
    });
    return { ...call, state: 'in_doubt', output: IN_DOUBT_RESULT, isError: true };
  });
  return { ...turn, calls };
}

type Prepared =
  | { readonly kind: 'answered'; readonly output: ToolOutput }
  | { readonly kind: 'ready'; readonly tool: Tool; readonly input: unknown };

/** Finds the tool and validates the input; what is wrong with either is an answer that says what was expected. */
export function prepare(call: RecordedCall, turn: RecordedTurn, means: CallMeans): Prepared {
  const tool = means.tools.get(call.name);
  if (!tool) {
    const known = [...means.tools.keys()].toSorted().join(', ');
    return answered(`there is no tool named ${JSON.stringify(call.name)}. The tools are: ${known}`);
  }
  const block = turn.content.find(
    (part): part is ToolCallBlock => part.type === 'tool_call' && part.id === call.callId,
  );
  if (block?.invalidInput !== undefined) {
    return answered(`the input of ${call.name} was not a JSON object: ${block.invalidInput.slice(0, 500)}`);
  }
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return answered(`the input of ${call.name} is invalid:\n${z.prettifyError(parsed.error)}`);
  return { kind: 'ready', tool, input: parsed.data };
}

function answered(content: string): Prepared {
  return { kind: 'answered', output: { content, isError: true } };
}

async function runCall(
  turn: RecordedTurn,
  call: RecordedCall,
  { tool, input }: Extract<Prepared, { kind: 'ready' }>,
  means: CallMeans,
): Promise<RecordedCall> {
  means.signal.throwIfAborted();
  means.onEvent({ type: 'tool_started', turn: turn.turn, callId: call.callId, name: call.name, input: call.input });
  const startedMs = performance.now();
  const timeout = AbortSignal.timeout(means.context.timeoutMs);
  const context: ToolContext = {
    ...means.context,
    turn: turn.turn,
    callId: call.callId,
    signal: AbortSignal.any([means.signal, timeout]),
  };
  try {
    return await span(
      'execute_tool',
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': call.name,
        'gen_ai.tool.call.id': call.callId,
        'work.turn': turn.turn,
      },
      async (executing) => {
        if (tool.kind === 'database') return runInTransaction(turn, call, tool, input, context, startedMs, means);
        const output = await abortable(tool.run(input, context), context.signal);
        executing.set({
          'work.tool.is_error': output.isError ?? false,
          'work.tool.output_bytes': output.content.length,
        });
        if (output.wait) {
          await openWait(means.db, context, turn.turn, call.callId, output.wait);
          return waiting(turn, call, output.wait, means);
        }
        return finish(turn, call, output, performance.now() - startedMs, means);
      },
    );
  } catch (error) {
    means.signal.throwIfAborted();
    // A lost lease or database is the end of the focus, not a result.
    if (isAnimusError(error, 'work.lease_lost', 'db.unreachable')) throw error;
    const content = timeout.aborted
      ? `${call.name} did not finish within ${means.context.timeoutMs / 1000} s and was stopped`
      : `${call.name} failed: ${messageOf(error)}`;
    return finish(turn, call, { content, isError: true }, performance.now() - startedMs, means);
  }
}

/** Effect and journal row commit together, so the call happens exactly once, whenever the daemon dies. */
async function runInTransaction(
  turn: RecordedTurn,
  call: RecordedCall,
  tool: Extract<Tool, { kind: 'database' }>,
  input: unknown,
  context: ToolContext,
  startedMs: number,
  means: CallMeans,
): Promise<RecordedCall> {
  const output = await means.db.transaction(async (tx) => {
    const result = await tool.run(input, context, tx);
    if (result.wait) await openWait(tx, context, turn.turn, call.callId, result.wait);
    else await finishToolCalls(tx, context, [callResult(turn, call, result, performance.now() - startedMs)]);
    return result;
  });
  if (output.wait) return waiting(turn, call, output.wait, means);
  return ended(turn, call, output, performance.now() - startedMs, means);
}

function waiting(turn: RecordedTurn, call: RecordedCall, wait: WaitRequest, means: CallMeans): RecordedCall {
  means.onEvent({
    type: 'waiting',
    turn: turn.turn,
    callId: call.callId,
    name: call.name,
    kind: wait.kind,
    deadline: wait.deadline?.toISOString() ?? null,
  });
  return { ...call, state: 'waiting' };
}

function finish(
  turn: RecordedTurn,
  call: RecordedCall,
  output: ToolOutput,
  durationMs: number,
  means: CallMeans,
): RecordedCall {
  means.journal.add(callResult(turn, call, output, durationMs));
  return ended(turn, call, output, durationMs, means);
}

/** The call with its result, told to whoever watches. */
export function ended(
  turn: RecordedTurn,
  call: RecordedCall,
  output: ToolOutput,
  durationMs: number,
  means: CallMeans,
): RecordedCall {
  const { state, output: text, isError } = callResult(turn, call, output, durationMs);
  means.onEvent({
    type: 'tool_ended',
    turn: turn.turn,
    callId: call.callId,
    name: call.name,
    isError,
    output: text,
    durationMs,
  });
  if (call.name === 'ledger_append' && !isError) {
    const { seq, type, content } = output.details as { seq: number; type: 'plan'; content: string };
    means.onEvent({ type: 'ledger', seq, entryType: type, content });
  }
  return { ...call, state, output: text, isError };
}

/** A call's end as the journal takes it. */
export function callResult(turn: RecordedTurn, call: RecordedCall, output: ToolOutput, durationMs: number): CallResult {
  const isError = output.isError ?? false;
  return {
    turn: turn.turn,
    callId: call.callId,
    state: isError ? 'failed' : 'done',
    // Providers refuse an empty result of an error, and an empty one helps nobody.
    output: toText(output.content) || '(no output)',
    isError,
    details: output.details ?? null,
    durationMs,
  };
}

/** Stops waiting when the signal aborts: a tool that ignores its signal must not hold the focus. */
function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Waits for all, then throws the first failure: nothing of the turn is left running behind a thrown error. */
async function allSettledOrThrow<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  // The first in call order may only have been stopped by the one that failed; the abort reason is that failure.
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** At most `max` at a time, the rest in order. */
function limiter(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = max;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free += 1;
    }
  };
}
