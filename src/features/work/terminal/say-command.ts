/** `animus work say`: leaves a message for an item, which its focus gets with its next turn. */
import { resolve } from 'node:path';
import { messageOf, usageError } from '../../../core/errors/errors.ts';
import { readRegularFile } from '../../../core/files/regular-file.ts';
import type { WorkState } from '../../../core/work/work.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { operationCommand } from '../../../terminal/command/operation-command.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { styled } from '../../../terminal/view/output.ts';
import { stateLabel } from '../../../terminal/view/quantities.ts';
import { sayWork } from '../operations.ts';

export const say = operationCommand(sayWork, {
  usage: 'say <id> [text]',
  summary: 'leave a message for an item: the model gets it with its next turn, and the work does not end before',
  arguments: { text: 'what to say; - reads standard input' },
  examples: [
    'animus work say 5b1f0c3de2a9 "Leave the public API as it is"',
    'git diff | animus work say 5b1f0c3de2a9 -',
    'animus work say 5b1f0c3de2a9 --wake "Do not wait for the release"',
  ],
  options: {
    file: ['--file <file>', 'the text is in this file'],
    wake: ['--wake', 'if the work waits for a time, for children or for an answer, end that wait'],
  },
  read: async (given, invocation) => ({ ...given, text: await textOf(invocation, given) }),
  find: foundWork,
  document: ({ row: { id }, result: { id: got, message_id: message, state } }) => ({
    id,
    work_item_id: got,
    message_id: Number(message),
    state,
  }),
  show(output, { row: { id }, input: { wake }, result: { id: got, state } }) {
    if (got !== id) output.line(styled(id, 'bold'), '  merged into ', got);
    output.line(styled(got, 'bold'), '  ', stateLabel(state), '  ', styled(whenRead(state, wake), 'dim'));
  },
});

/** The item that an id or a part of it names. Errors: those of `findOne`. */
export async function foundWork(db: Queryable, reference: string): Promise<{ readonly id: string }> {
  return { id: await findWork(db, reference) };
}

interface Given {
  readonly text?: string;
  readonly file?: string | undefined;
}

async function textOf({ context }: Invocation, { text: given, file }: Given): Promise<string> {
  if ((file === undefined) === (given === undefined)) {
    throw usageError('give either a text (- for standard input) or --file');
  }
  if (file === undefined) return given === '-' ? await readInput(context.stdin) : given!;
  try {
    return readRegularFile(resolve(context.cwd, file)).toString('utf8').trimEnd();
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const detail = `--file ${file}: ${absent ? 'there is no such file' : messageOf(error)}`;
    throw usageError(detail, error);
  }
}

function whenRead(state: WorkState, wake: boolean | undefined): string {
  if (state === 'running' || state === 'claimed') return 'it is read with the next turn';
  if (state !== 'waiting') return 'it is read with its next turn, when the work runs';
  if (wake) return 'it is read when the work goes on: a message does not end what it waits for';
  return 'it is read when the work goes on; --wake ends a wait for a time, for children or for an answer';
}
