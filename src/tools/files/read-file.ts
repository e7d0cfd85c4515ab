/** read_file: reads a part of a text file, with line numbers, an image or a PDF file, or a notebook as its cells. */
import { z } from 'zod';
import { type ToolContext, type ToolOutput, toolError, worldTool } from '../tool.ts';
import { readDatabaseFile } from './database-files.ts';
import { withMounts } from './mounts.ts';
import { type Notebook, readNotebook } from './notebook.ts';
import { pictureOf } from './picture.ts';
import { isRefusal, refusedCall } from './refusal.ts';
import { noteSeen } from './seen-files.ts';
import { readWorkspaceFile, type TextFile, textOf } from './text-file.ts';

const DEFAULT_LINES = 2000;
/** Of a notebook, in one result. */
const MAX_PICTURES = 10;
/** Ends a line that is not whole. */
const CUT = 'more characters; bash with cut -c shows them]';

interface Most {
  readonly outputChars: number;
  readonly lineChars: number;
}

const FOR_MODELS: Most = { outputChars: 64 * 1024, lineChars: 4000 };

const input = z.strictObject({
  path: z.string().min(1).describe('File, relative to the workspace'),
  offset: z.int().min(1).optional().describe('First line to read, counted from 1 (default 1)'),
  limit: z.int().min(1).optional().describe(`Maximum number of lines (default ${DEFAULT_LINES})`),
});

export const readFileTool = worldTool<z.infer<typeof input>>({
  name: 'read_file',
  description:
    'Reads a file of the workspace: text as numbered lines, at most ' +
    `${FOR_MODELS.outputChars / 1024} KiB per call with a note on how to read on; also images, PDF and notebooks.`,
  words: { path: 'relative to the workspace', offset: 'first line, from 1', limit: `lines; default ${DEFAULT_LINES}` },
  input,
  kinds: { path: 'path' },
  risk: 'read',
  idempotent: true,
  async run({ path, offset = 1, limit }, context) {
    const kept = await readDatabaseFile(path, context);
    const content = kept ?? (await readWorkspaceFile(await withMounts(context, [path]), path));
    const { codeBytes } = context;
    const picture = 'content' in content ? pictureOf(content, codeBytes !== undefined) : null;
    if (picture !== null) return picture;
    const found = 'content' in content ? textOf(content) : content;
    if (isRefusal(found)) return refusedCall(found);
    const file = { changing: false, validUtf8: true, ...found };
    const notebook = codeBytes === undefined && path.endsWith('.ipynb') ? readNotebook(file.text) : null;
    if (notebook !== null) return showNotebook(notebook, file, offset, limit ?? DEFAULT_LINES);
    if (codeBytes === undefined) return noted(file, show(file, offset, limit ?? DEFAULT_LINES, FOR_MODELS), context);
    const most = { outputChars: codeBytes, lineChars: codeBytes };
    return noted(file, show(file, offset, limit ?? Infinity, most), context);
  },
});

/** A part of a notebook, with the pictures that are in this part. What is in the file itself, the focus has not seen. */
function showNotebook({ text, pictures }: Notebook, file: Shown, offset: number, limit: number): ToolOutput {
  const { data: _, ...output } = show({ ...file, text }, offset, limit, FOR_MODELS);
  if (output.isError) return output;
  const { first, last } = (output.details ?? {}) as { readonly first: number; readonly last: number };
  const shown = [...pictures].filter(([line]) => line >= first && line <= last).map(([, picture]) => picture);
  const more = shown.length - MAX_PICTURES;
  const notes = [
    'a notebook, as its cells; write_file and edit_file see its JSON',
    more > 0 && `${more} more pictures are not shown`,
  ];
  const content = [output.content, ...notes.flatMap((note) => (note === false ? [] : `[${note}]`))].join('\n');
  return { ...output, content, ...(shown.length > 0 && { files: shown.slice(0, MAX_PICTURES) }) };
}

/** With a note of what the focus has seen, unless it is not all of these lines. */
function noted(file: Shown, output: ToolOutput, context: ToolContext): ToolOutput {
  const { hash, shown, changing } = file;
  const {
    first = 1,
    last = 0,
    lines = 0,
  } = (output.details ?? {}) as Partial<Record<'first' | 'last' | 'lines', number>>;
  if (hash === undefined || changing || output.isError || output.content.includes(CUT)) return output;
  return {
    ...output,
    details: { ...output.details, ...noteSeen(context, shown, { hash, read: { first, last, lines } }) },
  };
}

/** A file of the database has no hash: nothing replaces it. */
type Shown = Omit<TextFile, 'real' | 'stats' | 'hash'> & { readonly hash?: string };

function show(file: Shown, offset: number, limit: number, most: Most): ToolOutput {
  if (file.text === '') {
    const details = { path: file.shown, lines: 0 };
    return {
      content: `[${file.shown} is empty]`,
      details,
      data: () => ({ ...details, text: '', first: 1, last: 0, bytes: 0 }),
    };
  }
  const endsInNewline = file.text.endsWith('\n');
  const count = countLines(file.text) - (endsInNewline ? 1 : 0);
  if (offset > count) return toolError(`${file.shown} has ${count} lines; offset ${offset} is after its end`);

  const shown = take(file.text, offset, Math.min(limit, count - offset + 1), most);
  const last = offset + shown.length - 1;
  const notes = [
    last < count && `lines ${offset} to ${last} of ${count}; continue with offset=${last + 1}`,
    last === count && !endsInNewline && 'no newline at the end of the file',
    file.changing && 'the file changed while it was read: parts may be old, others new; read it again later',
    file.text.includes('\r\n') && 'lines end in CRLF',
    !file.validUtf8 &&
      'not valid UTF-8: every \uFFFD that you see may stand for other bytes, and edit_file will refuse it',
  ].filter((note) => note !== false);
  const details = { path: file.shown, first: offset, last, lines: count, bytes: file.bytes };
  return {
    content: [...shown, ...notes.map((note) => `[${note}]`)].join('\n'),
    details,
    data: () => ({ ...details, text: linesOf(file.text, offset, last) }),
  };
}

/** The lines from `first` to `last` as they are, with their line ends. */
function linesOf(text: string, first: number, last: number): string {
  const from = lineStart(text, first, 0);
  return text.slice(from, lineStart(text, last - first + 2, from));
}

/** Where line `number` begins, counted from 1 at `from`; the end of the text if there is none. */
function lineStart(text: string, number: number, from: number): number {
  let at = from;
  for (let line = 1; line < number; line++) {
    const end = text.indexOf('\n', at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

/** Does not split the text: a file may have ten million lines, and this runs in the daemon's own thread. */
function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** As many numbered lines as fit, at least one. */
function take(text: string, offset: number, limit: number, most: Most): readonly string[] {
  let from = lineStart(text, offset, 0);
  const shown: string[] = [];
  let size = 0;
  for (let line = offset; line < offset + limit; line++) {
    const end = text.indexOf('\n', from);
    const whole = text.slice(from, end < 0 ? text.length : end);
    const numbered = `${line}\t${cut(whole.endsWith('\r') ? whole.slice(0, -1) : whole, most.lineChars)}`;
    size += numbered.length + 1;
    if (size > most.outputChars && shown.length > 0) break;
    shown.push(numbered);
    from = end + 1;
  }
  return shown;
}

function cut(line: string, most: number): string {
  if (line.length <= most) return line;
  return `${line.slice(0, most).toWellFormed()} [… ${line.length - most} ${CUT}`;
}
