/** What a gate in front of tool calls is; `gates.ts` lists them. */
import type { Tool } from '../../tools/tool.ts';
import type { CallScope } from './run-call.ts';

/** A gate: lets a call pass, changes its input, or denies it. Gates are asked in the order of their list; the first denial counts. */
export interface CallGate {
  readonly name: string;
  judge(call: GatedCall): GateVerdict | Promise<GateVerdict>;
}

/** A call as a gate sees it. */
export interface GatedCall {
  readonly tool: Tool;
  /** As the tool's schema parsed it, with what the gates before have changed. */
  readonly input: unknown;
  readonly callId: string;
  readonly turn: number;
  readonly scope: CallScope;
  readonly signal: AbortSignal;
}

/** `input`, where it is given, replaces the call's; it is validated again. The model sees `reason`. */
export type GateVerdict =
  | { readonly kind: 'pass'; readonly input?: unknown }
  | { readonly kind: 'deny'; readonly reason: string };
