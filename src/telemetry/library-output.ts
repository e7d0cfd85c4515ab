/** What libraries and Node itself would print goes through the log: a stream of JSON lines holds nothing else. */
import { format } from 'node:util';
import type { Log } from './log.ts';

const CONSOLE = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * From here on the process's warnings (deprecations, leaks of listeners) and whatever is said by `console` are lines of the log.
 * Returns what puts back how it was. Of the process, not of a daemon: two in one process share what they hear.
 */
export function logLibraryOutput(log: Log): () => void {
  const before = process.listeners('warning');
  const onWarning = (warning: Error): void => {
    const { name, message, code } = warning as NodeJS.ErrnoException;
    log.warn({ warning: name, ...(code !== undefined && { code }), detail: message }, 'a library or Node warns');
  };
  // Node prints by a listener of its own.
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  const methods = Object.keys(CONSOLE) as (keyof typeof CONSOLE)[];
  const printing = new Map(methods.map((method) => [method, console[method]]));
  for (const method of methods) {
    console[method] = (...said: unknown[]) => log[CONSOLE[method]]({ detail: format(...said) }, 'a library prints');
  }
  return () => {
    process.off('warning', onWarning);
    for (const listener of before)
      if (!process.listeners('warning').includes(listener)) process.on('warning', listener);
    for (const [method, print] of printing) console[method] = print;
  };
}
