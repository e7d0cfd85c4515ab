/**
 * Reads the patch format that models are trained on, "V4A": sections of files between `*** Begin Patch` and
 * `*** End Patch`, with hunks that are found by their context instead of by line numbers.
 */

/** What a patch does to one file. `line` is the section's line in the patch, counted from 1. */
export type PatchSection =
  | { readonly kind: 'add'; readonly path: string; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string; readonly line: number }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly line: number;
      /** The new path; null if it stays. */
      readonly moveTo: string | null;
      readonly hunks: readonly Hunk[];
    };

/** A hunk: a part of a file and its change. */
export interface Hunk {
  /** In the patch, counted from 1. */
  readonly line: number;
  /** Lines of the file that come before it, in order: the text of its `@@` lines. */
  readonly anchors: readonly string[];
  readonly lines: readonly HunkLine[];
  /** True: the hunk must end at the end of the file. */
  readonly atEnd: boolean;
}

export interface HunkLine {
  readonly kind: 'context' | 'remove' | 'add';
  readonly text: string;
}

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
const HEADER = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
/** The line numbers that `diff -u` writes after `@@`; they are ignored. */
const LINE_NUMBERS = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

/** Parses a patch, or reports which line is wrong and what was expected. */
export function parsePatch(
  patch: string,
): { readonly sections: readonly PatchSection[] } | { readonly problem: string } {
  const lines = patch.replaceAll('\r\n', '\n').trim().split('\n');
  if (lines[0]?.trimEnd() !== BEGIN) return problem(1, `expected "${BEGIN}"`, lines[0]);
  if (lines.length < 2 || lines.at(-1)?.trimEnd() !== END)
    return problem(lines.length, `expected "${END}"`, lines.at(-1));
  const sections: PatchSection[] = [];
  const body = lines.slice(1, -1);
  for (let at = 0; at < body.length; ) {
    const header = HEADER.exec(body[at]!.trimEnd());
    if (!header)
      return problem(
        at + 2,
        'expected "*** Add File: PATH", "*** Update File: PATH" or "*** Delete File: PATH"',
        body[at],
      );
    const end = nextHeader(body, at + 1);
    const section = parseSection(header[1]!, header[2]!.trim(), body.slice(at + 1, end), at + 2);
    if ('problem' in section) return section;
    sections.push(section);
    at = end;
  }
  return sections.length === 0 ? { problem: 'the patch names no file' } : { sections };
}

function nextHeader(body: readonly string[], from: number): number {
  let at = from;
  while (at < body.length && !HEADER.test(body[at]!)) at++;
  return at;
}

/** `line` is the line of the section's header. */
function parseSection(
  kind: string,
  path: string,
  body: readonly string[],
  line: number,
): PatchSection | { problem: string } {
  const written = body.findLastIndex((text) => text !== '') + 1;
  if (kind === 'Delete') {
    if (written > 0) return problem(line + 1, `nothing may follow "*** Delete File: ${path}"`, body[0]);
    return { kind: 'delete', path, line };
  }
  if (kind === 'Add') {
    const bad = body.slice(0, written).findIndex((text) => !text.startsWith('+'));
    if (bad >= 0) return problem(line + 1 + bad, `each line of "*** Add File: ${path}" begins with +`, body[bad]);
    return { kind: 'add', path, line, lines: body.slice(0, written).map((text) => text.slice(1)) };
  }
  const move = MOVE.exec(body[0] ?? '');
  const moveTo = move ? move[1]!.trim() : null;
  const skipped = move ? 1 : 0;
  const hunks = parseHunks(body.slice(skipped), line + 1 + skipped);
  if ('problem' in hunks) return hunks;
  if (hunks.length === 0 && moveTo === null) return problem(line, `"*** Update File: ${path}" has no hunk`, undefined);
  return { kind: 'update', path, line, moveTo, hunks };
}

function parseHunks(body: readonly string[], firstLine: number): Hunk[] | { problem: string } {
  const hunks: Hunk[] = [];
  let open: { line: number; anchors: string[]; lines: HunkLine[]; atEnd: boolean } | null = null;
  const close = () => {
    if (open && open.lines.length > 0) hunks.push(withoutBlankEnd(open));
    open = null;
  };
  for (const [index, text] of body.entries()) {
    const line = firstLine + index;
    if (text.startsWith('@@')) {
      if (open === null || open.lines.length > 0) close();
      open ??= { line, anchors: [], lines: [], atEnd: false };
      const anchor = LINE_NUMBERS.test(text) ? '' : text.slice(2).trim();
      if (anchor !== '') open.anchors.push(anchor);
    } else if (text.trimEnd() === END_OF_FILE) {
      if (open === null) return problem(line, `"${END_OF_FILE}" belongs to the end of a hunk`, text);
      open.atEnd = true;
      close();
    } else {
      open ??= { line, anchors: [], lines: [], atEnd: false };
      const kind = text === '' ? 'context' : KINDS[text[0]!];
      if (kind === undefined) {
        return problem(line, 'a line of a hunk begins with a space (unchanged), - (removed) or + (added)', text);
      }
      open.lines.push({ kind, text: text.slice(1) });
    }
  }
  close();
  const idle = hunks.find(({ lines }) => lines.every(({ kind }) => kind === 'context'));
  return idle ? problem(idle.line, 'this hunk changes nothing: it has neither - nor + lines', undefined) : hunks;
}

const KINDS: Readonly<Record<string, HunkLine['kind']>> = { ' ': 'context', '-': 'remove', '+': 'add' };

/** Removes empty lines after a hunk: without a leading space they are only the layout of the patch. */
function withoutBlankEnd(hunk: Hunk): Hunk {
  const end = hunk.lines.findLastIndex(({ kind, text }) => kind !== 'context' || text !== '') + 1;
  return { ...hunk, lines: hunk.lines.slice(0, end) };
}

function problem(line: number, expected: string, got: string | undefined): { problem: string } {
  const shown = got === undefined ? '' : `, got ${JSON.stringify(got.length > 80 ? `${got.slice(0, 80)}…` : got)}`;
  return { problem: `line ${line} of the patch: ${expected}${shown}` };
}
