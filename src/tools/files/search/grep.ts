/** grep: finds lines by a regular expression. */
import { extname } from 'node:path';
import { z } from 'zod';
import { computingMs, inThread } from '../../in-thread.ts';
import { type ToolOutput, worldTool } from '../../tool.ts';
import { withMounts } from '../mounts.ts';
import { isRefusal, type Refusal, refusedCall } from '../refusal.ts';
import type { GrepRequest, GrepResult } from './grep-files.ts';
import { readKeptTexts } from './kept-texts.ts';
import { filesToSearch } from './ripgrep.ts';

const DEFAULT_MATCHES = 100;
const MAX_MATCHES = 500;
const LINE_CHARS = 300;
/** What code gets that names no limit. */
const FOR_CODE = { matches: 20_000, lineChars: 4000 } as const;
const ADVICE = 'narrow path or glob, or use a pattern that backtracks less';
// Beside this file in either form: as TypeScript in a clone, stripped to JavaScript in a package.
const WORKER = new URL(`./grep-worker${extname(import.meta.filename)}`, import.meta.url);

const input = z.strictObject({
  pattern: z.string().min(1).max(1000).describe('JavaScript regular expression, matched against each line'),
  path: z.string().min(1).optional().describe('File or directory, relative to the workspace (default: all of it)'),
  glob: z.string().min(1).max(1000).optional().describe('Only files whose path matches, such as *.ts'),
  ignore_case: z.boolean().optional().describe('Default false'),
  limit: z.int().min(1).max(MAX_MATCHES).optional().describe(`Maximum number of lines (default ${DEFAULT_MATCHES})`),
});

export const grepTool = worldTool<z.infer<typeof input>>({
  name: 'grep',
  description:
    'Searches text files of the workspace for lines that match a regular expression and returns them as path:line:text. ' +
    'Hidden files are searched; .git, node_modules and binary files are not, and links are not followed.',
  words: {
    pattern: 'JavaScript regular expression',
    path: 'file or directory; default: the workspace',
    glob: 'only files whose path matches, such as *.ts',
    limit: `lines; default ${DEFAULT_MATCHES}`,
  },
  input,
  kinds: { path: 'tree' },
  risk: 'read',
  idempotent: true,
  async run({ pattern, path = '.', glob, ignore_case = false, limit }, context) {
    const bounds = await withMounts(context, [path]);
    const { workspace, fileRules, codeBytes, mounts = [] } = bounds;
    const most = codeBytes === undefined ? { matches: DEFAULT_MATCHES, lineChars: LINE_CHARS } : FOR_CODE;
    const what = { path, pattern, ignoreCase: ignore_case };
    const only = await filesToSearch(what, computingMs(context) / 2, bounds);
    const { texts: kept, leftOut } = await readKeptTexts(path, glob ?? null, context);
    const limits = { maxMatches: limit ?? most.matches, maxLineChars: most.lineChars };
    const request: GrepRequest = { ...what, workspace, fileRules, mounts, glob: glob ?? null, ...limits, only, kept };
    // A regular expression can backtrack for years and cannot be interrupted.
    const result = await inThread<GrepResult | Refusal>(WORKER, request, context, ADVICE);
    return isRefusal(result) ? refusedCall(result) : show(result, pattern, leftOut);
  },
});

function show({ matches, files, more, unread }: GrepResult, pattern: string, leftOut: number): ToolOutput {
  const notes = [
    matches.length === 0 && `[no line of ${files} files matches ${pattern}]`,
    more && `[only the first ${matches.length} matches; narrow path, glob or pattern, or raise limit]`,
    unread.length > 0 &&
      `[not searched (binary, too large or unreadable): ${unread.length < 10 ? '' : 'among others '}${unread.join(', ')}]`,
    leftOut > 0 &&
      `[not searched: ${leftOut} older conversations and files that came with messages; give the path of one]`,
  ].filter((note) => note !== false);
  const lines = matches.map(({ path, line, text }) => `${path}:${line}:${text}`);
  return {
    content: [...lines, ...notes].join('\n'),
    details: { matches: matches.length, files, more },
    data: () => ({ matches, files, more }),
  };
}
