/** The interface of a gate in front of tool calls; `gates.ts` lists the gates. */
import type { Tool } from '../../tools/tool.ts';
import type { CallScope } from './run-call.ts';

/** A gate lets a call pass, changes its input, or denies it. Gates run in the order of their list; the first denial counts. */
export interface CallGate {
  readonly name: string;
  /**
   * True: judging has no effect outside this process, so calls that only read may be judged, and run, before their answer is recorded.
   * Default false: a gate that runs a hook or asks a person is for recorded calls only.
   */
  readonly pure?: boolean;
  judge(call: GatedCall): GateVerdict | Promise<GateVerdict>;
}

/** A call as a gate sees it. */
export interface GatedCall {
  readonly tool: Tool;
  /** As parsed by the tool's schema, including the changes of earlier gates. */
  readonly input: unknown;
  readonly callId: string;
  readonly turn: number;
  readonly scope: CallScope;
  readonly signal: AbortSignal;
}

/** `input`, if given, replaces the call's input and is validated again. The model sees `reason`. */
export type GateVerdict =
  | { readonly kind: 'pass'; readonly input?: unknown }
  | { readonly kind: 'deny'; readonly reason: string };
