/** The one shell of a page: a bash that runs its blocks in order, so that variables, functions and the directory carry over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isAlive } from '../../process/live-processes.ts';
import { eventually } from '../../support/eventually.ts';

/** A command of a page has this long; only what hangs takes it. */
const COMMAND_MS = 120_000;
const READY_SECONDS = 60;

export interface ShellRun {
  /** The exit code; a shell that ended with the command is not usable any more. */
  readonly code: number;
  /** Both streams. */
  readonly output: string;
}

export interface Shell {
  /** Where it is. */
  directory(): string;
  /** Runs commands; the first that fails ends them, and the shell unless `mayFail`. */
  run(commands: string, options?: { readonly mayFail?: boolean; readonly input?: string }): Promise<ShellRun>;
  /** Starts a program that runs until `close` or until it is started again, and waits until it has printed this. */
  start(command: string, ready: RegExp): Promise<{ readonly output: () => string }>;
  /** Ends what was started, the newest first, and the shell. Rejects with the output of a program that had to be killed. */
  close(): Promise<void>;
}

/** Starts it in a directory; `files` is a directory for its scripts and outputs. */
export function openShell(options: { cwd: string; env: NodeJS.ProcessEnv; files: string }): Shell {
  const { cwd, env, files } = options;
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: ['pipe', 'ignore', 'inherit', 'pipe'] });
  const exited = once(child, 'exit').then(([code, signal]) => (code as number | null) ?? `signal ${signal as string}`);
  const answers = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream & NodeJS.ReadStream });
  const started = new Map<string, number>();
  let [count, at] = [0, cwd];
  // Fails at its next command, which is told that the shell has ended.
  child.stdin!.on('error', () => undefined);
  child.stdin!.write('set -euo pipefail\n');

  async function say(line: string): Promise<string> {
    const answer = Promise.withResolvers<string>();
    answers.once('line', answer.resolve);
    const timer = setTimeout(() => {
      answer.resolve(`124 ${at}`);
      child.kill('SIGKILL');
    }, COMMAND_MS);
    child.stdin!.write(`${line}\n`);
    try {
      return await Promise.race([answer.promise, exited.then((how) => `${how} ${at}`)]);
    } finally {
      clearTimeout(timer);
      answers.off('line', answer.resolve);
    }
  }

  async function run(commands: string, { mayFail = false, input }: { mayFail?: boolean; input?: string } = {}) {
    const file = join(files, `${++count}.sh`);
    const output = join(files, `${count}.out`);
    writeFileSync(file, commands);
    writeFileSync(output, '');
    if (input !== undefined) writeFileSync(join(files, `${count}.in`), input);
    const from = input === undefined ? '/dev/null' : quoted(join(files, `${count}.in`));
    const source = `. ${quoted(file)} < ${from} > ${quoted(output)} 2>&1 3>&-`;
    const tell = `printf '%s %s\\n' "$?" "$PWD" >&3`;
    const answer = await say(mayFail ? `set +e; ${source}; ${tell}; set -e` : `${source}; ${tell}`);
    const [, code, directory] = /^(.*?) (.*)$/s.exec(answer)!;
    at = directory!;
    return { code: Number(code), output: readFileSync(output, 'utf8') };
  }

  async function start(command: string, ready: RegExp) {
    const earlier = started.get(command);
    if (earlier !== undefined) await end(earlier);
    const log = join(files, `${++count}.log`);
    writeFileSync(log, '');
    const { code, output: pid } = await run(
      `setsid bash -c ${quoted(`exec ${command}`)} < /dev/null > ${quoted(log)} 2>&1 &\necho "$!"\n`,
    );
    if (code !== 0) throw new Error(`$ ${command}\nwas not started`);
    started.set(command, Number(pid));
    const output = () => readFileSync(log, 'utf8');
    await eventually(
      `$ ${command} is ready`,
      () => {
        if (ready.test(output())) return true;
        if (!isAlive(Number(pid))) throw new Error(`$ ${command}\nended before it was ready:\n${output()}`);
        return null;
      },
      READY_SECONDS,
    );
    return { output };
  }

  async function end(pid: number): Promise<void> {
    for (const [command, each] of started) if (each === pid) started.delete(command);
    // All of its group, as a terminal does: npx does not pass the signal on to the command.
    if (isAlive(pid)) process.kill(-pid, 'SIGTERM');
    await eventually(`process ${pid} ends after SIGTERM`, () => (isAlive(pid) ? null : true));
  }

  return {
    directory: () => at,
    run,
    start,
    async close() {
      const ends = await Promise.allSettled([...started.values()].toReversed().map(end));
      child.stdin!.end();
      await stopped(child, exited);
      const failed = ends.find((each) => each.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}

/** Its children were ended before; what still runs in it is a command that hangs. */
async function stopped(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exited;
  clearTimeout(timer);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
