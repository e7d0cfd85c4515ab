/** Jupyter notebooks (nbformat 4) as text: their cells, with outputs. */
import { stripVTControlCharacters } from 'node:util';
import { isObject } from '../../core/text/json-values.ts';
import { describeMedia, type OutputFile } from '../media.ts';

type Json = Readonly<Record<string, unknown>>;

/** A notebook as text, and the pictures of its outputs by the number of the line that describes each, from 1. */
export interface Notebook {
  readonly text: string;
  readonly pictures: ReadonlyMap<number, OutputFile>;
}

/** Null if the text is not that of a notebook. */
export function readNotebook(json: string): Notebook | null {
  const notebook = parsed(json);
  if (notebook === null || !Array.isArray(notebook['cells'])) return null;
  const language = languageOf(notebook['metadata']);
  const lines: string[] = [];
  const pictures = new Map<number, OutputFile>();
  for (const [index, cell] of notebook['cells'].filter(isObject).entries()) {
    const isCode = cell['cell_type'] === 'code';
    lines.push(`# Cell ${index + 1}: ${isCode ? language : wordOf(cell['cell_type'])}`, ...linesOf(cell['source']));
    const outputs = Array.isArray(cell['outputs']) ? cell['outputs'].filter(isObject) : [];
    if (outputs.length > 0) lines.push(`# Output of cell ${index + 1}`);
    for (const [n, output] of outputs.entries()) {
      const picture = pictureOf(output, `cell-${index + 1}-${n + 1}`);
      if (picture) pictures.set(lines.push(picture.line), picture.file);
      else lines.push(...outputLines(output));
    }
  }
  return { text: lines.map((line) => `${line}\n`).join(''), pictures };
}

function parsed(json: string): Json | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function languageOf(metadata: unknown): string {
  const { language_info: info } = isObject(metadata) ? metadata : {};
  return (isObject(info) && wordOf(info['name'])) || 'code';
}

/** The first picture of an output, which has several forms of one thing. */
function pictureOf({ data }: Json, name: string): { readonly file: OutputFile; readonly line: string } | null {
  const forms = isObject(data) ? Object.entries(data) : [];
  for (const [, form] of forms.filter(([type]) => type.startsWith('image/') || type === 'application/pdf')) {
    const bytes = Buffer.from(textOf(form), 'base64');
    const media = describeMedia(bytes);
    if (media === null) continue;
    const whole = `${name}.${media.mediaType.split('/')[1]!}`;
    return { file: { name: whole, mediaType: media.mediaType, bytes }, line: `[${whole}: ${media.words}]` };
  }
  return null;
}

function outputLines({ output_type: type, text, data, traceback, ename, evalue }: Json): string[] {
  if (type === 'stream') return linesOf(text);
  if (type === 'error') {
    const trace = Array.isArray(traceback) ? traceback.map(wordOf).join('\n') : '';
    return linesOf(stripVTControlCharacters(trace) || `${wordOf(ename)}: ${wordOf(evalue)}`);
  }
  const forms = isObject(data) ? data : {};
  const plain = forms['text/plain'] ?? forms['text/markdown'];
  return plain === undefined
    ? [`[output of type ${Object.keys(forms).join(', ') || 'unknown'}: not shown]`]
    : linesOf(plain);
}

function linesOf(source: unknown): string[] {
  const text = textOf(source);
  return text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split(/\r?\n/);
}

/** The format has texts whole, or as a list of lines with their ends. */
function textOf(value: unknown): string {
  return Array.isArray(value) ? value.map(wordOf).join('') : wordOf(value);
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
