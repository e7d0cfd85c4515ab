/** Redirects output of libraries and Node to the log, so that stderr contains only JSON lines. */
import { format } from 'node:util';
import type { Log } from './log.ts';

const CONSOLE = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error' } as const;

/**
 * Logs the warnings of the process (deprecations, leaked listeners) and the output of `console` from now on. Returns a
 * function that undoes it. It affects the whole process: two daemons in one process share it.
 */
export function logLibraryOutput(log: Log): () => void {
  const before = process.listeners('warning');
  const onWarning = (warning: Error): void => {
    const { name, message, code } = warning as NodeJS.ErrnoException;
    log.warn({ warning: name, ...(code !== undefined && { code }), detail: message }, 'warning from Node or a library');
  };
  // Node prints warnings with its own listener.
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
