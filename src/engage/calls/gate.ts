/** The interface of a gate in front of tool calls; `focus-gates.ts` makes the gates of a focus. */
import type { Tool, ToolOutput } from '../../tools/tool.ts';
import type { CallScope } from './call-scope.ts';

/**
 * A gate lets a call pass, changes its input, denies it, or asks a person. Gates run in the order of their list: the first denial counts,
 * and a person is asked once every gate has passed or asked.
 */
export interface CallGate {
  readonly name: string;
  /**
   * `now`: judging this call changes nothing outside this process, asks nobody, and gives the same verdict again. `later`: judging runs a
   * hook, so the call is recorded as `pending` with its answer and judged after that. Once a call has started, or a person has approved it,
   * only gates that say `now` judge it again.
   */
  when(call: GatedCall): 'now' | 'later';
  judge(call: GatedCall): GateVerdict | Promise<GateVerdict>;
}

/** A call as a gate sees it. */
export interface GatedCall {
  readonly tool: Tool;
  /** As parsed by the tool's schema, including the changes of earlier gates. */
  readonly input: unknown;
  /** Further values of its fields, which came up while it ran, such as the addresses of a host. Rules may only become stricter by them. */
  readonly also?: Readonly<Record<string, readonly string[]>>;
  readonly callId: string;
  readonly turn: number;
  readonly scope: CallScope;
  readonly signal: AbortSignal;
}

/** `input`, if given, replaces the call's input and is validated again. The model sees the `reason` of a denial, people that of an `ask`. */
export type GateVerdict =
  | { readonly kind: 'pass'; readonly input?: unknown }
  /** `details`: for people, recorded with the call, such as the rule that denies it. */
  | { readonly kind: 'deny'; readonly reason: string; readonly details?: Readonly<Record<string, unknown>> }
  /** The call waits for a person. `reason`: which rule asks. `deadlineSeconds`: after that the answer is no; default 86,400, a day. */
  | { readonly kind: 'ask'; readonly reason: string; readonly deadlineSeconds?: number };

/** What surrounds the calls of a focus: the gates in order, and what changes results after a call has run. */
export interface CallGuard {
  readonly gates: readonly CallGate[];
  /**
   * Changes results before they are recorded, failures included. Not those of database tools, which are recorded with their effects, and not
   * what animus itself says about a call that did not run.
   */
  readonly afterRun?: AfterRun;
  /** Whether a grant with this pattern covers the call. Default: no pattern covers any. */
  readonly covers?: (pattern: string, call: GatedCall) => boolean;
  /** True: nobody can be asked, so a call that would ask is denied at once. Default false. */
  readonly unattended?: boolean;
  /** True: a call that waits is not approved by those who submitted the work or wrote to it. Default false. */
  readonly fourEyes?: boolean;
}

/** What sees results before they are recorded. */
export interface AfterRun {
  /** Whether it sees the results of this tool. Such a call never starts before its answer is recorded. */
  sees(tool: Tool): boolean;
  /** Returns the result that is recorded and sent in place of `output`. Rejects when the focus is aborted. */
  change(call: GatedCall, output: ToolOutput): Promise<ToolOutput>;
}
