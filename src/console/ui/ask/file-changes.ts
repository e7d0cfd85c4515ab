/** The changes of files that a call asks for, as far as its input says them: what is in the file now is not known here. */
import { compareTexts } from '../compare-lines.ts';
import type { Hunk, PatchFile, PatchLine } from '../patch.ts';
import { textOf } from './request.ts';

/** Null: the call changes no file in a form that is known. */
export function fileChanges(tool: string, input: unknown): readonly PatchFile[] | null {
  const { path, content, patch, old_string, new_string, edits } = (input ?? {}) as Readonly<Record<string, unknown>>;
  const place = textOf(path);
  if (tool === 'apply_patch') return typeof patch === 'string' ? patchOf(patch) : null;
  if (place === null) return null;
  if (tool === 'write_file' && typeof content === 'string') return [compareTexts(place, null, content)];
  if (tool === 'remove_file') return [emptyFile(place, 'removed')];
  if (tool !== 'edit_file') return null;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [{ old_string, new_string }];
  const changes = all.map((each) => {
    const { old_string: before, new_string: after } = (each ?? {}) as Readonly<Record<string, unknown>>;
    return typeof before === 'string' && typeof after === 'string' ? compareTexts(place, before, after) : null;
  });
  if (changes.some((change) => change === null)) return null;
  const files = changes.filter((change) => change !== null);
  const sum = (count: (file: PatchFile) => number) => files.reduce((total, file) => total + count(file), 0);
  return [
    {
      ...emptyFile(place, 'changed'),
      added: sum(({ added }) => added),
      removed: sum(({ removed }) => removed),
      hunks: files.flatMap(({ hunks }) => hunks.map(withoutNumbers)),
    },
  ];
}

/** Where in the file it is, only the file says. */
function withoutNumbers({ place, lines }: Hunk): Hunk {
  return { place, lines: lines.map((line) => ({ ...line, before: null, after: null })) };
}

function emptyFile(path: string, is: PatchFile['is']): PatchFile {
  return { path, from: null, is, binary: false, added: 0, removed: 0, hunks: [] };
}

type Draft = { -readonly [Key in Exclude<keyof PatchFile, 'hunks'>]: PatchFile[Key] } & {
  hunks: { place: string; lines: PatchLine[] }[];
};

const FILE = /^\*\*\* (Add|Update|Delete) File: (.*)$/;
const KINDS = { Add: 'added', Update: 'changed', Delete: 'removed' } as const;
const MARKS: Readonly<Record<string, PatchLine['is']>> = { '+': 'added', '-': 'removed', ' ': 'same', '': 'same' };

/** The format of `apply_patch`. Null: it is not in that format, and shown as it stands. */
export function patchOf(patch: string): readonly PatchFile[] | null {
  const lines = patch.replace(/\r\n/g, '\n').trim().split('\n');
  if (lines[0]?.trim() !== '*** Begin Patch' || lines.at(-1)?.trim() !== '*** End Patch') return null;
  const files: Draft[] = [];
  for (const line of lines.slice(1, -1)) {
    const [, kind, path] = FILE.exec(line) ?? [];
    const file = files.at(-1);
    if (path !== undefined) files.push({ ...emptyFile(path, KINDS[kind as keyof typeof KINDS]), hunks: [] });
    else if (file === undefined) return null;
    else if (!readLine(line, file)) return null;
  }
  return files;
}

function readLine(line: string, file: Draft): boolean {
  const [, target] = /^\*\*\* Move to: (.*)$/.exec(line) ?? [];
  if (target !== undefined) {
    Object.assign(file, { from: file.path, path: target, is: 'renamed' });
    return true;
  }
  if (line === '*** End of File') return true;
  if (line.startsWith('@@')) {
    file.hunks.push({ place: line.slice(2).trim(), lines: [] });
    return true;
  }
  const is = MARKS[line.slice(0, 1)];
  if (is === undefined) return false;
  if (file.hunks.length === 0) file.hunks.push({ place: '', lines: [] });
  file.hunks.at(-1)?.lines.push({ is, before: null, after: null, text: line.slice(1) });
  if (is === 'added') file.added++;
  if (is === 'removed') file.removed++;
  return true;
}
