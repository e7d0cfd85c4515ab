/** The lines that were typed in this session, for the keys up and down. */

export interface LineHistory {
  add(line: string): void;
  /** The line before the one that is shown; `current` is what stands there and is kept. Null: there is none. */
  before(current: string): string | null;
  after(): string | null;
}

/** More than a person goes back. */
const MAX_LINES = 500;

export function createLineHistory(): LineHistory {
  const lines: string[] = [];
  let at = 0;
  let begun = '';
  return {
    add(line) {
      if (line.trim() !== '' && lines.at(-1) !== line) lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
      at = lines.length;
    },
    before(current) {
      if (at === 0) return null;
      if (at === lines.length) begun = current;
      return lines[--at] ?? null;
    },
    after() {
      if (at >= lines.length) return null;
      at += 1;
      return lines[at] ?? begun;
    },
  };
}
