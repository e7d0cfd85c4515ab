// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';
import type { Waiting, WorkItem, WorkState } from './shared.ts';

export interface NewExecution {
  /** Python 3; return at the top level ends it with a value. */
  readonly code?: string | undefined;
  /** A command line for sh, or a program with its arguments. */
  readonly command?: string | readonly string[] | undefined;
  /** Time-out in seconds, at most that of the faculty, which is the default. */
  readonly timeout_seconds?: number | undefined;
  /** One whose mode is code. */
  readonly faculty?: string | undefined;
  /** Default: what is run. */
  readonly description?: string | undefined;
  /** Items with the same key run one after another. */
  readonly concurrency_key?: string | undefined;
  /** Higher runs first; default 0. */
  readonly priority?: number | undefined;
}

export interface Execution {
  /** The work item. */
  readonly id: string;
  readonly state: WorkState;
  /** The path of its events. */
  readonly events: string;
  /** Why it does not go on now; null: it does, or has ended. */
  readonly waiting: Waiting | null;
  /** With `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it. */
  readonly item?: WorkItem | undefined;
}

/** The methods `client.sandbox`. */
export interface SandboxMethods {
  /**
   * Run Python or a command in a container: submits a work item, whose events contain the output while it runs. Needs a token of scope `work`.
   *
   * `POST /sandbox/executions`
   */
  runCode(input: NewExecution, options?: CallOptions): Promise<Execution>;
}
