/** A process of a benchmark that answers each line on its input with a line. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface LineProcess {
  readonly pid: number;
  /** The next line that it prints. */
  line(): Promise<string>;
  /** Sends a line; what it answers, parsed. */
  ask<Answer>(question?: string): Promise<Answer>;
  /** Closes its input, on which it ends. */
  stop(): Promise<void>;
}

/** `where`: a command that is put in front, such as `taskset -c 1`. */
export function startLineProcess(
  file: URL,
  env: Readonly<Record<string, string>>,
  where: readonly string[] = [],
): LineProcess {
  const [program, ...args] = [...where, process.execPath, ...process.execArgv, file.pathname];
  const started: ChildProcessWithoutNullStreams = spawn(program, args, { env: { ...process.env, ...env } });
  started.stderr.pipe(process.stderr);
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${file.pathname} ended early`);
    return value;
  };
  return {
    pid: started.pid!,
    line,
    async ask<Answer>(question = ''): Promise<Answer> {
      started.stdin.write(`${question}\n`);
      return JSON.parse(await line()) as Answer;
    },
    async stop() {
      if (started.exitCode !== null || started.signalCode !== null) return;
      const gone = new Promise((resolve) => started.once('exit', resolve));
      started.stdin.end();
      await gone;
    },
  };
}
