/** Reads which files a patch changes, as `git diff --binary` writes it. */

/** What of a file is changed; null counts: it is not text. */
export interface ChangedFile {
  /** Relative to the root of the repository; of a renamed file the new name. */
  readonly path: string;
  readonly added: number | null;
  readonly removed: number | null;
}

/** The files of a patch in their order. Lines of the files themselves are counted by the hunks, so none of them is taken for a header. */
export function patchFiles(patch: Buffer): ChangedFile[] {
  const files: { path: string; added: number | null; removed: number | null }[] = [];
  let [old, now] = [0, 0];
  // As latin1: a patch may hold files in any encoding, and paths are decoded by themselves.
  for (const line of patch.toString('latin1').split('\n')) {
    const file = files.at(-1);
    if (old > 0 || now > 0) {
      if (line.startsWith('\\') || file === undefined) continue;
      if (!line.startsWith('+')) old -= 1;
      if (!line.startsWith('-')) now -= 1;
      if (line.startsWith('+')) file.added = (file.added ?? 0) + 1;
      if (line.startsWith('-')) file.removed = (file.removed ?? 0) + 1;
    } else if (line.startsWith('diff --git ')) files.push({ path: headerPath(line), added: 0, removed: 0 });
    else if (file !== undefined) {
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) [old, now] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
      else if (/^GIT binary patch$|^Binary files /.test(line)) [file.added, file.removed] = [null, null];
      else file.path = namedPath(line) ?? file.path;
    }
  }
  return files;
}

/** Without a rename both names are the same, so each is half of the line. */
function headerPath(line: string): string {
  const names = line.slice('diff --git '.length);
  const first = names.slice(0, (names.length - 1) / 2);
  return unquoted(first).replace(/^a\//, '');
}

/** The path in one of the lines that name it; null: another line, or the side on which there is no file. */
function namedPath(line: string): string | null {
  const [, header, name = ''] = /^(rename to |copy to |--- |\+\+\+ )(.*)$/s.exec(line) ?? [];
  if (header === undefined || name === '/dev/null') return null;
  // A name with spaces ends with a tab.
  const path = unquoted(name.replace(/\t$/, ''));
  return header === '--- ' || header === '+++ ' ? path.slice(2) : path;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** A name with unusual bytes is in quotes, as in C. */
function unquoted(name: string): string {
  if (!name.startsWith('"')) return Buffer.from(name, 'latin1').toString('utf8');
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\])/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else bytes.push(escaped === undefined ? (plain ?? '').charCodeAt(0) : (ESCAPES[escaped] ?? escaped.charCodeAt(0)));
  }
  return Buffer.from(bytes).toString('utf8');
}
