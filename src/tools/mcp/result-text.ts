/** Writes the result of an MCP call as text for the model, and takes the images and PDF files out of it. */

import { isObject } from '../../core/text/json-values.ts';
import { describeMedia, type OutputFile } from '../media.ts';
import type { ToolOutput } from '../tool.ts';
import type { JsonObject } from './tool-definition.ts';

/** As much as `bash` returns. */
const MAX_CHARS = 32 * 1024;

/** Of one result; the others are only named. */
const MAX_FILES = 10;

/**
 * The output of a call. `mask` replaces secrets, which a server may print in texts. The middle of a text of more than 32 KiB is left out; `codeBytes`: code made the
 * call, and this is the limit. Code gets no files, and neither does
 * anybody of a failed call.
 */
export function outputOf(result: JsonObject, mask: (text: string) => string, codeBytes?: number): ToolOutput {
  const parts = Array.isArray(result['content']) ? (result['content'] as unknown[]).filter(isObject) : [];
  const failed = result['isError'] === true;
  const files = codeBytes === undefined && !failed ? filesOf(parts) : NO_FILES;
  const texts = parts.map((part) => files.get(part)?.text ?? textOf(part)).filter((text) => text !== '');
  const { structuredContent } = result;
  // Servers write their structured content as text, too, for clients that cannot read it.
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  const text = mask(texts.join('\n\n'));
  const details = { parts: countOf(parts), chars: text.length };
  const content = cut(text, codeBytes ?? MAX_CHARS) || '(the tool returned nothing)';
  const data = isObject(structuredContent) ? { data: () => masked(structuredContent, mask) } : null;
  const shown = files.size > 0 && { files: [...files.values()].map(({ file }) => file) };
  return { content, details, ...(failed && { isError: true }), ...shown, ...data };
}

type PartFiles = ReadonlyMap<JsonObject, { readonly file: OutputFile; readonly text: string }>;
const NO_FILES: PartFiles = new Map();

/** The images and PDF files among the parts, in order. Their bytes decide what they are, not what the server says. */
function filesOf(parts: readonly JsonObject[]): PartFiles {
  const found = parts.flatMap((part) => {
    const encoded =
      part['type'] === 'image' ? part['data'] : isObject(part['resource']) ? part['resource']['blob'] : null;
    const bytes = Buffer.from(wordOf(encoded), 'base64');
    const media = describeMedia(bytes);
    return media === null ? [] : [{ part, bytes, ...media }];
  });
  return new Map(
    found.slice(0, MAX_FILES).map(({ part, bytes, mediaType, words }, index) => {
      const name = mediaType.replace('/', `-${index + 1}.`).replace('application', 'document');
      return [part, { file: { name, mediaType, bytes }, text: `[${name}: ${words}]` }];
    }),
  );
}

/** Strings one by one: JSON would write a secret with its quotes escaped. */
function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((each) => masked(each, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [mask(key), masked(each, mask)]));
}

function textOf(part: JsonObject): string {
  const { type, text, mimeType, data, resource, uri, name, description } = part;
  switch (type) {
    case 'text':
      return wordOf(text);
    case 'image':
    case 'audio':
      return `[${type} ${wordOf(mimeType)}, ${bytesOf(data)} bytes: not shown]`;
    case 'resource':
      return isObject(resource) ? resourceText(resource) : '';
    case 'resource_link':
      return `[resource ${wordOf(uri)} ${wordOf(name)}: ${wordOf(description)}]`;
    default:
      return `[content of type ${JSON.stringify(type ?? null)}: not shown]`;
  }
}

function resourceText({ uri, mimeType, text, blob }: JsonObject): string {
  const head = `resource ${wordOf(uri)} ${wordOf(mimeType)}`.trim();
  return typeof text === 'string' ? `[${head}]\n${text}` : `[${head}, ${bytesOf(blob)} bytes: not shown]`;
}

/** Of base64. */
function bytesOf(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

function countOf(parts: readonly JsonObject[]): Record<string, number> {
  const kinds = Object.entries(Object.groupBy(parts, ({ type }) => wordOf(type).slice(0, 20)));
  return Object.fromEntries(kinds.slice(0, 10).map(([type, some]) => [type, some?.length ?? 0]));
}

/** Keeps the beginning and the end. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = most / 2;
  const note = `\n[… ${text.length - most} characters left out …]\n`;
  return `${text.slice(0, half).toWellFormed()}${note}${text.slice(-half).toWellFormed()}`;
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
