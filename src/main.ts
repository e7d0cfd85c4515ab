/** argv → command → exit code: the only place with signal handlers and process.exit. */

import { runCli } from './cli/program.ts';
import { systemClock } from './core/lifecycle/clock.ts';
import { createInterrupts, type Interrupts } from './core/lifecycle/interrupts.ts';
import type { JobControl } from './core/lifecycle/job-control.ts';
import { printsLog } from './terminal/command/command.ts';

/** Runs the command of this process and ends the process with its exit code; called by the launcher. */
export async function main(): Promise<void> {
  const interrupts = createInterrupts(systemClock);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (interrupts.receive(signal) === 'give up') process.exit(interrupts.exitCode() ?? 1);
    });
  }
  const complain = await complaints(process.argv.slice(2));
  const output = watchOutput(complain);

  const code = await runCli(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signals: interrupts,
    jobs: jobControl(interrupts),
    // Only `serve` needs it, and with it Node's HTTP.
    loadHealth: async () => (await import('./http/health-server.ts')).openHealthServer,
    openApi: async (parts) => (await import('./http/api/serve-api.ts')).serveApi(parts),
    serveMcp: async (parts) => {
      const { serveMcpStdio } = await import('./http/mcp/serve-stdio.ts');
      await serveMcpStdio({ ...parts, stdin: process.stdin, stdout: process.stdout });
    },
  });
  await flushed(process.stdout);
  process.exit(interrupts.exitCode() ?? (code || (output.lost ? 1 : 0)));
}

/** The kernel ignores the signal where no shell could continue the job, so only time tells that the stop is over. */
const STOPPING_MS = 100;

function jobControl(interrupts: Pick<Interrupts, 'receive'>): JobControl {
  const hangUp = () => void interrupts.receive('SIGTERM');
  return {
    async stopJob() {
      // The whole job: npm and the launcher, too, or the shell would not get the terminal.
      process.kill(0, 'SIGTSTP');
      await systemClock.sleep(STOPPING_MS);
    },
    takeHangUps() {
      // Only while it is asked for: `nohup` relies on SIGHUP being ignored.
      process.on('SIGHUP', hangUp);
      return () => void process.off('SIGHUP', hangUp);
    },
  };
}

/**
 * The reader of our output may stop early (`| head`). That is not a failure, and there is nothing left to do. If output cannot
 * be written (a full disk), this is reported and the command fails; a daemon continues, because its work is in the database.
 */
function watchOutput(complain: (text: string) => void): { readonly lost: boolean } {
  const output = { lost: false };
  process.stdout.on('error', (error) => {
    leaveWithReader(error);
    if (!output.lost) complain(`the output cannot be written: ${error.message}`);
    output.lost = true;
  });
  // If stderr itself fails, there is no way to report it.
  process.stderr.on('error', leaveWithReader);
  return output;
}

/**
 * How this process complains beside its command: in prose, or as lines of the log of a service. Such a service also logs the warnings of Node
 * and of libraries from now on, and what ends it unexpectedly.
 */
async function complaints(argv: readonly string[]): Promise<(text: string) => void> {
  if (!printsLog(argv, process)) return (text) => void process.stderr.write(`animus: ${text}\n`);
  const [{ openLog }, { logLibraryOutput }] = await Promise.all([
    import('./telemetry/log.ts'),
    import('./telemetry/library-output.ts'),
  ]);
  const log = openLog({ format: 'json' });
  logLibraryOutput(log);
  process.on('uncaughtException', (error) => {
    log.error({ code: 'internal.bug', stack: error.stack }, `the process crashed: ${error.message}`);
    process.exit(1);
  });
  return (text) => log.error({}, text);
}

function leaveWithReader(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
}

/** Resolves when everything written so far has left the process. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
