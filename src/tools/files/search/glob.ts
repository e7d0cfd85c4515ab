/** glob: finds files by name. */
import { z } from 'zod';
import { computingMs } from '../../in-thread.ts';
import { type ToolContext, type ToolOutput, worldTool } from '../../tool.ts';
import { filesBelow } from '../database-files.ts';
import { withMounts } from '../mounts.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal, refuse, refusedCall } from '../refusal.ts';
import { type FoundFiles, findFiles } from './find-files.ts';
import { compileGlob } from './glob-pattern.ts';
import { type LeftOut, leftOutNote, lookAtLeftOut, searchTime } from './left-out.ts';
import { namesInside } from './names-inside.ts';
import { directoriesNotNamed, someOf } from './not-reached.ts';
import { searchPlace } from './place.ts';
import { ignoreOptions } from './what.ts';

const MAX_SHOWN = 1000;
/** To code. */
const MAX_GIVEN = 50_000;
/** More names than that are not collected. */
const MAX_FOUND = 200_000;

const input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('Such as **/*.ts, src/{a,b}/**, or *.md for that name at any depth'),
  path: z.string().min(1).optional().describe('Directory to search, relative to the workspace (default: all of it)'),
  sort: z.enum(['name', 'time']).optional().describe('name (default), or time: changed last comes first'),
  ignored: z.boolean().optional().describe('Find node_modules and what ignore files name, too (default false)'),
});
type Input = z.infer<typeof input>;

export const globTool = worldTool<Input>({
  name: 'glob',
  description:
    'Finds files of the workspace whose path, relative to the searched directory, matches a pattern. Hidden files are ' +
    `included; .git, node_modules and ignored files are not, and links are not followed. At most ${MAX_SHOWN} paths.`,
  words: {
    pattern: 'such as **/*.ts, src/{a,b}/**, or *.md for that name at any depth',
    path: 'directory; default: the workspace',
  },
  input,
  kinds: { path: 'tree' },
  risk: 'read',
  idempotent: true,
  async run(call, context) {
    const answer = await find(call, context);
    return isRefusal(answer) ? refusedCall(answer) : show(answer, call, context);
  },
});

interface GlobAnswer {
  /** As the model sees them. */
  readonly paths: readonly string[];
  readonly ended: FoundFiles['ended'];
  readonly unreadCount: number;
  readonly leftOut: LeftOut | null;
  /** After a time-out: directories at the top of which no file was seen. */
  readonly notReached: readonly string[];
}

async function find(
  { pattern, path = '.', sort = 'name', ignored = false }: Input,
  context: ToolContext,
): Promise<GlobAnswer | Refusal> {
  const matches = compileGlob(pattern);
  if (isRefusal(matches)) return matches;
  const place = await searchPlace(path, context);
  if (isRefusal(place)) return place;
  const kept = (await filesBelow(path, context)).filter(({ below }) => below !== '');
  if (place === null && kept.length === 0) return refuse(`${path}: no such directory`);
  if (place?.file) return refuse(`${path}: is not a directory`);
  const inKept = kept.filter(({ below }) => matches(below)).map((file) => printableName(file.path));
  if (place === null)
    return { paths: inKept.toSorted(), ended: 'finished', unreadCount: 0, leftOut: null, notReached: [] };
  // A file in the database stands before a real one of its path.
  const taken = new Set(kept.map(({ below }) => below));
  const time = searchTime(computingMs(context));
  const search = { place, list: 'all', matches: (below: string) => matches(below) && !taken.has(below) } as const;
  const order = sort === 'time' ? ['--sortr=modified'] : [];
  const options = [...ignoreOptions(ignored), ...order];
  const found = await findFiles({ ...search, options, most: MAX_FOUND, limitMs: time.searchMs }, context);
  if (isRefusal(found)) return found;
  const leftOut = await lookAtLeftOut(found, { ...search, options: [], limitMs: time.leftOutMs() }, context);
  const bounds = await withMounts(context, [path]);
  const below = await namesInside(
    place.directory,
    found.found.map((file) => file.below),
    bounds,
  );
  const paths = [...inKept, ...below.map((each) => printableName(place.shownBefore + each))];
  const { ended, unreadCount } = found;
  const notReached = ended === 'timeout' ? await directoriesNotNamed(place, found.tops, found, bounds) : [];
  return { paths: sort === 'time' ? paths : paths.toSorted(), ended, unreadCount, leftOut, notReached };
}

function show(
  { paths, ended, unreadCount, leftOut, notReached }: GlobAnswer,
  { pattern, path = '.' }: Input,
  { codeBytes }: ToolContext,
): ToolOutput {
  const most = codeBytes === undefined ? MAX_SHOWN : MAX_GIVEN;
  const isPart = ended !== 'finished';
  const notes = [
    paths.length === 0 && !isPart && `[no file matches ${pattern}]`,
    paths.length > most && `[${isPart ? 'more than ' : ''}${paths.length} files match; these are the first ${most}]`,
    isPart &&
      `[stopped before all files were seen${notReached.length === 0 ? '' : `; of these directories, none was: ${someOf(notReached)}`}; search narrower paths than ${path}]`,
    unreadCount > 0 && `[could not be read: ${unreadCount} directories]`,
    leftOut !== null && leftOutNote(leftOut),
  ].filter((note) => note !== false);
  const shown = paths.slice(0, most);
  return {
    content: [...shown, ...notes].join('\n'),
    details: { found: shown.length },
    data: () => ({ paths: shown, more: paths.length > most || isPart }),
  };
}
