/** The gate of before_tool_call hooks. */
import { createHash } from 'node:crypto';
import { isForTool, type LoopHook } from '../../catalog/faculty/loop-hooks.ts';
import type { CallGate, GatedCall, GateVerdict } from '../../engage/calls/gate.ts';
import { refusedCall, unjudgedCall } from '../../engage/prompt/hook-texts.ts';
import type { HookRun } from '../../store/transcript/hook-runs.ts';
import { askHook, type HookedLoop, type HookVerdict } from './loop-hook.ts';
import { mergePatch } from './merge-patch.ts';

/**
 * Runs the hooks for a tool one after the other, each on the input that the ones before it left. The first that refuses decides. What a hook
 * decided about the same input of the same call is taken from its record, if there is one. Null without such hooks.
 */
export function hookGate(loop: HookedLoop): CallGate | null {
  const hooks = loop.hooks.before_tool_call;
  if (hooks.length === 0) return null;
  const forTool = (name: string) => hooks.filter((hook) => isForTool(hook, name));
  return {
    name: 'hooks',
    when: ({ tool }) => (forTool(tool.name).length > 0 ? 'later' : 'now'),
    judge: (call) => judge(call, forTool(call.tool.name), loop),
  };
}

async function judge(call: GatedCall, hooks: readonly LoopHook[], loop: HookedLoop): Promise<GateVerdict> {
  let { input } = call;
  let changed = false;
  for (const hook of hooks) {
    const verdict = await judgeOnce({ ...call, input }, hook, loop);
    switch (verdict.decision) {
      case 'allow':
        break;
      case 'modify':
        input = mergePatch(input, verdict.patch);
        changed = true;
        break;
      case 'block':
        return { kind: 'deny', reason: refusedCall(hook.name, verdict.reason), details: { hook: hook.name } };
      case 'failed':
        if (hook.onError === 'block')
          return { kind: 'deny', reason: unjudgedCall(hook.name, verdict.code), details: { hook: hook.name } };
        break;
      default:
        return verdict satisfies never;
    }
  }
  return changed ? { kind: 'pass', input } : { kind: 'pass' };
}

type Verdict = HookVerdict<'before_tool_call'>;

async function judgeOnce(call: GatedCall, hook: LoopHook, loop: HookedLoop): Promise<Verdict> {
  const { tool, input, turn, callId, signal } = call;
  const subject = { turn, event: 'before_tool_call', callId, hook: hook.name } as const;
  const given = digestOf(tool.name, input);
  const recorded = await loop.records.find(subject);
  if (recorded?.given === given) return recordedVerdict(recorded);
  const facts = { turn, call: { id: callId, tool: tool.name, risk: tool.risk, input } };
  const keep = (verdict: Verdict) => ({ given, ...(verdict.decision === 'modify' && { patch: verdict.patch }) });
  return askHook({ ...subject, tool: tool.name }, hook, facts, keep, loop, signal);
}

/** A call that a resumed focus judges again has the same id; a changed hook before this one may have changed its input. */
function digestOf(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, input]))
    .digest('hex');
}

function recordedVerdict({ decision, reason, patch }: HookRun): Verdict {
  switch (decision) {
    case 'allow':
      return { decision };
    case 'block':
      return { decision, reason: reason ?? '' };
    case 'modify':
      return { decision, patch: (patch ?? {}) as Extract<Verdict, { decision: 'modify' }>['patch'] };
    case 'failed':
      return { decision, code: reason?.split(':', 1)[0] ?? 'hook.failed' };
    default:
      return decision satisfies never;
  }
}
