/** Reads unified patches, as git writes them. */

export interface PatchFile {
  readonly path: string;
  /** Where it was before, if it was renamed or copied. */
  readonly from: string | null;
  readonly is: 'added' | 'removed' | 'renamed' | 'changed';
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly Hunk[];
}

export interface Hunk {
  /** What git says of the place, such as the function. */
  readonly place: string;
  readonly lines: readonly PatchLine[];
}

/** `note`: what git says, such as that the last line has no end. */
export interface PatchLine {
  readonly is: 'same' | 'added' | 'removed' | 'note';
  /** Its number before and after; null: it is not there. */
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

type Draft = { -readonly [Key in keyof PatchFile]: PatchFile[Key] } & { hunks: Hunk[] };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

export function readPatch(patch: string): readonly PatchFile[] {
  const lines = patch.split('\n');
  const files: Draft[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const hunk = HUNK.exec(line);
    const file = files.at(-1);
    if (hunk !== null && file !== undefined) at = readHunk(lines, at + 1, hunk, file);
    else {
      readHeader(line, files);
      at++;
    }
  }
  return files;
}

function readHeader(line: string, files: Draft[]): void {
  const file = files.at(-1);
  if (line.startsWith('diff --git ')) files.push(newFile(pathsOf(line.slice(11))));
  // A patch that git did not write begins its files here.
  else if (line.startsWith('--- ') && (file === undefined || file.hunks.length > 0)) files.push(newFile(sideOf(line)));
  else if (file === undefined) return;
  else if (line.startsWith('new file')) file.is = 'added';
  else if (line.startsWith('deleted file')) file.is = 'removed';
  else if (line.startsWith('rename from ') || line.startsWith('copy from ')) {
    file.is = 'renamed';
    file.from = unquoted(line.replace(/^\w+ from /, ''));
  } else if (line.startsWith('rename to ') || line.startsWith('copy to '))
    file.path = unquoted(line.replace(/^\w+ to /, ''));
  else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.binary = true;
  else if (line.startsWith('--- /dev/null')) file.is = 'added';
  else if (line.startsWith('+++ /dev/null')) file.is = 'removed';
  else if (line.startsWith('+++ ')) file.path = sideOf(line);
}

function newFile(path: string): Draft {
  return { path, from: null, is: 'changed', binary: false, added: 0, removed: 0, hunks: [] };
}

/** The counts of the header say which lines belong to it: a removed line `-- x` looks like the header of a file. */
function readHunk(lines: readonly string[], from: number, [, a, b, c, d, place]: RegExpExecArray, file: Draft): number {
  let [before, after] = [Number(a), Number(c)];
  let [oldLeft, newLeft] = [Number(b ?? 1), Number(d ?? 1)];
  const read: PatchLine[] = [];
  let at = from;
  for (; at < lines.length; at++) {
    const line = lines[at]!;
    const text = line.slice(1);
    if (line.startsWith('\\')) read.push({ is: 'note', before: null, after: null, text: text.trim() });
    else if (oldLeft <= 0 && newLeft <= 0) break;
    else if (line.startsWith('+')) {
      read.push({ is: 'added', before: null, after: after++, text });
      newLeft--;
      file.added++;
    } else if (line.startsWith('-')) {
      read.push({ is: 'removed', before: before++, after: null, text });
      oldLeft--;
      file.removed++;
    } else {
      read.push({ is: 'same', before: before++, after: after++, text });
      oldLeft--;
      newLeft--;
    }
  }
  file.hunks.push({ place: place ?? '', lines: read });
  return at;
}

/** `a/x b/x`: both are the same unless it was renamed, which other lines say. */
function pathsOf(both: string): string {
  if (both.startsWith('"')) return withoutSide(unquoted(both.slice(0, both.indexOf('" ') + 1) || both));
  return withoutSide(both.slice(0, (both.length - 1) / 2));
}

function sideOf(line: string): string {
  return withoutSide(unquoted(line.slice(4).split('\t', 1)[0]!));
}

function withoutSide(path: string): string {
  return path.replace(/^[ab]\//, '');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' };

/** Git writes unusual names in quotes, with the bytes of UTF-8 as octal numbers. */
function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const bytes: number[] = [];
  for (const [part, octal, escaped] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(...new TextEncoder().encode(escaped === undefined ? part : (ESCAPES[escaped] ?? escaped)));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
