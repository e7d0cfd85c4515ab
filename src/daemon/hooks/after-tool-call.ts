/** The hooks on results of calls: nothing that they remove is stored or shown. */
import { isForTool, type LoopHook } from '../../catalog/faculty/loop-hooks.ts';
import type { AfterRun, GatedCall } from '../../engage/calls/gate.ts';
import { unseenResult, withheldResult } from '../../engage/prompt/hook-texts.ts';
import { type Tool, type ToolOutput, toolError } from '../../tools/tool.ts';
import type { HookCallResult } from './hook-output.ts';
import { askHook, type HookedLoop, type HookVerdict, isInterrupted } from './loop-hook.ts';
import { mergePatch } from './merge-patch.ts';

/** How often a hook is started that cannot run because the supervisor of processes died. */
const TRIES = 3;

/**
 * Shows each result to the hooks for its tool, one after the other, before it is recorded. The first that blocks, or that fails and whose
 * `on_error` is block, has it withheld. Undefined without such hooks.
 */
export function hooksOnResults(loop: HookedLoop): AfterRun | undefined {
  const hooks = loop.hooks.after_tool_call;
  if (hooks.length === 0) return undefined;
  const forTool = ({ name }: Tool) => hooks.filter((hook) => isForTool(hook, name));
  return {
    sees: (tool) => forTool(tool).length > 0,
    async change(call, output) {
      let current = output;
      for (const hook of forTool(call.tool)) {
        const shown = await show(call, current, hook, loop);
        if (shown.kind === 'withheld') return shown.output;
        current = shown.output;
      }
      return current;
    },
  };
}

interface Shown {
  readonly kind: 'passed' | 'withheld';
  readonly output: ToolOutput;
}

async function show(call: GatedCall, output: ToolOutput, hook: LoopHook, loop: HookedLoop): Promise<Shown> {
  const verdict = await ask(call, output, hook, loop);
  switch (verdict.decision) {
    case 'allow':
      return { kind: 'passed', output };
    case 'modify':
      return { kind: 'passed', output: patched(output, verdict.patch) };
    case 'block':
      return withheld(output, withheldResult(hook.name, verdict.reason));
    case 'failed':
      if (hook.onError === 'allow') return { kind: 'passed', output };
      return withheld(output, unseenResult(hook.name, verdict.code));
    default:
      return verdict satisfies never;
  }
}

type Verdict = HookVerdict<'after_tool_call'>;

/** The call has run, so the focus is not released when the supervisor dies: the hook is started again. */
async function ask(call: GatedCall, output: ToolOutput, hook: LoopHook, loop: HookedLoop): Promise<Verdict> {
  const { tool, input, turn, callId, signal } = call;
  const subject = { turn, event: 'after_tool_call', callId, hook: hook.name, tool: tool.name } as const;
  const facts = { turn, call: { id: callId, tool: tool.name, risk: tool.risk, input }, result: resultOf(output) };
  for (let tries = 1; ; tries++) {
    try {
      return await askHook(subject, hook, facts, () => ({}), loop, signal);
    } catch (error) {
      if (!isInterrupted(error) || signal.aborted) throw error;
      if (tries === TRIES) return { decision: 'failed', code: 'process.interrupted' };
    }
  }
}

function resultOf({ content, isError, details }: ToolOutput): HookCallResult {
  return { content, is_error: isError ?? false, details: details ?? null };
}

/** A changed result loses its details, unless the patch names them, its files, and what code would get as values: they may repeat what was removed. */
function patched(output: ToolOutput, patch: Extract<Verdict, { decision: 'modify' }>['patch']): ToolOutput {
  const { content, is_error, details } = mergePatch(resultOf(output), patch) as HookCallResult;
  const { details: _details, data: _data, files: _files, ...rest } = output;
  return { ...rest, content, isError: is_error, ...('details' in patch && details && { details }) };
}

/** What is left of the result: that there was one, and whether it is in doubt. */
function withheld({ inDoubt }: ToolOutput, content: string): Shown {
  return { kind: 'withheld', output: { ...toolError(content), ...(inDoubt && { inDoubt }) } };
}
