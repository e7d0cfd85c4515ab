/** What a service prints, as lines of its log: everything that reads the log then gets JSON, one object per line. */
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Output } from './output.ts';
import type { Part } from './part.ts';

/** An output whose lines are entries of `log`: results as `info`, notes as `warn`, problems and the failure of the command as `error`. */
export function createLogOutput(log: Log): Output {
  const say = (text: string) => {
    if (text.trim() !== '') log.info({}, text.trim());
  };
  return {
    json: false,
    live: false,
    width: Number.POSITIVE_INFINITY,
    called: 'animus',
    line: (...parts) => say(textOf(parts)),
    block: say,
    piece: () => {},
    copyable: say,
    command: (label, words) => say(`${label}animus ${words}`),
    table(_columns, rows) {
      for (const row of rows) say(textOf(row.flatMap((cell) => [cell, ' '])));
    },
    document: () => {},
    event: () => {},
    progress: () => {},
    note: (text) => log.warn({}, text),
    problem: (what, { code, message }) => log.error({ code }, `${what}: ${message}`),
    fail(error) {
      const isKnown = isAnimusError(error);
      const { code, message, exitCode } = isKnown
        ? error
        : new AnimusError('internal.bug', { detail: messageOf(error) });
      const stack = !isKnown && error instanceof Error ? { stack: error.stack } : {};
      log.error({ code, exit_code: exitCode, ...stack }, message);
      return exitCode;
    },
  };
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}
