/** `animus sandbox run`: runs Python or a command in a container, as a work item, and ends with its exit status. */

import type { Command } from 'commander';
import { z } from 'zod';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { schemaProblems } from '../../core/errors/schema-problems.ts';
import { codeParams, describeCode } from '../../core/work/code-params.ts';
import { readWork } from '../../operations/read-work.ts';
import type { Database } from '../../store/sql/database.ts';
import { liveDaemons } from '../../store/work/daemons.ts';
import { submitWork } from '../../store/work/submit-work.ts';
import { wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { readAnyInput } from '../../terminal/command/read-input.ts';
import { workGoesOn } from '../../terminal/command/work-goes-on.ts';
import { createPrinter } from './print-output.ts';

interface RunOptions extends CommonOptions {
  readonly code?: string;
  readonly timeout?: number;
  readonly faculty: string;
}

/** Adds it. */
export function addSandboxRunCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'run [command...]', {
    summary:
      'run a command, or Python, in a container of a daemon; prints what it prints, and ends with its exit status',
    arguments: { command: 'a program and its arguments, after --' },
    examples: [
      'animus sandbox run -- python3 --version',
      'animus sandbox run --code "return sum(range(10))" --json',
      'animus sandbox run --code - --timeout 60 < script.py',
    ],
  })
    .option('--code <text>', 'Python; - reads it from standard input')
    .option(
      '--timeout <seconds>',
      'time-out, at most that of the faculty (default: that of the faculty)',
      wholeNumber(1, 86_400),
    )
    .option('--faculty <name>', 'a faculty with mode = "code"', 'sandbox')
    .action(run(runCommand));
}

async function runCommand(invocation: Invocation, options: RunOptions, command: readonly string[]): Promise<number> {
  const { context, output } = invocation;
  if ((options.code === undefined) === (command.length === 0)) {
    const detail = 'give a command after --, or Python with --code, and not both; see: animus sandbox run --help';
    throw usageError(detail);
  }
  const code = options.code === '-' ? await readAnyInput(context.stdin) : options.code;
  const params = codeParams.safeParse({
    ...(code !== undefined && { code }),
    ...(command.length > 0 && { command }),
    ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
  });
  if (!params.success) throw usageError(schemaProblems(params.error));
  return withDatabase(invocation, async (db, whenStopped) => {
    await checkServed(db, options.faculty);
    const description = describeCode(params.data);
    const { id } = await submitWork(db, { faculty: options.faculty, description, params: params.data, source: 'cli' });
    whenStopped(workGoesOn(invocation, id));
    output.note(`work item ${id}`);
    const printer = createPrinter(invocation);
    await follow(invocation, db, id, printer);
    if (context.signals.drain.aborted) throw interruption(workGoesOn(invocation, id));
    const item = await readWork(db, id);
    output.document({ id, state: item.state, outcome: item.outcome, error: item.error });
    const outcome = OUTCOME.safeParse(item.outcome).data;
    if (item.state === 'completed' && outcome) {
      printer.rest(outcome);
      return outcome.exit_status;
    }
    const { message } = z.object({ message: z.string() }).catch({ message: '' }).parse(item.error);
    output.note(`${item.state}${message === '' ? '' : `: ${message}`}`);
    return 1;
  });
}

const OUTCOME = z.object({
  exit_status: z.int().min(0).max(255),
  stdout: z.string(),
  stderr: z.string(),
  value: z.unknown().optional(),
  traceback: z.string().optional(),
  problem: z.string().optional(),
});

/** What it waits for may never come without a daemon. A role that may not see daemons is not told. */
async function checkServed(db: Database, faculty: string): Promise<void> {
  const daemons = await liveDaemons(db);
  if (daemons === null || daemons.some(({ faculties }) => faculties.includes(faculty))) return;
  const detail = `no running daemon has the faculty ${faculty}`;
  throw new AnimusError('http.no_sandbox', {
    detail,
    remedy: 'start one that has it (animus serve); the file faculties/sandbox.toml of the animus package is an example',
  });
}

/** Prints the output as it comes, until the item has ended. */
async function follow(
  { context }: Invocation,
  db: Database,
  id: string,
  printer: ReturnType<typeof createPrinter>,
): Promise<void> {
  const { followItem } = await import('../../terminal/events/followed-item.ts');
  const { foldOutput } = await import('../../terminal/events/shown-output.ts');
  const output = foldOutput();
  await followItem(db, id, {
    signal: context.signals.drain,
    take(entry) {
      for (const { stream, text } of output.after(entry)) printer.piece(stream, text);
    },
  });
}
