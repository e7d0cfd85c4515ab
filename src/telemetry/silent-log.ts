/** A file of its own, so that a command that logs nothing loads neither pino nor OpenTelemetry. */
import type { Log } from './log.ts';

/** A log that drops everything, for tests and one-shot commands. */
export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};
