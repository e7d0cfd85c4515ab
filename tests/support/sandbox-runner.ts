/** Talks to the runner of docker/sandbox as the engine does: on this machine's Python, or in a container. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

export const SANDBOX_FILES = resolve(import.meta.dirname, '../../docker/sandbox');
/** As `sdkSource([])`, without its imports. */
const NO_TOOLS = '__all__ = []';

export interface Execution {
  readonly code: string;
  readonly sdk?: string;
  readonly skills?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly timeoutSeconds?: number;
  readonly limits?: Readonly<Record<string, number>>;
  /** Of how many bytes of each stream copies are sent. */
  readonly liveBytes?: number;
  /** Answers a call with the `result` of its message, or a promise of it; undefined: not at all. */
  answer?(name: string, input: never): unknown;
  /** Ends the input after the execution was sent. */
  readonly hangUp?: boolean;
  /** Looks at each message; what it returns is sent as it is. */
  watch?(message: Message): string | undefined;
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export interface Ran {
  readonly ended?: string;
  readonly value?: string | null;
  readonly note?: string | null;
  readonly stdout?: { readonly text: string; readonly bytes: number };
  readonly stderr?: { readonly text: string; readonly bytes: number };
  readonly traceback?: string | null;
  /** By name. */
  readonly files: Readonly<Record<string, string>>;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly error?: Message['error'];
  readonly exitCode: number | null;
}

/** Why the inside of the sandbox cannot be tried without a container here; null if it can. */
export function missingPython(): string | null {
  if (process.platform !== 'linux') return 'the runner needs Linux';
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { stdio: 'pipe' });
    return null;
  } catch {
    return 'no python3 of version 3.11 or later here';
  }
}

/** Runs one execution with the runner on this machine: without the limits of a container, and not as PID 1. */
export async function runOnHost(execution: Execution): Promise<Ran> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-runner-'));
  try {
    const start = ['-I', '-B', '-X', 'utf8', join(SANDBOX_FILES, 'start.py'), 'runner'];
    return await talk(['python3', ...start], execution, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Starts a runner by this command and has it run one execution. */
export async function talk([program = '', ...args]: readonly string[], execution: Execution, cwd = '.'): Promise<Ran> {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<number | null>((done) => child.on('close', done));
  // A runner that has ended reads nothing more.
  child.stdin.on('error', () => undefined);
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const files: Record<string, string> = {};
  const calls: { name: string; input: unknown }[] = [];
  let end: Partial<Ran> = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as Message;
    const raw = execution.watch?.(message);
    if (raw !== undefined) child.stdin.write(raw);
    const { method, params = {}, id } = message;
    if (method === 'ready') {
      send({ id: 'execute', method: 'execute', params: parametersOf(execution) });
      if (execution.hangUp) child.stdin.end();
    } else if (method === 'file')
      files[String(params['name'])] = Buffer.from(String(params['base64']), 'base64').toString();
    else if (method === 'call') {
      const { name, input } = params as { name: string; input: never };
      calls.push({ name, input });
      const result = await execution.answer?.(name, input);
      if (result !== undefined) send({ id, result });
    } else if (message.error) end = { error: message.error };
    else if (id === 'execute') end = message.result as Partial<Ran>;
  }
  child.stdin.end();
  return { ...end, files, calls, exitCode: await exited };
}

function parametersOf({
  code,
  sdk = NO_TOOLS,
  skills = {},
  timeoutSeconds = 30,
  limits = {},
  liveBytes: live_bytes,
}: Execution) {
  return { code, sdk, skills, timeout_seconds: timeoutSeconds, limits, live_bytes };
}
