/** What a tool is. One file per family beside this one; the engine validates, journals and runs them. */
import type { z } from 'zod';
import type { FileRule } from '../process/file-rules.ts';
import type { Isolation, ProcessHost } from '../process/process-host.ts';
import type { Queryable } from '../store/sql/database.ts';
import type { Wait, WaitRequest, WaitResult } from '../store/transcript/waits.ts';

/** What a tool may do at worst; decides its default permission. */
export type RiskClass = 'read' | 'write' | 'execute' | 'network' | 'spend';

interface ToolBase<Input> {
  readonly name: string;
  /** Written for the model: what it does, what comes back, its limits. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly risk: RiskClass;
  /**
   * What the model is told when the wait that a call asked for is over, or has timed out. In one transaction with the
   * journal row, so it happens once. Without it the model gets the resolver's result as JSON.
   */
  afterWait?(input: Input, wait: ResolvedWait, context: ToolContext, tx: Queryable): Promise<ToolOutput>;
}

/** A wait that is over. */
export type ResolvedWait = Wait & { readonly resolvedAt: Date; readonly result: WaitResult };

/** A tool whose effect lies outside the database. */
export interface WorldTool<Input = unknown> extends ToolBase<Input> {
  readonly kind: 'world';
  /** May a call that was cut off be run again without asking the model? */
  readonly idempotent: boolean;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** A tool that only touches this database: its effect and its journal row are one transaction, so it happens exactly once. */
export interface DatabaseTool<Input = unknown> extends ToolBase<Input> {
  readonly kind: 'database';
  run(input: Input, context: ToolContext, tx: Queryable): Promise<ToolOutput>;
}

// Tools of different inputs live in one list; each is only ever given what its own schema has parsed.
// oxlint-disable-next-line typescript/no-explicit-any
export type Tool = WorldTool<any> | DatabaseTool<any>;

/** What a call knows of where it runs. */
export interface ToolContext {
  readonly workItemId: string;
  readonly leaseToken: string;
  readonly focusId: string;
  readonly faculty: string;
  readonly turn: number;
  readonly callId: string;
  /** Absolute real path that file tools are held to, and where bash starts. */
  readonly workspace: string;
  /** Time-out of this call in milliseconds; the engine also enforces it through `signal`. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly processes: ProcessHost;
  readonly isolation: Isolation;
  /** What neither commands nor file tools may do with files of this host. */
  readonly fileRules: readonly FileRule[];
}

/** A call's end. A failure the model should see and react to is an output with `isError`, not an exception. */
export interface ToolOutput {
  /** For the model. */
  readonly content: string;
  readonly isError?: boolean;
  /** Cut off by a failure of the world: it may or may not have happened, and `content` tells the model so. */
  readonly inDoubt?: boolean;
  /** For people: `work show`, spans, logs. JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
  /**
   * The call has not ended: it waits, and when all other calls of its turn have ended the focus is parked until the wait
   * is resolved. `content` is then only for people who watch; the model gets what `afterWait` says.
   */
  readonly wait?: WaitRequest;
}

/** Declares a world tool with its input type inferred from the schema. */
export function worldTool<Input>(tool: Omit<WorldTool<Input>, 'kind'>): WorldTool<Input> {
  return { kind: 'world', ...tool };
}

/** Declares a database tool with its input type inferred from the schema. */
export function databaseTool<Input>(tool: Omit<DatabaseTool<Input>, 'kind'>): DatabaseTool<Input> {
  return { kind: 'database', ...tool };
}

/** A result that tells the model what went wrong and what to do about it. */
export function toolError(content: string, details?: ToolOutput['details']): ToolOutput {
  return { content, isError: true, ...(details && { details }) };
}
