/** The hooks before a request to the model. */
import { estimateTokens } from '../../core/work/tokens.ts';
import { hookMessage } from '../../engage/prompt/hook-texts.ts';
import type { BeforeRequest } from '../../engage/turn/before-request.ts';
import { askHook, type HookedLoop, type HookVerdict } from './loop-hook.ts';
import { viewRequest } from './request-view.ts';

/** What a request is made of, beside its messages. */
export interface RequestFacts {
  readonly model: string;
  readonly tools: readonly string[];
}

/**
 * Runs the hooks one after the other; each may add a message to the context. A hook that has a record for this turn is not run again, unless
 * it blocked or failed: then the attempt ended, and this is another one. Undefined without such hooks.
 */
export function hooksOnRequests(facts: RequestFacts, loop: HookedLoop): BeforeRequest | undefined {
  const hooks = loop.hooks.before_llm_call;
  if (hooks.length === 0) return undefined;
  return async (turn, messages, signal) => {
    const added: string[] = [];
    let view: ReturnType<typeof viewRequest> | null = null;
    for (const hook of hooks) {
      const subject = { turn, event: 'before_llm_call', callId: '', hook: hook.name } as const;
      const recorded = await loop.records.find(subject);
      if (recorded !== null && isOver(recorded.decision, hook.onError)) continue;
      view ??= viewRequest(messages());
      const verdict = await askHook(subject, hook, { turn, ...facts, ...view }, kept(hook.name), loop, signal);
      switch (verdict.decision) {
        case 'allow':
          break;
        case 'modify':
          added.push(hookMessage(hook.name, verdict.patch.append));
          break;
        case 'block':
          return {
            kind: 'blocked',
            reason: `the hook ${hook.name} refused the request of turn ${turn}: ${verdict.reason}`,
          };
        case 'failed':
          if (hook.onError === 'allow') break;
          return { kind: 'blocked', reason: `the hook ${hook.name} failed before turn ${turn} (${verdict.code})` };
        default:
          return verdict satisfies never;
      }
    }
    return { kind: 'go', added: added.map((content) => ({ afterTurn: turn - 1, kind: 'hook', content })) };
  };
}

function isOver(decision: HookVerdict<'before_llm_call'>['decision'], onError: 'block' | 'allow'): boolean {
  return decision !== 'block' && (decision !== 'failed' || onError === 'allow');
}

function kept(hook: string) {
  return (verdict: HookVerdict<'before_llm_call'>) => {
    if (verdict.decision !== 'modify') return {};
    const content = hookMessage(hook, verdict.patch.append);
    return { message: { content, tokens: estimateTokens(content) } };
  };
}
