/** Counts JSON of strangers before anything else reads it: parsing, checking, copying and writing cost more than their bytes. */

/** What JSON may be. Each limit itself is allowed. */
export interface JsonLimits {
  /** Of the text in UTF-8; of a parsed value, the characters of its strings and keys. */
  readonly bytes: number;
  /** Arrays and objects inside each other. */
  readonly depth: number;
  /** Of one array, or keys of one object. */
  readonly elements: number;
  /** Values in all: the outermost, and every element and every value of a key. */
  readonly nodes: number;
}

/** Characters outside of texts (digits, spaces, brackets) cost most to read, and each text as much as 8. Of `nodes`, each has 64; there are always 4 Mi. */
function mostOutside({ nodes }: JsonLimits): number {
  return Math.max(4 * 2 ** 20, nodes * 64);
}

/**
 * Which limit a JSON text exceeds, as a clause that begins with «it»; null: none. One pass over its UTF-8 that ends at the first limit.
 * Text that is not JSON gets one or the other.
 */
export function textBeyond(text: string | Buffer, limits: JsonLimits): string | null {
  if (text.length > limits.bytes) return beyond('bytes', limits);
  // An element or a level takes a character.
  if (text.length * 3 <= Math.min(limits.bytes, limits.depth, limits.elements, limits.nodes)) return null;
  const json = typeof text === 'string' ? Buffer.from(text) : text;
  if (json.length > limits.bytes) return beyond('bytes', limits);
  const elements: number[] = [];
  let nodes = 1;
  let end = Math.min(json.length, mostOutside(limits));
  for (let at = 0; at < end; at += 1) {
    switch (json[at]) {
      // "
      case 0x22: {
        const begin = at;
        at = endOfString(json, at);
        end = Math.min(json.length, end + at - begin - 7);
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        if (elements.length === limits.depth) return beyond('depth', limits);
        elements.push(1);
        if (!closesAfter(json, at)) nodes += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        elements.pop();
        break;
      // ,
      case 0x2c: {
        nodes += 1;
        const level = elements.length - 1;
        if (level < 0) break;
        elements[level]! += 1;
        if (elements[level]! > limits.elements) return beyond('elements', limits);
        break;
      }
      default:
        continue;
    }
    if (nodes > limits.nodes) return beyond('nodes', limits);
  }
  return end < json.length
    ? `it has more than ${mostOutside(limits).toLocaleString('en-US')} characters outside of its texts`
    : null;
}

/** The same of a value that is parsed. Not recursive, and ends at the first limit. */
export function valueBeyond(value: unknown, limits: JsonLimits): string | null {
  let [nodes, bytes] = [1, sizeOf(value)];
  let layer: unknown[] = [value];
  for (let depth = 0; layer.length > 0; depth += 1) {
    const inner: unknown[] = [];
    for (const holder of layer) {
      if (typeof holder !== 'object' || holder === null) continue;
      if (depth === limits.depth) return beyond('depth', limits);
      const keys = Array.isArray(holder) ? null : Object.keys(holder);
      const elements = keys?.length ?? (holder as readonly unknown[]).length;
      if (elements > limits.elements) return beyond('elements', limits);
      nodes += elements;
      if (nodes > limits.nodes) return beyond('nodes', limits);
      for (let n = 0; n < elements; n += 1) {
        const key = keys?.[n] ?? n;
        const element = (holder as Record<PropertyKey, unknown>)[key];
        bytes += (keys === null ? 0 : String(key).length) + sizeOf(element);
        if (typeof element === 'object' && element !== null) inner.push(element);
      }
      if (bytes > limits.bytes) return beyond('bytes', limits);
    }
    layer = inner;
  }
  return bytes > limits.bytes ? beyond('bytes', limits) : null;
}

function beyond(limit: keyof JsonLimits, limits: JsonLimits): string {
  const most = limits[limit].toLocaleString('en-US');
  switch (limit) {
    case 'bytes':
      return `it has more than ${most} bytes`;
    case 'depth':
      return `its values are nested more than ${most} levels deep`;
    case 'elements':
      return `it has more than ${most} elements in one array or object`;
    case 'nodes':
      return `it has more than ${most} values in all`;
    default:
      return limit satisfies never;
  }
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function closesAfter(json: Buffer, at: number): boolean {
  let ahead = at + 1;
  while (json[ahead] === 0x20 || json[ahead] === 0x0a || json[ahead] === 0x0d || json[ahead] === 0x09) ahead += 1;
  return json[ahead] === 0x5d || json[ahead] === 0x7d;
}

/** The index of the quote that ends the string that begins at `start`; the length of the text without one. */
export function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  const near = Math.min(json.length, at + NEAR);
  for (; at < near && json[at] !== 0x22; at += 1) if (json[at] === 0x5c) at += 1;
  if (at < near) return at;
  // A long text without escapes is searched by the machine, which is ten times as fast as a loop.
  const quote = json.indexOf(0x22, at);
  if (quote === -1) return json.length;
  if (quote === at || json[quote - 1] !== 0x5c) return quote;
  while (at < json.length && json[at] !== 0x22) at += json[at] === 0x5c ? 2 : 1;
  return Math.min(at, json.length);
}

/** A call of the machine's search takes as long as so many bytes of a loop. */
const NEAR = 64;
