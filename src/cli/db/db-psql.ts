/** `animus db psql`: psql on the configured database. */
import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { psqlEnvironment } from '../../store/postgres/psql-environment.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withRawDatabase } from '../../terminal/command/database.ts';

/** Adds it to the group. */
export function addPsqlCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'psql [args...]', {
    summary: 'open psql on the database; arguments are passed to psql; exits with the exit code of psql',
    arguments: { args: 'options and arguments of psql' },
    examples: ['animus db psql', `animus db psql -c 'select animus.status()'`, 'animus db psql -f report.sql'],
  })
    .allowUnknownOption()
    .action(run(psqlCommand));
}

/** An embedded database without a daemon stays open while psql runs. */
async function psqlCommand(
  invocation: Invocation,
  _options: CommonOptions,
  args: readonly string[] = [],
): Promise<number> {
  return withRawDatabase(invocation, (database) => {
    if (database.kind === 'embedded') {
      invocation.output.note(
        `the embedded database at ${database.where}: a transaction that is idle for 5 s is aborted`,
      );
    }
    return runPsql(invocation, psqlEnvironment(database.connectionString), args);
  });
}

/** Runs psql in the same terminal. It receives Ctrl-C, which cancels its statement. */
function runPsql(
  { context }: Invocation,
  variables: ReturnType<typeof psqlEnvironment>,
  args: readonly string[],
): Promise<number> {
  const { signals, cwd, env } = context;
  signals.passInterrupts();
  return new Promise((ended, failed) => {
    const psql = spawn('psql', args, { cwd, env: { ...env, ...variables }, stdio: 'inherit' });
    const end = (): void => void psql.kill('SIGTERM');
    signals.drain.addEventListener('abort', end, { once: true });
    psql.once('error', (error) => failed(spawnError(error)));
    psql.once('close', (code) => {
      signals.drain.removeEventListener('abort', end);
      ended(code ?? 1);
    });
  });
}

function spawnError(error: unknown): AnimusError {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const detail = missing
    ? "it is not installed or not on the PATH; install PostgreSQL's client programs (Debian: apt install postgresql-client, macOS: brew install libpq), or use: animus db sql"
    : messageOf(error);
  return new AnimusError('process.spawn', { command: 'psql', detail }, { cause: error });
}
