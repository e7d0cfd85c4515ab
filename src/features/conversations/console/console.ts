/** The terminal of a session: output above, and below it the answer's last row, what is going on, and the line that is typed. */
import type { Environment } from '../../../core/config/source/environment.ts';
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import type { Interrupts } from '../../../core/lifecycle/interrupts.ts';
import { harmless, harmlessLines } from '../../../core/text/harmless.ts';
import { wrap } from '../../../terminal/view/display-width.ts';
import { createOutput, hasColours, type Output, renderPart, styled } from '../../../terminal/view/output.ts';
import type { Part, Style } from '../../../terminal/view/part.ts';
import { completeAtCursor, type FindCompletion } from './complete-at-cursor.ts';
import { choicesLine } from './complete-line.ts';
import { editedIn } from './edited-in.ts';
import { openKeyboard, type TerminalInput } from './keyboard.ts';
import { layOutBottom } from './lay-out-bottom.ts';
import { createLineBuffer, type Key } from './line-buffer.ts';
import { createLineHistory } from './line-history.ts';
import { createScreen, type TerminalSink } from './screen.ts';
import { createTextFlow } from './text-flow.ts';

export interface ConsoleHandlers {
  /** Enter; the line is as it was typed, and may have several rows. */
  onLine(line: string): void;
  /** Ctrl-C; `line` is what it has removed. */
  onInterrupt(line: string): void;
  /** Tab: what may complete the text before the cursor. */
  readonly onTab?: FindCompletion;
  /** Ctrl-D in an empty line, or the terminal is gone. */
  onEnd(): void;
}

export interface Console {
  /** Prints above the line that is typed. */
  readonly output: Output;
  /** Prints a remark of the session, dimmed and wrapped. */
  hint(text: string): void;
  /** Adds a piece of a text that arrives; anything else that is printed ends it. */
  piece(text: string, style?: 'plain' | 'dim'): void;
  /** Ends the text. */
  endPiece(): void;
  /** What is going on, in one row; null: nothing. */
  status(text: string | null): void;
  /** The calls that run, a row each. */
  running(rows: readonly string[]): void;
  /** What was said and is not answered yet, a row each. */
  queued(texts: readonly string[]): void;
  /** What stands in front of the line. */
  prompt(text: string, style?: 'plain' | 'yellow'): void;
  /** Puts a text there to be changed, in front of what is typed. */
  fill(text: string): void;
  /** Empties the line, and returns what was typed. */
  takeLine(): string;
  /** Prints what went wrong. */
  problem(error: unknown): void;
  /** Gives the terminal back as it was. */
  close(): void;
}

export interface ConsoleParts {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalSink;
  readonly env: Environment;
  readonly signals: Pick<Interrupts, 'passInterrupts'>;
  /** Ctrl-Z: resolves when the terminal is free again. */
  readonly stopJob: () => Promise<void>;
}

const MAX_QUEUED_ROWS = 5;

/** Takes the terminal. */
export function openConsole(
  { stdin, stdout, env, signals, stopJob }: ConsoleParts,
  handlers: ConsoleHandlers,
): Console {
  const buffer = createLineBuffer();
  const history = createLineHistory();
  const flow = createTextFlow();
  const colours = hasColours(stdout, env);
  let flowing: 'plain' | 'dim' | null = null;
  let status: string | null = null;
  let queued: readonly string[] = [];
  let running: readonly string[] = [];
  let prompt: { readonly text: string; readonly style: 'plain' | 'yellow' } = { text: '> ', style: 'plain' };
  let closed = false;

  const paint = (part: Part) => renderPart(part, colours);
  const layOut = (width: number, rows: number) => {
    const coming = flowing === null || flow.tail === '' ? null : { text: flow.tail.trimEnd(), style: flowing };
    return layOutBottom({ coming, running, status, queued, prompt, line: buffer, paint }, { width, rows });
  };
  const screen = createScreen(stdout, layOut, flow.breakRow);

  function endPiece(): void {
    if (flowing === null) return;
    const style = flowing;
    flowing = null;
    for (const row of flow.end()) screen.write(`${paint(styled(row, style))}\n`);
  }
  const above = {
    get isTTY() {
      return true;
    },
    get columns() {
      return screen.columns;
    },
    write(text: string) {
      endPiece();
      screen.write(text);
    },
  };
  const keyboard = openKeyboard(stdin, stdout, { onKey, onPaste, onEnd: handlers.onEnd });

  function onPaste(text: string): void {
    buffer.insert(text);
    screen.refresh();
  }

  function onKey(key: Key): void {
    const { name, ctrl = false, meta = false } = key;
    if (ctrl && name === 'c') return handlers.onInterrupt(takeLine());
    if (ctrl && name === 'd' && buffer.text === '') return handlers.onEnd();
    if (ctrl && name === 'd') buffer.press({ name: 'delete' });
    else if (ctrl && name === 'l') stdout.write('\u001b[2J\u001b[H');
    else if (ctrl && name === 'g') return void editElsewhere();
    else if (ctrl && name === 'z') return void lend(stopJob);
    else if (name === 'tab' && !meta) return completeAtCursor(buffer, handlers.onTab ?? (() => null), showChoices);
    else if (name === 'return' && !meta && !buffer.text.endsWith('\\')) return enter();
    else if (name === 'return' && !meta) {
      // A line that ends in a backslash goes on.
      buffer.press({ name: 'backspace' });
      buffer.insert('\n');
    } else if (name === 'return' || name === 'enter') buffer.insert('\n');
    else if (!buffer.press(key)) recall(name);
    screen.refresh();
  }

  function enter(): void {
    const line = buffer.text;
    history.add(line);
    buffer.set('');
    screen.refresh();
    handlers.onLine(line);
  }

  function takeLine(): string {
    const line = buffer.text;
    buffer.set('');
    screen.refresh();
    return line;
  }

  /** A line of ours, broken between words. */
  function writeWrapped(line: string, style: Style): void {
    for (const row of wrap(line, screen.columns ?? 80)) above.write(`${paint(styled(row, style))}\n`);
  }

  function showChoices(choices: readonly string[]): void {
    if (choices.length > 0 && !closed) writeWrapped(choicesLine(choices), 'dim');
    if (!closed) screen.refresh();
  }

  function recall(name: string | undefined): void {
    const line = name === 'up' ? history.before(buffer.text) : name === 'down' ? history.after() : null;
    if (line !== null) buffer.set(line);
  }

  /** Opens the line in an editor. */
  async function editElsewhere(): Promise<void> {
    const editor = env['VISUAL'] || env['EDITOR'];
    if (!editor) return screen.write('No editor is set: set VISUAL or EDITOR.\n');
    await lend(async () => {
      // Ctrl-C is the editor's.
      const takeInterrupts = signals.passInterrupts();
      try {
        buffer.set(await editedIn(editor, buffer.text, env));
      } catch (error) {
        screen.write(`${harmless(messageOf(error))}; the text is unchanged.\n`);
      } finally {
        takeInterrupts();
      }
    });
  }

  /** Gives the terminal to another program, and takes it back. What happens meanwhile is shown afterwards. */
  async function lend(use: () => Promise<void>): Promise<void> {
    screen.hold();
    keyboard.suspend();
    try {
      await use();
    } finally {
      if (!closed) {
        keyboard.resume();
        screen.release();
      }
    }
  }

  // Errors stand in the same place.
  const output = createOutput({ stdout: above, stderr: { write: above.write }, env, json: false });
  screen.refresh();
  return {
    output,
    hint: (text) => writeWrapped(harmless(text), 'dim'),
    piece(text, style = 'plain') {
      if (flowing !== style) endPiece();
      flowing = style;
      const rows = flow.feed(text, (screen.columns ?? 80) - 1);
      if (rows.length > 0) screen.write(`${rows.map((row) => paint(styled(row, style))).join('\n')}\n`);
      else screen.refresh();
    },
    endPiece,
    status(text) {
      if (text === status) return;
      status = text;
      screen.refresh();
    },
    running(next) {
      if (next.length === running.length && next.every((row, n) => row === running[n])) return;
      running = next;
      screen.refresh();
    },
    queued(texts) {
      queued = texts.map((text) => `  next: ${text}`).slice(0, MAX_QUEUED_ROWS);
      screen.refresh();
    },
    prompt(text, style = 'plain') {
      if (text === prompt.text && style === prompt.style) return;
      prompt = { text, style };
      screen.refresh();
    },
    fill(text) {
      const typed = buffer.text;
      buffer.set(typed === '' || text === '' ? text + typed : `${text}\n${typed}`);
      screen.refresh();
    },
    takeLine,
    problem(error) {
      if (!isAnimusError(error)) output.fail(error);
      else for (const line of harmlessLines(error.message)) writeWrapped(line, 'red');
    },
    close() {
      if (closed) return;
      closed = true;
      endPiece();
      screen.hold();
      keyboard.close();
    },
  };
}
