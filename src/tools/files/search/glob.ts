/** glob: finds files by name. */
import { extname } from 'node:path';
import { z } from 'zod';
import { inThread } from '../../in-thread.ts';
import { type ToolOutput, worldTool } from '../../tool.ts';
import { filesBelow } from '../database-files.ts';
import { withMounts } from '../mounts.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal, type Refusal, refusedCall } from '../refusal.ts';
import { type GlobRequest, type GlobResult, MAX_WALKED } from './glob-files.ts';

const MAX_SHOWN = 1000;
/** To code. */
const MAX_GIVEN = 50_000;
const ADVICE = 'look in a narrower path, or use a simpler pattern';
// Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
const WORKER = new URL(`./glob-worker${extname(import.meta.filename)}`, import.meta.url);

const input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('Such as **/*.ts, src/{a,b}/**, or *.md for that name at any depth'),
  path: z.string().min(1).optional().describe('Directory to search, relative to the workspace (default: all of it)'),
});

export const globTool = worldTool<z.infer<typeof input>>({
  name: 'glob',
  description:
    'Finds files of the workspace whose path, relative to the searched directory, matches a pattern. Hidden files are ' +
    `included; .git and node_modules are not, and links are not followed. At most ${MAX_SHOWN} paths.`,
  words: {
    pattern: 'such as **/*.ts, src/{a,b}/**, or *.md for that name at any depth',
    path: 'directory; default: the workspace',
  },
  input,
  kinds: { path: 'tree' },
  risk: 'read',
  idempotent: true,
  async run({ pattern, path = '.' }, context) {
    const { workspace, fileRules, codeBytes, mounts = [] } = await withMounts(context, [path]);
    const maxShown = codeBytes === undefined ? MAX_SHOWN : MAX_GIVEN;
    const kept = (await filesBelow(path, context)).map(({ below }) => below).filter((below) => below !== '');
    const request: GlobRequest = { workspace, fileRules, mounts, pattern, path, maxShown, kept };
    const result = await inThread<GlobResult | Refusal>(WORKER, request, context, ADVICE);
    return isRefusal(result) ? refusedCall(result) : show(result, pattern, maxShown);
  },
});

function show({ found, skipped, walked }: GlobResult, pattern: string, most: number): ToolOutput {
  const notes = [
    found.length === 0 && `[no file matches ${pattern}]`,
    found.length > most && `[more than ${most} files match; these are the first]`,
    walked > MAX_WALKED && `[stopped after ${MAX_WALKED} files; look in a narrower path]`,
    skipped.length > 0 &&
      `[could not be read: ${skipped.slice(0, 10).map(printableName).join(', ')}${skipped.length > 10 ? ', …' : ''}]`,
  ].filter((note) => note !== false);
  return {
    content: [...found.slice(0, most), ...notes].join('\n'),
    details: { found: Math.min(found.length, most), walked },
    data: () => ({ paths: found.slice(0, most), more: found.length > most || walked > MAX_WALKED }),
  };
}
