/** grep: finds lines by a regular expression. */
import { z } from 'zod';
import { worldTool } from '../../tool.ts';
import { withMounts } from '../mounts.ts';
import { isRefusal, refusedCall } from '../refusal.ts';
import { searchText } from './grep-search.ts';
import { showAnswer } from './grep-text.ts';

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 500;
const LINE_CHARS = 300;
const MAX_CONTEXT = 20;
/** What code gets that names no limit. */
const FOR_CODE = { results: 20_000, lineChars: 4000 } as const;

const number = (most: number) => z.int().min(0).max(most).optional();
const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe('Regular expression of ripgrep, matched against each line; look-around and backreferences work'),
  path: z.string().min(1).optional().describe('File or directory, relative to the workspace (default: all of it)'),
  glob: z.string().min(1).max(1000).optional().describe('Only files whose path matches, such as *.ts'),
  type: z.string().min(1).max(100).optional().describe('Only files of a type that ripgrep knows, such as ts, py or md'),
  output: z
    .enum(['lines', 'files', 'counts'])
    .optional()
    .describe('lines (default), the files that have matches, or how many lines of each file match'),
  before: number(MAX_CONTEXT).describe('Lines to show before each match (default 0)'),
  after: number(MAX_CONTEXT).describe('Lines to show after each match (default 0)'),
  ignore_case: z.boolean().optional().describe('Default false'),
  multiline: z.boolean().optional().describe('The pattern may match across lines (default false)'),
  ignored: z.boolean().optional().describe('Search node_modules and what ignore files name, too (default false)'),
  limit: z
    .int()
    .min(1)
    .max(MAX_RESULTS)
    .optional()
    .describe(`Maximum number of matching lines or of files (default ${DEFAULT_RESULTS})`),
  offset: number(100_000).describe('How many of the first results to skip (default 0)'),
});

export const grepTool = worldTool<z.infer<typeof input>>({
  name: 'grep',
  description:
    'Searches text files of the workspace for lines that match a regular expression and returns them as path:line:text. ' +
    'Hidden files are searched; .git, node_modules and ignored files are not, and links are not followed. The result says what was left out.',
  words: {
    pattern: 'in the syntax of ripgrep',
    path: 'file or directory; default: the workspace',
    glob: 'only files whose path matches, such as *.ts',
    type: 'such as ts',
    limit: `default ${DEFAULT_RESULTS}`,
  },
  input,
  kinds: { path: 'tree' },
  risk: 'read',
  idempotent: true,
  async run({ pattern, path = '.', glob, type, output = 'lines', ...rest }, context) {
    const most = context.codeBytes === undefined ? { results: DEFAULT_RESULTS, lineChars: LINE_CHARS } : FOR_CODE;
    const { before = 0, after = 0, multiline = false, ignored = false } = rest;
    const { ignore_case: ignoreCase = false, limit = most.results, offset = 0 } = rest;
    const asked = {
      pattern,
      path,
      glob,
      type,
      output,
      ignoreCase,
      multiline,
      ignored,
      before,
      after,
      limit,
      offset,
      maxLineChars: most.lineChars,
    };
    const answer = await searchText(asked, context);
    return isRefusal(answer) ? refusedCall(answer) : showAnswer(answer, asked, await withMounts(context, [path]));
  },
});
