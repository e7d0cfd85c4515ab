/** glob: finds files by name. */
import { z } from 'zod';
import { toolError, worldTool } from '../../tool.ts';
import { printableName } from '../printable-name.ts';
import { isRefusal } from '../refusal.ts';
import { resolveInside } from '../workspace.ts';
import { compileGlob } from './glob-pattern.ts';
import { walkFiles } from './walk.ts';

const MAX_SHOWN = 1000;
const MAX_WALKED = 200_000;

const input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('Such as **/*.ts, src/{a,b}/**, or *.md for that name at any depth'),
  path: z.string().min(1).optional().describe('Directory to look in, relative to the workspace (default: all of it)'),
});

export const globTool = worldTool<z.infer<typeof input>>({
  name: 'glob',
  description:
    'Finds files of the workspace whose path, relative to the directory looked in, matches a pattern. Hidden files are ' +
    `included, .git and node_modules are not, and links are not followed. At most ${MAX_SHOWN} paths.`,
  input,
  risk: 'read',
  idempotent: true,
  async run({ pattern, path = '.' }, context) {
    const inside = await resolveInside(context, path);
    if (isRefusal(inside)) return toolError(inside.refusal);
    if (!inside.exists) return toolError(`${path}: no such directory`);
    const matches = compileGlob(pattern);
    if (isRefusal(matches)) return toolError(matches.refusal);

    const found: string[] = [];
    const skipped: string[] = [];
    let walked = 0;
    for await (const file of walkFiles(context, inside.real, context.signal, (at) => skipped.push(at))) {
      if (++walked > MAX_WALKED || found.length > MAX_SHOWN) break;
      if (matches(file)) found.push(printableName(inside.shown === '.' ? file : `${inside.shown}/${file}`));
    }
    if (skipped.includes('')) return toolError(`${path}: is no directory that can be read`);
    const notes = [
      found.length === 0 && `[no file matches ${pattern}]`,
      found.length > MAX_SHOWN && `[more than ${MAX_SHOWN} files match; these are the first]`,
      walked > MAX_WALKED && `[stopped after ${MAX_WALKED} files; look in a narrower path]`,
      skipped.length > 0 &&
        `[could not be read: ${skipped.slice(0, 10).map(printableName).join(', ')}${skipped.length > 10 ? ', …' : ''}]`,
    ].filter((note) => note !== false);
    return {
      content: [...found.slice(0, MAX_SHOWN), ...notes].join('\n'),
      details: { found: Math.min(found.length, MAX_SHOWN), walked },
    };
  },
});
