/** The texts of files in the database that grep searches, bounded: rendering every conversation of a workspace could take minutes. */
import { tmpdir } from 'node:os';
import { computingMs } from '../../in-thread.ts';
import type { ToolContext } from '../../tool.ts';
import { filesBelow } from '../database-files.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { GrepAnswer } from './answer.ts';
import type { GrepAsked } from './asked.ts';
import { type FoundLine, findLines } from './find-lines.ts';
import type { GlobMatcher } from './glob-pattern.ts';
import { patternOptions } from './what.ts';

const MAX_FILES = 50;
const MAX_BYTES = 16 * 1024 * 1024;
/** Matching lines in all of them. */
const MAX_LINES = 100_000;

/** The text of a file in the database: `below` is its path relative to the start of the search, `shown` relative to the workspace. */
export interface KeptText {
  readonly below: string;
  readonly shown: string;
  readonly text: string;
}

/** Those at or below a path that were changed last. `leftOut`: how many others the glob selects. ripgrep's types know none of them. */
export async function readKeptTexts(
  { path, type }: Pick<GrepAsked, 'path' | 'type'>,
  matches: GlobMatcher,
  context: Pick<ToolContext, 'workspace' | 'databaseFiles' | 'signal'>,
): Promise<{ readonly texts: readonly KeptText[]; readonly leftOut: number }> {
  if (type !== undefined) return { texts: [], leftOut: 0 };
  const files = (await filesBelow(path, context)).filter(
    ({ below, kind, mediaType }) =>
      (below === '' || matches(below)) && (kind === 'chat' || mediaType?.startsWith('text/')),
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

/** Searches them as one text, whose lines are then told apart. */
export async function searchKeptTexts(
  texts: readonly KeptText[],
  asked: GrepAsked,
  context: ToolContext,
): Promise<Pick<GrepAnswer, 'lines' | 'counts'> | Refusal> {
  if (texts.length === 0) return { lines: [], counts: [] };
  const { stdin, fileOf } = joined(texts, Math.max(asked.before, asked.after));
  const found = await findLines(
    {
      ...asked,
      place: NOWHERE,
      stdin,
      options: patternOptions(asked),
      matches: () => true,
      most: MAX_LINES,
      limitMs: computingMs(context),
    },
    context,
  );
  if (isRefusal(found)) return found;
  const lines = found.lines.flatMap((each) => fileOf(each) ?? []);
  const counts = Map.groupBy(
    lines.filter(({ isContext }) => !isContext),
    ({ path }) => path,
  );
  return asked.output === 'lines'
    ? { lines, counts: [] }
    : { lines: [], counts: [...counts].map(([path, { length }]) => ({ path, real: null, lines: length })) };
}

/** ripgrep reads its standard input there, and no file. */
const NOWHERE = {
  directory: tmpdir(),
  file: null,
  shownBefore: '',
  fileRules: [],
  hidden: [],
  isolation: 'none',
} as const;

/** One text of all, with empty lines between them: so many lines of context belong to neither neighbour. */
function joined(texts: readonly KeptText[], gap: number) {
  const places: { readonly path: string; readonly first: number; readonly last: number }[] = [];
  const parts: string[] = [];
  let next = 1;
  for (const { shown, text } of texts) {
    const lines = text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
    places.push({ path: printableName(shown), first: next, last: next + lines - 1 });
    parts.push(text, text.endsWith('\n') || text === '' ? '' : '\n', '\n'.repeat(gap));
    next += lines + gap;
  }
  return {
    stdin: parts.join(''),
    fileOf({ below: _, ...found }: FoundLine) {
      const at = places.find(({ first, last }) => first <= found.line && found.line <= last);
      if (at === undefined) return null;
      const own = found.text.split('\n').slice(0, at.last - found.line + 1);
      return { ...found, path: at.path, real: null, line: found.line - at.first + 1, text: own.join('\n') };
    },
  };
}
