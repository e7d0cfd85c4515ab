/** `animus chat`: a conversation in the terminal; elsewhere, one message on standard input and its answer. */
import { usageError } from '../../../core/errors/errors.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import type { ChatOptions } from './chat-options.ts';

/** Errors: `usage.invalid`, `faculty.unknown`, `db.*`. */
export async function chatCommand(
  invocation: Invocation,
  options: ChatOptions,
  named: string | undefined,
): Promise<number> {
  const { stdin, stdout, env } = invocation.context;
  const faculty = options.faculty ?? named;
  // Loaded here: the other commands of the group need none of it.
  if (!('isTTY' in stdin && stdin.isTTY === true)) {
    const { askOnce } = await import('./ask-once.ts');
    return askOnce(invocation, { ...options, faculty });
  }
  if (options.json || stdout.isTTY !== true || env['TERM'] === 'dumb') {
    const why = options.json
      ? '--json is for programs'
      : stdout.isTTY === true
        ? 'the terminal is a dumb one (TERM)'
        : 'standard output is not one';
    const detail = `a conversation needs a terminal, and ${why}; to send a message: animus chat send "…" --wait`;
    throw usageError(detail);
  }
  const { beginSession } = await import('./begin-session.ts');
  return beginSession(invocation, { ...options, faculty });
}
