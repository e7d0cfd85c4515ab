/** What a tool is. One file per family beside this one; the engine validates, journals and runs them. */
import type { z } from 'zod';
import type { ProcessHost } from '../process/process-host.ts';
import type { Queryable } from '../store/database.ts';

/** What a tool may do at worst; decides its default permission. */
export type RiskClass = 'read' | 'write' | 'execute' | 'network' | 'spend';

interface ToolBase<Input> {
  readonly name: string;
  /** Written for the model: what it does, what comes back, its limits. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly risk: RiskClass;
}

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
  readonly isolation: 'namespace' | 'none';
  /** Files and directories that commands may not open: see ProcessSpec.hidePaths. */
  readonly hidePaths?: readonly string[];
}

/** A call's end. A failure the model should see and react to is an output with `isError`, not an exception. */
export interface ToolOutput {
  /** For the model. */
  readonly content: string;
  readonly isError?: boolean;
  /** For people: `work show`, spans, logs. JSON. */
  readonly details?: Readonly<Record<string, unknown>>;
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
