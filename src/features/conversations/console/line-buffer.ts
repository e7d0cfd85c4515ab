/** The text that a person types, with its cursor: what each key does to it. It may have several lines. */
import { graphemes } from '../../../terminal/view/display-width.ts';

/** A key as `node:readline` reports it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

export interface LineBuffer {
  readonly text: string;
  /** An offset in the text, between two characters as people see them. */
  readonly cursor: number;
  /** Replaces the text; the cursor is at its end. */
  set(text: string): void;
  /** Inserts a text at the cursor; characters that control terminals are left out. */
  insert(text: string): void;
  /** Does what the key stands for; false for a key that does nothing here. */
  press(key: Key): boolean;
}

/** What one message may have is less. */
const MAX_CHARS = 200_000;

export function createLineBuffer(): LineBuffer {
  let text = '';
  let cursor = 0;
  /** What was cut last, for Ctrl-Y. */
  let cut = '';

  const lineStart = () => text.lastIndexOf('\n', cursor - 1) + 1;
  const lineEnd = () => {
    const at = text.indexOf('\n', cursor);
    return at < 0 ? text.length : at;
  };
  const remove = (from: number, to: number) => {
    text = text.slice(0, from) + text.slice(to);
    cursor = from;
  };
  const cutOut = (from: number, to: number) => {
    if (from < to) cut = text.slice(from, to);
    remove(from, to);
  };
  const before = () => {
    const start = lineStart();
    if (cursor === start) return Math.max(0, cursor - 1);
    const [last] = [...graphemes(text.slice(start, cursor))].slice(-1);
    return start + last!.index;
  };
  const after = () => {
    const [first] = graphemes(text.slice(cursor, lineEnd()));
    return Math.min(text.length, cursor + (first?.segment.length ?? 1));
  };
  const wordBefore = () => cursor - /(?:[^\s]+\s*|\s+)$/.exec(text.slice(0, cursor))![0].length;
  const wordAfter = () => cursor + /^\s*[^\s]*/.exec(text.slice(cursor))![0].length;
  /** The same place of the line above or below. */
  const vertical = (down: boolean) => {
    const column = cursor - lineStart();
    if (down) {
      const next = lineEnd() + 1;
      const end = text.indexOf('\n', next);
      cursor = Math.min(next + column, end < 0 ? text.length : end);
    } else {
      const end = lineStart() - 1;
      cursor = Math.min(text.lastIndexOf('\n', end - 1) + 1 + column, end);
    }
    // Not within a character.
    const start = lineStart();
    for (const { segment, index } of graphemes(text.slice(start, lineEnd()))) {
      if (start + index < cursor && start + index + segment.length > cursor) cursor = start + index;
    }
  };

  function insert(more: string): void {
    const safe = printable(more)
      .slice(0, MAX_CHARS - text.length)
      .toWellFormed();
    text = text.slice(0, cursor) + safe + text.slice(cursor);
    cursor += safe.length;
  }

  const ACTIONS: Readonly<Record<string, () => void>> = {
    left: () => (cursor = cursor > 0 ? before() : 0),
    right: () => (cursor = after()),
    home: () => (cursor = lineStart()),
    end: () => (cursor = lineEnd()),
    backspace: () => {
      if (cursor > 0) remove(before(), cursor);
    },
    delete: () => {
      const from = cursor;
      remove(from, after());
    },
    'ctrl-a': () => (cursor = lineStart()),
    'ctrl-e': () => (cursor = lineEnd()),
    'ctrl-b': () => (cursor = cursor > 0 ? before() : 0),
    'ctrl-f': () => (cursor = after()),
    'ctrl-h': () => ACTIONS['backspace']!(),
    'ctrl-k': () => cutOut(cursor, lineEnd()),
    'ctrl-u': () => cutOut(lineStart(), cursor),
    'ctrl-w': () => {
      if (cursor > 0) cutOut(wordBefore(), cursor);
    },
    'ctrl-y': () => insert(cut),
    'meta-b': () => (cursor = cursor > 0 ? wordBefore() : 0),
    'meta-f': () => (cursor = wordAfter()),
    'meta-d': () => cutOut(cursor, wordAfter()),
    'ctrl-left': () => (cursor = cursor > 0 ? wordBefore() : 0),
    'ctrl-right': () => (cursor = wordAfter()),
    'meta-backspace': () => ACTIONS['ctrl-w']!(),
  };

  return {
    get text() {
      return text;
    },
    get cursor() {
      return cursor;
    },
    set(next) {
      [text, cursor] = ['', 0];
      insert(next);
    },
    insert,
    press({ name = '', sequence = '', ctrl = false, meta = false }) {
      // Up and down within a text of several lines; at its edges they belong to the history.
      if (name === 'up' && text.lastIndexOf('\n', cursor - 1) >= 0 && cursor > 0) return (vertical(false), true);
      if (name === 'down' && text.includes('\n', cursor)) return (vertical(true), true);
      const action = ACTIONS[`${ctrl ? 'ctrl-' : ''}${meta ? 'meta-' : ''}${name}`];
      if (action) return (action(), true);
      if (ctrl || meta || printable(sequence) === '' || sequence.startsWith('\u001b')) return false;
      insert(sequence);
      return true;
    },
  };
}

/** Line ends as `\n`, tabs as spaces, and no other control characters. */
function printable(text: string): string {
  return (
    text
      .replace(/\r\n?/g, '\n')
      .replaceAll('\t', '  ')
      // oxlint-disable-next-line no-control-regex
      .replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, '')
  );
}
