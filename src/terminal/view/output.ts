/** Everything that commands print goes through here: it is made safe, fits the terminal, and is plain when piped. */

import type { Environment } from '../../core/config/source/environment.ts';
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { harmless, harmlessJson, harmlessLines } from '../../core/text/harmless.ts';
import { calledAs } from './copied-command.ts';
import { displayWidth, truncate, wrap } from './display-width.ts';
import type { Part, Style } from './part.ts';
import { type ColumnOrTitle, layOutTable } from './table.ts';

/** The part of a stream that printing needs. */
export interface Sink {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Prints for people, or one JSON document for programs. */
export interface Output {
  /** True with `--json`: only `document` and `fail` print anything. */
  readonly json: boolean;
  /** How animus was called, for commands in a text (`calledAs`). */
  readonly called: string;
  /** Columns of the terminal; infinite when piped. */
  readonly width: number;
  /** One line, cut to the terminal's width. */
  line(...parts: readonly Part[]): void;
  /** Text of several lines, not cut: each line is indented by `indent` and wrapped at the width of the terminal. */
  block(text: string, indent?: string, style?: Style): void;
  /** True on a terminal without `--json`, where output can be streamed. */
  readonly live: boolean;
  /** Appends a piece of a streamed text; does nothing unless `live`. The next output starts on a new line. */
  piece(...parts: readonly Part[]): void;
  /** A line for people to copy: never cut or wrapped. */
  copyable(text: string): void;
  /** The same for a command of animus, after `label`, called as this one was (`calledAs`). */
  command(label: string, words: string): void;
  /** Aligned columns under their titles. */
  table(columns: readonly ColumnOrTitle[], rows: readonly (readonly Part[])[]): void;
  /** The result for programs, with snake_case keys; does nothing without `--json`. */
  document<T>(value: T & SnakeCase<T>): void;
  /** One of many results for programs, on a line of its own; does nothing without `--json`. */
  event<T>(value: T & SnakeCase<T>): void;
  /**
   * Shows what the command waits for, on a line that the next call replaces; null removes it. Only on the stderr of a
   * terminal, without `--json`. The next output replaces it, too.
   */
  progress(text: string | null): void;
  /** A note about the result, on stderr; not printed with `--json`. */
  note(text: string): void;
  /** A problem that does not stop the command, on stderr, for people and for programs. */
  problem(what: string, error: AnimusError): void;
  /** The error, on stderr; returns its exit code. */
  fail(error: unknown): number;
}

/**
 * What may be printed with `--json`: a value with snake_case keys at every depth. At another key it has a type that no value has, so that the call does
 * not compile. Values of type `unknown` are what others wrote (params, outcomes): their keys are theirs.
 */
type SnakeCase<T> = unknown extends T
  ? T
  : T extends string | number | boolean | bigint | null | undefined | Date
    ? T
    : T extends readonly (infer Each)[]
      ? readonly SnakeCase<Each>[]
      : { readonly [Key in keyof T]: Key extends string ? SnakeValue<Key, T[Key]> : T[Key] };

/** Names that people gave, such as those of faculties, are keys of any form. */
type SnakeValue<Key extends string, Value> = string extends Key
  ? SnakeCase<Value>
  : Key extends Lowercase<Key>
    ? SnakeCase<Value>
    : `${Key} is not snake_case`;

/** The streams of an output. */
export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Environment;
  readonly json: boolean;
}

/** Creates an output on these streams. Colours only on a terminal, never with NO_COLOR or TERM=dumb. */
export function createOutput({ stdout: stream, stderr, env, json }: OutputOptions): Output {
  let inPiece = false;
  const endPiece = () => {
    if (inPiece) stream.write('\n');
    inPiece = false;
  };
  const progress = progressLine(stderr);
  const stdout = {
    write(text: string) {
      progress(null);
      endPiece();
      stream.write(text);
    },
  };
  // A terminal that does not know its size reports 0. It may be resized.
  const width = () => (stream.isTTY ? Math.max(20, stream.columns || 80) : Number.POSITIVE_INFINITY);
  const colours = hasColours(stream, env);
  const live = stream.isTTY === true && !json;
  const printLine = (parts: readonly Part[]) => stdout.write(`${renderLine(parts, width(), colours)}\n`);

  return {
    json,
    called: calledAs(env),
    get width() {
      return width();
    },
    line(...parts) {
      if (!json) printLine(parts);
    },
    block(text, indent = '', style = 'plain') {
      if (json) return;
      for (const line of harmlessLines(text).flatMap((each) => wrap(indent + each, width()))) {
        stdout.write(`${renderPart({ text: line.trimEnd(), style }, colours)}\n`);
      }
    },
    live,
    piece(...parts) {
      if (!live) return;
      progress(null);
      for (const part of parts) stream.write(renderPart(part, colours));
      inPiece ||= parts.length > 0;
    },
    copyable(text) {
      if (!json) stdout.write(`${harmless(text)}\n`);
    },
    command(label, words) {
      this.copyable(`${label}${this.called} ${words}`);
    },
    table(columns, rows) {
      if (json) return;
      for (const line of layOutTable(columns, rows, width())) printLine(line);
    },
    document(value) {
      if (json) stdout.write(`${harmlessJson(value, 2)}\n`);
    },
    event(value) {
      if (json) stdout.write(`${harmlessJson(value)}\n`);
    },
    progress(text) {
      if (!json && !inPiece) progress(text);
    },
    note(text) {
      progress(null);
      endPiece();
      if (!json) stderr.write(`animus: ${harmless(text)}\n`);
    },
    problem(what, { code, message }) {
      progress(null);
      endPiece();
      if (json) stderr.write(`${harmlessJson({ problem: { code, message } })}\n`);
      else stderr.write(`animus: ${harmless(`${what}: ${message}`)}\n`);
    },
    fail(error) {
      progress(null);
      endPiece();
      const known = isAnimusError(error) ? error : new AnimusError('internal.bug', { detail: messageOf(error) });
      const { code, message } = known;
      if (json) stderr.write(`${harmlessJson({ error: { code, message } })}\n`);
      else stderr.write(`animus: ${harmlessLines(message).join('\n')}\n`);
      // A bug report needs the stack.
      if (!isAnimusError(error) && error instanceof Error && !json)
        stderr.write(`${harmlessLines(error.stack ?? '').join('\n')}\n`);
      return known.exitCode;
    },
  };
}

/** Colours only on a terminal, never with NO_COLOR or TERM=dumb. */
export function hasColours(stream: Pick<Sink, 'isTTY'>, env: Environment): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Overwrites its previous line; writes nothing unless stderr is a terminal. */
function progressLine(stderr: Sink): (text: string | null) => void {
  let shown = false;
  return (text) => {
    if (stderr.isTTY !== true || (text === null && !shown)) return;
    // One column stays free: after a full line the cursor may be on the next line.
    const line = text === null ? '' : truncate(harmless(text), Math.max(20, stderr.columns || 80) - 1);
    stderr.write(`\r\u001b[2K${line}`);
    shown = text !== null;
  };
}

/** A piece of styled text. */
export function styled(text: string, style: Style): Part {
  return { text, style };
}

function renderLine(parts: readonly Part[], width: number, colours: boolean): string {
  let left = width;
  let line = '';
  for (const part of parts) {
    const safe = truncate(harmless(typeof part === 'string' ? part : part.text), left);
    left -= displayWidth(safe);
    line += painted(safe, part, colours);
    if (left <= 0) break;
  }
  return colours ? line : line.trimEnd();
}

/** The part as it is written to a terminal, made safe; it may have several lines. */
export function renderPart(part: Part, colours: boolean): string {
  return painted(harmlessLines(typeof part === 'string' ? part : part.text).join('\n'), part, colours);
}

function painted(safe: string, part: Part, colours: boolean): string {
  const style = typeof part === 'string' ? 'plain' : part.style;
  return colours && style !== 'plain' && safe !== '' ? `${SGR[style]}${safe}\u001b[0m` : safe;
}

const SGR: Readonly<Record<Exclude<Style, 'plain'>, string>> = {
  bold: '\u001b[1m',
  dim: '\u001b[2m',
  red: '\u001b[31m',
  green: '\u001b[32m',
  yellow: '\u001b[33m',
  cyan: '\u001b[36m',
};
