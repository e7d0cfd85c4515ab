/** The texts of files in the database that grep searches, bounded: rendering every conversation of a workspace could take minutes. */
import type { ToolContext } from '../../tool.ts';
import { filesBelow } from '../database-files.ts';
import type { KeptText } from './grep-files.ts';

const MAX_FILES = 50;
const MAX_BYTES = 16 * 1024 * 1024;

/** Those at or below a path that were changed last. `leftOut`: how many others there are that the glob does not rule out by its ending. */
export async function readKeptTexts(
  path: string,
  glob: string | null,
  context: Pick<ToolContext, 'workspace' | 'databaseFiles' | 'signal'>,
): Promise<{ readonly texts: readonly KeptText[]; readonly leftOut: number }> {
  const ending = /\.\w+$/.exec(glob ?? '')?.[0] ?? '';
  const files = (await filesBelow(path, context)).filter(
    ({ below, kind, mediaType }) =>
      (below === '' || below.endsWith(ending)) && (kind === 'chat' || mediaType?.startsWith('text/')),
  );
  const texts: KeptText[] = [];
  let bytes = 0;
  for (const { below, path: shown } of files.slice(0, MAX_FILES)) {
    context.signal.throwIfAborted();
    const text = (await context.databaseFiles!.read(shown))?.text ?? null;
    if (text === null) continue;
    bytes += Buffer.byteLength(text);
    // The first counts whatever its size: it may be the only one that was asked for.
    if (bytes > MAX_BYTES && texts.length > 0) return { texts, leftOut: files.length - texts.length };
    texts.push({ below, shown, text });
  }
  return { texts, leftOut: Math.max(0, files.length - MAX_FILES) };
}
