/** What a focus has seen of files in the turns on record. */

import type { Queryable } from '../../store/sql/database.ts';
import { readSeenContents, type SeenRow } from '../../store/transcript/seen-contents.ts';
import type { RecordedContent, SeenDetails, SeenFiles } from './seen-files.ts';

/** Reads it of one focus. */
export function recordedContents(db: Queryable, focusId: string): SeenFiles['recorded'] {
  return async (path) => (await readSeenContents(db, focusId, path)).map((row) => contentOf(row, path));
}

type FirstToLast = NonNullable<RecordedContent['read']>;

function contentOf({ turn, name, byCode, details, output, input }: SeenRow, path: string): RecordedContent {
  const { contents, edited, first, last, lines } = details as unknown as SeenDetails & Partial<FirstToLast>;
  const written = typeof input?.['content'] === 'string' ? input['content'] : null;
  return {
    hash: contents[path]!,
    turn,
    byCode,
    ...(edited?.[path] !== undefined && { before: edited[path] }),
    read: name === 'read_file' ? { first: first ?? 1, last: last ?? 0, lines: lines ?? 0 } : null,
    text: output ?? written,
  };
}
