/** `animus work say`: leaves a message for an item, which its focus gets with its next turn. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { AnimusError, messageOf } from '../../../core/errors/errors.ts';
import { readRegularFile } from '../../../core/files/regular-file.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { WorkState } from '../../../core/work/work.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { sayWork } from '../../../store/work/say-work.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { styled } from '../../../terminal/view/output.ts';
import { stateLabel } from '../../../terminal/view/quantities.ts';

interface SayOptions extends CommonOptions {
  readonly file?: string;
  readonly wake?: boolean;
}

/** Adds `animus work say`. */
export function addSayCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'say <id> [text]', {
    summary: 'leave a message for an item: the model gets it with its next turn, and the work does not end before',
    arguments: { text: 'what to say; - reads standard input' },
    examples: [
      'animus work say 5b1f0c3de2a9 "Leave the public API as it is"',
      'git diff | animus work say 5b1f0c3de2a9 -',
      'animus work say 5b1f0c3de2a9 --wake "Do not wait for the release"',
    ],
  })
    .option('--file <file>', 'the text is in this file')
    .option('--wake', 'if the work waits for a time, for children or for an answer, end that wait')
    .action(run(sayCommand));
}

/** How long a call is tried again while another transaction keeps the work locked. */
const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

async function sayCommand(
  invocation: Invocation,
  options: SayOptions,
  reference: string,
  given: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const text = await textOf(invocation, options, given);
  const { id, said } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    return { id: found, said: await untilUnlocked(() => sayWork(db, found, text, options.wake), PATIENCE) };
  });
  const { workItemId, messageId, state } = said;
  output.document({ id, work_item_id: workItemId, message_id: Number(messageId), state });
  if (workItemId !== id) output.line(styled(id, 'bold'), '  merged into ', workItemId);
  output.line(styled(workItemId, 'bold'), '  ', stateLabel(state), '  ', styled(whenRead(state, options), 'dim'));
  return 0;
}

async function textOf({ context }: Invocation, { file }: SayOptions, given: string | undefined): Promise<string> {
  if ((file === undefined) === (given === undefined)) {
    throw new AnimusError('usage.invalid', { detail: 'give either a text (- for standard input) or --file' });
  }
  if (file === undefined) return given === '-' ? await readInput(context.stdin) : given!;
  try {
    return readRegularFile(resolve(context.cwd, file)).toString('utf8').trimEnd();
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const detail = `--file ${file}: ${absent ? 'there is no such file' : messageOf(error)}`;
    throw new AnimusError('usage.invalid', { detail }, { cause: error });
  }
}

function whenRead(state: WorkState, { wake }: SayOptions): string {
  if (state === 'running' || state === 'claimed') return 'it is read with the next turn';
  if (state !== 'waiting') return 'it is read with its next turn, when the work runs';
  if (wake) return 'it is read when the work goes on: a message does not end what it waits for';
  return 'it is read when the work goes on; --wake ends a wait for a time, for children or for an answer';
}
