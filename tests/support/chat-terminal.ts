/** `animus chat` on a terminal of its own (a pty), whose modes are kept before and after. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { LAUNCHER, type Site } from './daemon-process.ts';
import { eventually } from './eventually.ts';
import { openTerminal } from './terminal.ts';
import { createTerminalScreen } from './terminal-screen.ts';

export interface ChatTerminalOptions {
  readonly args?: string;
  /** Default: 60. */
  readonly columns?: number;
  /** True: it is a job of a shell, which says when it is stopped and continues it after a line is typed. */
  readonly job?: boolean;
}

/** `name` tells the sessions of a site apart. */
export function openChat(site: Pick<Site, 'directory' | 'env'>, name: string, options: ChatTerminalOptions = {}) {
  const { args = '', columns = 60, job = false } = options;
  const file = (what: string) => join(site.directory, `${name}-${what}`);
  const script = file('run');
  const command = `${process.execPath} ${LAUNCHER} chat ${args}`;
  const stopped = `stty -g > ${file('stopped')}; echo the shell has the terminal; read line; fg`;
  writeFileSync(
    script,
    `${job ? 'set -m; ' : ''}tty > ${file('tty')}; stty -g > ${file('before')}; ${command}; ${job ? `${stopped}; ` : ''}code=$?; stty -g > ${file('after')}; exit $code\n`,
  );
  const tty = () => readFileSync(file('tty'), 'utf8').trim();
  const terminal = openTerminal(`sh ${script}`, { columns, cwd: site.directory, env: { ...site.env } });
  const screen = createTerminalScreen(columns);
  let shown = 0;
  const rows = () => {
    screen.write(terminal.written().slice(shown));
    shown = terminal.written().length;
    return screen.rows();
  };
  const sees = (text: string) =>
    eventually('it is there', () => rows().some((row) => row.includes(text)) || null).catch(() => {
      throw new Error(`${text} is not on the terminal:\n${rows().join('\n')}`);
    });
  return {
    terminal,
    rows,
    sees,
    type: terminal.type,
    resize(next: number) {
      rows();
      screen.resize(next);
      execFileSync('stty', ['-F', tty(), 'cols', String(next)]);
    },
    /** The modes of the terminal, as `stty -g` prints them. */
    modes: (when: 'before' | 'stopped' | 'now' | 'after') =>
      when === 'now'
        ? execFileSync('stty', ['-F', tty(), '-g'], { encoding: 'utf8' })
        : readFileSync(file(when), 'utf8'),
    /** Sends the foreground job what the kernel sends when a terminal is closed. */
    hangUp() {
      const job = execFileSync('ps', ['-o', 'tpgid=', '-t', tty().replace('/dev/', '')], { encoding: 'utf8' });
      process.kill(-Number(job.trim().split('\n')[0]), 'SIGHUP');
    },
    async leaves() {
      expect(await terminal.ended).toBe(0);
      expect(readFileSync(file('after'), 'utf8')).toBe(readFileSync(file('before'), 'utf8'));
      expect(terminal.written().lastIndexOf('\u001b[?2004l')).toBeGreaterThan(
        terminal.written().lastIndexOf('\u001b[?2004h'),
      );
    },
  };
}
