/** Whether a whole file may be replaced: what another writer has put into it since this focus saw it would be lost. */
import type { ToolContext } from '../tool.ts';
import { changedLines } from './changed-lines.ts';
import type { Bounds } from './mounts.ts';
import { isRefusal, type Refusal, refuse } from './refusal.ts';
import { isWhole, type KnownContent, lastKnown, type RecordedContent } from './seen-files.ts';
import { existing } from './temporary-file.ts';
import { type FileContent, readContent } from './text-file.ts';
import { type InsidePath, readOnlyReason } from './workspace.ts';

const INSTEAD = 'or replace it all the same with overwrite=true';

/** The file that a call may replace by a content with this hash, as it is now; null: there is none. A refusal, unless the call knows what it replaces. */
export async function mayReplace(
  bounds: Bounds,
  path: InsidePath,
  hash: string,
  context: ToolContext,
): Promise<FileContent | null | Refusal> {
  // Where this look fails, the change is refused, with the reason.
  const stats = await existing(path.real).catch(() => null);
  if (stats === null) return null;
  const readOnly = readOnlyReason(bounds, path.real);
  if (readOnly) return refuse(`${path.shown}: ${readOnly.why}`, readOnly.boundary);
  const file = await readContent(bounds, path);
  if (isRefusal(file)) return file;
  if (file.content === null) return refuse(`${path.shown}: exists, and is too large to be read; ${INSTEAD}`);
  // A call that was interrupted after it wrote is run again.
  if (file.content.length === 0 || file.hash === hash) return file;
  const seen = context.seenFiles.of(path.shown);
  if (knows(lastKnown(seen, context), file)) return file;
  const recorded = await context.seenFiles.recorded(path.shown);
  const known = lastKnown([...recorded, ...seen], context);
  if (knows(known, file)) return file;
  return refuse(`${path.shown}: ${whyUnknown(known, file, recorded)}`);
}

function knows(known: KnownContent | null, { hash }: FileContent): boolean {
  return known !== null && known.hash === hash && isWhole(known);
}

function whyUnknown(known: KnownContent | null, file: FileContent, recorded: readonly RecordedContent[]): string {
  const now = `It has ${file.stats.size} bytes, written ${file.stats.mtime.toISOString()}`;
  if (known === null) return `exists, and you have not read it. ${now}. Read it first, ${INSTEAD}`;
  const { hash, turn, read, upTo } = known;
  if (hash === file.hash)
    return `you have read only lines 1 to ${upTo} of ${read?.lines}. Read the rest, use edit_file, ${INSTEAD}`;
  const changed = changedLines(file.content?.toString('utf8') ?? '', hash, recorded);
  const what = changed === null ? `. ${now}. ` : `: ${changed}`;
  return `has changed since you ${read === null ? 'wrote' : 'read'} it in turn ${turn}${what}Read it again, ${INSTEAD}`;
}
