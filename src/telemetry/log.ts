/** Structured logs: JSON lines on stderr, or lines for people when stderr is a terminal. */
import { pino } from 'pino';

/** What the rest of animus logs through: fields first, then a constant message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log whose lines all carry `fields`. */
  child(fields: object): Log;
}

/** Opens the process's log. `level` defaults to LOG_LEVEL, else `info`. */
export function openLog(options: { level?: string } = {}): Log {
  const level = options.level ?? process.env['LOG_LEVEL'] ?? 'info';
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}

/** A log that drops everything, for tests and one-shot commands. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};
