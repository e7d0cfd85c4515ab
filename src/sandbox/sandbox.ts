/** The port to the sandbox: code that calls tools, in a container of its own. */
import type { Service } from '../core/lifecycle/service.ts';
import type { ContainerOwner } from './container-host.ts';

export interface Sandbox extends Service {
  /**
   * Runs code in a container from the pool, or in a new one, and destroys it afterwards. Never rejects: failures of the
   * engine, time-outs and aborts are results.
   */
  execute(spec: ExecutionSpec, calls: CodeCalls, signal: AbortSignal): Promise<Execution>;
  /** Starts containers for executions like this one in the background, up to the size of the pool. */
  warm(spec: PooledSpec): void;
}

/** What a container of the pool is started with. */
export interface PooledSpec {
  /** Empty: the image of the configuration. */
  readonly image: string;
  readonly memoryBytes: number;
  /** Processors; fractions are allowed. */
  readonly cpus: number;
}

/** One execution. */
export interface ExecutionSpec extends PooledSpec {
  /** The work item: its deadline and its end are those of the execution. */
  readonly owner: ContainerOwner;
  /** Python; `return` at its top level ends it. */
  readonly code: string;
  readonly tools: readonly CodeTool[];
  /** Counted from when the code starts. */
  readonly timeoutMs: number;
  /** A directory of the engine's host that the code can read at /workspace; default none. Such containers are not pooled. */
  readonly workspaceMount?: string;
  readonly skills: readonly SkillScripts[];
  /** Gets a copy of the output while the code runs; default: nobody does. An image of an earlier animus sends none. */
  readonly live?: LiveOutput;
}

/** Who gets a copy of the output, as it comes. */
export interface LiveOutput {
  /** Of each stream, from its beginning; what the code prints after that is only in the result. */
  readonly bytes: number;
  /** Pieces of up to 48 KiB, cut anywhere, in order within a stream. Must not throw. */
  onOutput(stream: OutputStream, piece: Buffer): void;
}

export type OutputStream = 'stdout' | 'stderr';

/** A tool as the code sees it. */
export interface CodeTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Scripts of an activated skill, importable as `skills.NAME.scripts`. */
export interface SkillScripts {
  readonly name: string;
  /** Text by file name, such as `report.py`. */
  readonly files: Readonly<Record<string, string>>;
}

/** Runs a call that the code makes. Several run at once. Never rejects. `signal` aborts with the execution. */
export type CodeCalls = (call: CodeCall, signal: AbortSignal) => Promise<CodeCallResult>;

export interface CodeCall {
  /** Unique in the execution. */
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Why the input was not read: which limit it exceeds (`runnerMessage`). */
  readonly unread?: string | undefined;
}

export interface CodeCallResult {
  readonly content: string;
  readonly isError: boolean;
  readonly details?: unknown;
}

/** How an execution ended. */
export interface Execution {
  /**
   * `returned` a value; `raised` an exception; `timeout`; `limit`: the kernel killed it for lack of memory, or it broke a
   * limit of the channel; `killed`: aborted, its lease ended, or the engine went away; `unavailable`: nothing ran.
   */
  readonly ended: 'returned' | 'raised' | 'timeout' | 'killed' | 'limit' | 'unavailable';
  /** What the code returned, as JSON; null if it returned nothing. */
  readonly value: string | null;
  /** What was lost when the value became JSON. */
  readonly note?: string;
  readonly stdout: CapturedText;
  readonly stderr: CapturedText;
  /** Of `raised`; it points into the lines of the code. */
  readonly traceback?: string;
  /** Of `raised`: what the code gave to `sys.exit`; left out where it was no such end. */
  readonly exitStatus?: number;
  /** What the code left in `out/`. */
  readonly files: readonly SandboxFile[];
  /** Why it did not end by itself, with what to do. */
  readonly problem?: string;
}

/** Output of the code, cut to a limit. `bytes` is how much there was. */
export interface CapturedText {
  readonly text: string;
  readonly bytes: number;
}

export interface SandboxFile {
  readonly name: string;
  readonly bytes: Buffer;
}
