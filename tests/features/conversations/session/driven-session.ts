/** `animus chat` in this process, on a terminal that a test types on and looks at. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { runCli } from '../../../../src/cli/program.ts';
import { systemClock } from '../../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../../src/core/lifecycle/interrupts.ts';
import { tellWatchers } from '../../../../src/store/events/live/live-pieces.ts';
import type { FocusedWork } from '../../../support/begun-focus.ts';
import { type TestDatabase, temporaryHome } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { createTerminalScreen } from '../../../support/terminal-screen.ts';

export interface ChatSession {
  type(keys: string): void;
  /** Everything that was written, with escape sequences. */
  written(): string;
  rows(): string[];
  /** Waits until a row contains the text, and returns the rows. */
  sees(text: string | RegExp): Promise<string[]>;
  resize(columns: number): void;
  /** Whether single keys are read. */
  readonly raw: boolean;
  signal(signal: 'SIGINT' | 'SIGTERM'): void;
  readonly ended: Promise<number>;
}

export const CTRL_C = '\u0003';
export const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** Sessions on this database. Call it where hooks may be registered. */
export function chatSite(db: Pick<TestDatabase, 'connectionString' | 'database'>) {
  const directory = temporaryHome();

  function chat(
    argv: readonly string[],
    options: { columns?: number; url?: string; env?: Record<string, string> } = {},
  ): ChatSession {
    const { columns = 70, url = db.connectionString } = options;
    const screen = createTerminalScreen(columns);
    let written = '';
    let raw = false;
    const stdin = Object.assign(new PassThrough(), {
      isTTY: true,
      setRawMode(on: boolean) {
        raw = on;
      },
    });
    const stdout = Object.assign(new EventEmitter(), {
      isTTY: true,
      columns,
      rows: 24,
      write(text: string) {
        written += text;
        screen.write(text);
      },
    });
    const interrupts = createInterrupts(systemClock);
    const env = {
      HOME: directory,
      DATABASE_URL: url,
      ANIMUS_HOME: join(directory, 'home'),
      TERM: 'xterm',
      ...options.env,
    };
    const ended = runCli(['chat', ...argv], {
      env,
      cwd: directory,
      stdin,
      stdout,
      stderr: stdout,
      signals: interrupts,
    });
    onTestFinished(async () => {
      interrupts.receive('SIGTERM');
      await ended;
      expect(raw, 'the terminal is as it was').toBe(false);
      expect(screen.unknown, 'escape sequences').toEqual([]);
    });
    return {
      ended,
      get raw() {
        return raw;
      },
      type: (keys) => void stdin.write(keys),
      written: () => written,
      rows: screen.rows,
      signal: (signal) => void interrupts.receive(signal),
      sees: (text) =>
        eventually(
          `${text} in\n${screen.rows().join('\n')}`,
          () => {
            const rows = screen.rows();
            return rows.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row))) ? rows : null;
          },
          15,
        ).catch((error: unknown) => {
          throw new Error(`${String(text)} is not on the terminal:\n${screen.rows().join('\n')}`, { cause: error });
        }),
      resize(next) {
        screen.resize(next);
        stdout.columns = next;
        stdout.emit('resize');
      },
    };
  }
  const newFaculty = () => `f${randomUUID().slice(-6)}`;

  /** A session with a faculty of its own, in which something was said. */
  async function begun(text = 'Hello?'): Promise<{ session: ChatSession; id: string; faculty: string }> {
    const faculty = newFaculty();
    const session = chat([faculty]);
    await session.sees(`${faculty} answers.`);
    session.type(`${text}\r`);
    return { session, faculty, id: await conversationOf(faculty) };
  }

  /** The conversation with a faculty, once something was said in it. */
  const conversationOf = (faculty: string) =>
    eventually('the message', async () => {
      const [row] = await db.database.query<{ id: string }>(
        `select c.file_id as id from animus.conversations c join animus.chat_messages m using (file_id) where c.faculty = $1 limit 1`,
        [faculty],
      );
      return row?.id ?? null;
    });

  /** Tells a piece of an answer, as soon as somebody watches. */
  const piece = (work: FocusedWork, from: number, text: string) =>
    eventually('it is watched', async () =>
      (await tellWatchers(db.database, work.key, { focus: 1, turn: 1, from, text })) ? true : null,
    );

  const messages = (id: string) =>
    db.database.query<{ role: string; content: string }>('select role, content from animus.conversation_messages($1)', [
      id,
    ]);

  return { chat, directory, newFaculty, begun, conversationOf, piece, messages };
}

/** The last row. */
export const bottom = (session: ChatSession) => session.rows().at(-1);
