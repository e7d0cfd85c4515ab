/** The contract of a tool. Each family has its own file; the engine validates, journals and runs the calls. */
import type { z } from 'zod';
import type { Lease } from '../core/lifecycle/lease.ts';
import type { FieldKind, RiskClass, Verdict } from '../core/permissions/verdict.ts';
import type { ToolSpec } from '../llm/client.ts';
import type { FileRule } from '../process/file-rules.ts';
import type { CommandHost, Isolation, ProcessHost } from '../process/process-host.ts';
import type { OutputStream, SkillScripts } from '../sandbox/sandbox.ts';
import type { Queryable } from '../store/sql/database.ts';
import type { Wait, WaitRequest, WaitResult } from '../store/transcript/waits.ts';
import type { SeenFiles } from './files/seen-files.ts';
import type { OutputFile } from './media.ts';
import type { BackgroundCommands } from './shell/background-commands.ts';

interface ToolBase<Input> {
  readonly name: string;
  /** For the model: what the tool does, what it returns, its limits. */
  readonly description: string;
  /** It may have to wait: parse with `safeParseAsync`. */
  readonly input: z.ZodType<Input>;
  /** What a model is told of the fields, in place of their descriptions, which are for people (docs/tools.md); nothing of the other fields. Default: the descriptions. */
  readonly words?: Readonly<Record<string, string>>;
  /** The JSON Schema that the model gets, where it was not written with zod; default: that of `input`. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly risk: RiskClass;
  /** How permission rules compare fields of the input (docs/permissions.md); the others as texts. */
  readonly kinds?: Readonly<Record<string, FieldKind>>;
  /** Why code may not make such a call, for the model; null, the default: it may. */
  notFromCode?(input: Input): string | null;
  /** Values that rules compare where they stand deeper in the input, by field; null for one that cannot be read. */
  comparedValues?(input: Input): Readonly<Record<string, readonly string[] | null>>;
  /**
   * The result for the model when the wait of a call is resolved or has timed out. It is in one transaction with the
   * journal row, so it happens once. Without it the model gets the resolver's result as JSON.
   */
  afterWait?(input: Input, wait: ResolvedWait, context: ToolContext, tx: Queryable): Promise<ToolOutput>;
}

/** A resolved wait. */
export type ResolvedWait = Wait & { readonly resolvedAt: Date; readonly result: WaitResult };

/** A tool with effects outside the database. */
export interface WorldTool<Input = unknown> extends ToolBase<Input> {
  readonly kind: 'world';
  /**
   * True: an interrupted call may be run again without asking the model. If the risk is `read`, too, a call may run before its answer is
   * recorded, and nobody knows of it if the answer is lost: such a tool must change nothing.
   */
  readonly idempotent: boolean;
  /** True: it runs code that calls tools, and its context has `nested`. Default false. */
  readonly callsTools?: boolean;
  /** Its time-out in milliseconds, in place of the one that all tools of the focus have. */
  readonly timeoutMs?: number;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** A tool that only uses this database. Its effect and its journal row are one transaction, so it happens exactly once. */
export interface DatabaseTool<Input = unknown> extends ToolBase<Input> {
  readonly kind: 'database';
  /**
   * What may take long or call others, before the transaction of the call; what it returns is `context.prepared`. It runs after the answer is
   * recorded, and again if the call is run again after a crash.
   */
  prepare?(input: Input, context: ToolContext): Promise<unknown>;
  run(input: Input, context: ToolContext, tx: Queryable): Promise<ToolOutput>;
}

// One list holds tools with different inputs; each gets only what its own schema has parsed.
// oxlint-disable-next-line typescript/no-explicit-any
export type Tool = WorldTool<any> | DatabaseTool<any>;

/** The context of a call. */
export interface ToolContext {
  readonly workItemId: string;
  readonly leaseToken: string;
  readonly focusId: string;
  readonly faculty: string;
  readonly turn: number;
  readonly callId: string;
  /** Absolute real path: the root of the file tools and the directory of bash. */
  readonly workspace: string;
  /** Time-out of this call in milliseconds; the engine also enforces it through `signal`. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Of the focus. It surely held when the call began; a tool asks again right before it changes something that others may have. */
  readonly lease: Lease;
  /** What `prepare` of a database tool has returned. */
  readonly prepared?: unknown;
  readonly processes: ProcessHost;
  /** Where `bash` runs its commands, if not on this host: the container of the focus. */
  readonly container?: CommandHost;
  /** Where commands keep what is not part of the work. Made at the first call. Rejects with the reason why it cannot be made. */
  readonly home: () => Promise<CommandHome>;
  /** What the focus runs in the background. */
  readonly background: BackgroundCommands;
  readonly isolation: Isolation;
  /** There for an answer in a conversation: files of its workspace that are in the database. */
  readonly databaseFiles?: DatabaseFiles;
  /** Which contents of files the focus has read or written. */
  readonly seenFiles: SeenFiles;
  /** What neither commands nor file tools may do with files of this host. */
  readonly fileRules: readonly FileRule[];
  /** The skills that are active; not there: none can be. */
  readonly skills?: SkillScope;
  /** For tools that declare `callsTools`: what their code may call. */
  readonly nested?: NestedCalls;
  /** Shows watchers what code prints while it runs; nothing of it is recorded. */
  readonly tellOutput?: (stream: OutputStream, text: string) => void;
  /** Only where code made the call: how many bytes its result may have. The result is then whole, without the limits that are made for a model. */
  readonly codeBytes?: number;
  /**
   * What the gates say about this call with another input, such as the target of a redirect. `also`: further values of fields, by which rules may only
   * become stricter. Default: all is `auto`.
   */
  readonly permissionFor?: (input: unknown, also?: Readonly<Record<string, readonly string[]>>) => Promise<Verdict>;
}

/** What commands of a focus have beside its workspace. */
export interface CommandHome {
  /** HOME: absolute real path of a directory outside of the workspace, which belongs to the user that commands run as. */
  readonly directory: string;
  /** Variables by which package managers find the caches that the foci of a faculty share. */
  readonly caches: Readonly<Record<string, string>>;
}

/** What the tools of a focus may do with the skills that are active in it. */
export interface SkillScope {
  /** What the messages of all its skills may take of the context. */
  readonly maxTokens: number;
  /**
   * Where the files are of those active skills that these paths, as a model gave them, lead to. They come from the version that was activated and
   * never change.
   */
  mountsFor(paths: readonly string[]): Promise<readonly FileMount[]>;
  /** The scripts of all active skills, for code; at most 1 MiB of text. */
  scripts(): Promise<readonly SkillScripts[]>;
}

/** A directory outside the workspace that file tools see as a folder of it. Nothing in it can be changed. */
export interface FileMount {
  /** Relative to the workspace, such as `skills/review`. */
  readonly at: string;
  /** Absolute real path. */
  readonly directory: string;
}

/** A file of the workspace that is in the database; its path is relative to the workspace. */
export interface DatabaseFile {
  readonly path: string;
  /** A conversation, whose text is made when it is read, or a file that came with a message. */
  readonly kind: 'chat' | 'attachment';
  /** Of a file that came with a message. */
  readonly mediaType: string | null;
  readonly bytes: number | null;
}

/** The files in the database that a focus sees. */
export interface DatabaseFiles {
  /** Those that were changed last first. */
  list(): Promise<readonly DatabaseFile[]>;
  /** The file at a path as it is now, or null; its text is null if it is an image or a document. */
  read(path: string): Promise<(Omit<DatabaseFile, 'path'> & { readonly text: string | null }) | null>;
}

/** Calls of tools from code. Each passes the same validation, gates, hooks and journal as a call of the model. */
export interface NestedCalls {
  /** What may be called, as the model sees it. */
  readonly tools: readonly ToolSpec[];
  /**
   * Makes one call; many may be under way. Failures and refusals are outputs. `details` of the output is the result as values, where the tool
   * gives it so; the text is short then. Rejects when `signal` aborts, after `close`, and with what ends the focus, which also aborts the
   * signal of the context.
   */
  call(call: NestedCall, signal: AbortSignal): Promise<ToolOutput>;
  /** Keeps a file as an artifact of the item; `problem`: why it was not kept. */
  keepFile(file: NestedFile): Promise<{ readonly artifactId: string } | { readonly problem: string }>;
  /** Stops calls that still run, and resolves when the ends of all are recorded. Idempotent. */
  close(): Promise<readonly EndedNestedCall[]>;
}

export interface NestedCall {
  readonly name: string;
  readonly input: unknown;
  /** Why the input was not read: which limit it exceeds. */
  readonly unread?: string | undefined;
}

export interface NestedFile {
  readonly name: string;
  /** Tells it from another file of the execution with this name; default: one of `out/`. */
  readonly origin?: 'stdout' | 'stderr' | 'value';
  readonly bytes: Buffer;
}

/** A call that code has made. `in_doubt`: it was stopped, and may or may not have happened. */
export interface EndedNestedCall {
  readonly n: number;
  readonly name: string;
  readonly state: 'done' | 'failed' | 'denied' | 'in_doubt';
}

/** The result of a call. A failure that the model should react to is an output with `isError`, not an exception. */
export interface ToolOutput {
  /** For the model. */
  readonly content: string;
  readonly isError?: boolean;
  /** The call was interrupted from outside: it may or may not have happened, and `content` says so. */
  readonly inDoubt?: boolean;
  /** For people: `work show`, spans, logs. JSON. Under `shown`, the engine names the files that the model is shown. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Images and PDF files of the result, which `content` describes. The engine keeps those that the model can see, shows them after it, and says so. */
  readonly files?: readonly OutputFile[];
  /** The result as values, for code that made the call: what `content` says. Only computed when it is asked for, and never recorded. */
  readonly data?: () => unknown;
  /**
   * The call has not ended but waits. When all other calls of its turn have ended, the focus is parked until the wait is
   * resolved. `content` is then only for people; the model gets the result of `afterWait`.
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

/** What a tool may use of the time-out of its call, so that its result still arrives: all but the time for its end, and at least half. */
export function usableMs({ timeoutMs }: Pick<ToolContext, 'timeoutMs'>, endingMs = 2000): number {
  return Math.max(timeoutMs - endingMs, timeoutMs / 2);
}

/** What tools never cross, no matter who asks. */
export type Boundary = 'workspace' | 'secret' | 'read_only' | 'address' | 'pin';

/** The result of a call that a tool refused at a boundary: an error result, which the audit shows as a refused call. */
export function refusedAt(boundary: Boundary, content: string, details?: ToolOutput['details']): ToolOutput {
  return toolError(content, { ...details, boundary });
}

/** An error result for the model: what went wrong, and what to do. */
export function toolError(content: string, details?: ToolOutput['details']): ToolOutput {
  return { content, isError: true, ...(details && { details }) };
}
