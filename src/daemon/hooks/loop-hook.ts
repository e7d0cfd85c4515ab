/** Runs one hook of the loop and records what it decides. */
import { randomUUID } from 'node:crypto';
import type { LoopHook, LoopHooks } from '../../catalog/faculty/loop-hooks.ts';
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import { abortable } from '../../core/lifecycle/abortable.ts';
import type { HookEvent } from '../../core/work/words.ts';
import type { FocusEventBody } from '../../engage/events/events.ts';
import { cutEnd } from '../../engage/prompt/cut-text.ts';
import type { NewHookRun } from '../../store/transcript/hook-runs.ts';
import type { Log } from '../../telemetry/log.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { span } from '../../telemetry/spans.ts';
import type { HookResult } from './hook-command.ts';
import type { HookInput, HookLedger, HookOutput } from './hook-output.ts';
import type { HookRecords, HookSubject } from './hook-records.ts';

/** What the hooks of a focus need. */
export interface HookedLoop {
  readonly hooks: LoopHooks;
  readonly records: HookRecords;
  /** Runs the command where the focus works, with what every hook is told. */
  readonly run: <E extends HookEvent>(
    event: E,
    hook: LoopHook,
    facts: Omit<HookInput[E], 'work_item' | 'readers' | 'faculty' | 'event'>,
    signal: AbortSignal,
  ) => Promise<HookResult<E>>;
  /** The faculty's name, for metrics. */
  readonly faculty: string;
  readonly log: Log;
  readonly emit: (event: FocusEventBody) => void;
}

type Patch<E extends HookEvent> = Extract<HookOutput[E], { readonly decision: 'modify' }>['patch'];

/** What a hook decided. `failed`: it has to be treated as its `on_error` says; `code` is that of the error. */
export type HookVerdict<E extends HookEvent> =
  | { readonly decision: 'allow' }
  | { readonly decision: 'block'; readonly reason: string }
  | { readonly decision: 'modify'; readonly patch: Patch<E> }
  | { readonly decision: 'failed'; readonly code: string };

/** What is recorded of a verdict beside the decision itself. */
type Kept<E extends HookEvent> = (verdict: HookVerdict<E>) => Partial<Pick<NewHookRun, 'given' | 'patch' | 'message'>>;

/** In bytes; enough for a reason, and little enough for a result. */
const MAX_REASON_BYTES = 4096;

/**
 * Runs the hook and records its decision with its ledger entries. A hook that cannot be run, or that breaks the protocol, has failed. Rejects
 * when the focus is aborted, at once, and with `process.interrupted` when the hook is not to blame: the focus is then released.
 */
export async function askHook<E extends HookEvent>(
  subject: HookSubject & { readonly event: E; readonly tool?: string },
  hook: LoopHook,
  facts: Omit<HookInput[E], 'work_item' | 'readers' | 'faculty' | 'event'>,
  keep: Kept<E>,
  loop: HookedLoop,
  signal: AbortSignal,
): Promise<HookVerdict<E>> {
  const { event, turn, callId, tool } = subject;
  const attributes = {
    'work.hook.event': event,
    'work.hook.name': hook.name,
    'work.turn': turn,
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': callId === '' ? undefined : callId,
  };
  return span('work.hook', attributes, async (running) => {
    const startedMs = performance.now();
    const result = await abortable(loop.run(event, hook, facts, signal), signal);
    const durationMs = performance.now() - startedMs;
    const { verdict, reason, ledger } = readResult(result, hook, loop, signal);
    running.set({ 'work.hook.decision': verdict.decision });
    if (verdict.decision === 'failed') running.fail(verdict.code);
    const labels = { faculty: loop.faculty, event, hook: hook.name };
    count('work.hook.runs', 1, { ...labels, decision: verdict.decision });
    record('work.hook.duration', durationMs, labels);
    const blank = { given: null, patch: null, message: null };
    const run = { turn, event, callId, hook: hook.name, decision: verdict.decision, reason };
    const kept = { ...blank, ...keep(verdict), ...run, runId: randomUUID(), durationMs, ledger };
    const numbers = await loop.records.keep(kept);
    for (const [index, seq] of numbers.entries()) {
      const { type, content } = ledger[index]!;
      loop.emit({ type: 'ledger', seq, entryType: type, content });
    }
    return verdict;
  });
}

interface Reading<E extends HookEvent> {
  readonly verdict: HookVerdict<E>;
  readonly reason: string | null;
  readonly ledger: HookLedger;
}

function readResult<E extends HookEvent>(
  result: HookResult<E>,
  hook: LoopHook,
  loop: HookedLoop,
  signal: AbortSignal,
): Reading<E> {
  switch (result.kind) {
    case 'proceed':
      return { verdict: { decision: 'allow' }, reason: null, ledger: [] };
    case 'blocked':
      return blocked(result.reason, result.ledger);
    case 'failed': {
      const { code, message } = result.error;
      loop.log.warn({ hook: hook.command, on_error: hook.onError, error: message }, 'a hook of the loop failed');
      return { verdict: { decision: 'failed', code }, reason: `${code}: ${cutReason(message)}`, ledger: [] };
    }
    case 'aborted':
      signal.throwIfAborted();
      throw new AnimusError('process.interrupted', { command: hook.command, detail: result.reason });
    case 'output': {
      const output: HookOutput[HookEvent] = result.output;
      const ledger = output.ledger ?? [];
      if (output.decision === 'block') return blocked(output.reason ?? '', ledger);
      const reason = output.reason === undefined ? null : cutReason(output.reason);
      if (output.decision === 'allow') return { verdict: { decision: 'allow' }, reason, ledger };
      return { verdict: { decision: 'modify', patch: output.patch }, reason, ledger };
    }
    default:
      return result satisfies never;
  }
}

function blocked(said: string, ledger: HookLedger) {
  const reason = cutReason(said.trim() || 'it gave no reason');
  return { verdict: { decision: 'block', reason } as const, reason, ledger };
}

function cutReason(text: string): string {
  return cutEnd(text, MAX_REASON_BYTES, ' […]');
}

/** The supervisor of processes died, or could not be started; what failed is not the hook. */
export function isInterrupted(error: unknown): boolean {
  return isAnimusError(error, 'process.interrupted');
}
