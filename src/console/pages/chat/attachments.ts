/** Files that go with a message. */
import { safeName } from '../../ui/download.ts';
import { S } from '../../words/strings.ts';

export interface FileToSend {
  readonly name: string;
  readonly content: Blob;
}

/** Of the API. */
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_TOGETHER = 20 * 1024 * 1024;
const MOST_FILES = 20;

/** The files with those that were added, and why some were not; names that are there already get a number. */
export function addFiles(
  before: readonly FileToSend[],
  added: readonly FileToSend[],
): { readonly files: readonly FileToSend[]; readonly refused: readonly string[] } {
  const files = [...before];
  const refused: string[] = [];
  let bytes = before.reduce((sum, { content }) => sum + content.size, 0);
  for (const { name, content } of added) {
    if (content.size > MOST_BYTES) refused.push(S.chat.tooLarge(name));
    else if (bytes + content.size > MOST_TOGETHER || files.length >= MOST_FILES) refused.push(S.chat.tooMany(name));
    else {
      bytes += content.size;
      files.push({ name: freeName(files, safeName(name)), content });
    }
  }
  return { files, refused };
}

function freeName(files: readonly FileToSend[], name: string): string {
  const taken = new Set(files.map((file) => file.name));
  const [, stem = name, end = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? [];
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${stem}-${number}${end}`;
  return free;
}

/** `3.2 KB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
