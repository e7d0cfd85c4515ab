/** Counts JSON from outside before anything else reads it: parsing, checking, copying and writing cost more than their bytes. */

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

/**
 * Which limit a JSON text exceeds, as a clause that begins with «it»; null: none. One pass that ends at the first limit. Text that is not
 * JSON gets one or the other.
 */
export function textBeyond(text: string, limits: JsonLimits): string | null {
  if (utf8Beyond(text, limits.bytes)) return beyond('bytes', limits);
  // An element or a level takes a character.
  if (text.length <= Math.min(limits.depth, limits.elements, limits.nodes)) return null;
  const elements: number[] = [];
  let nodes = 1;
  let stop = mostOutside(limits);
  let at = 0;
  for (; at < text.length && at < stop; at += 1) {
    switch (text.charCodeAt(at)) {
      // "
      case 0x22: {
        const end = endOfString(text, at);
        stop += end - at - PART;
        at = end;
        break;
      }
      case 0x5b: // [
      case 0x7b: // {
        if (elements.length === limits.depth) return beyond('depth', limits);
        elements.push(1);
        stop -= PART;
        if (!closesAfter(text, at)) nodes += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (elements.pop() === undefined) return null;
        break;
      // ,
      case 0x2c: {
        nodes += 1;
        const level = elements.length - 1;
        if (level < 0) return null;
        elements[level]! += 1;
        if (elements[level]! > limits.elements) return beyond('elements', limits);
        break;
      }
      default:
        // Spaces and digits without end.
        if (at % RUN === 0) at = endOfRun(text, at) - 1;
        continue;
    }
    if (nodes > limits.nodes) return beyond('nodes', limits);
  }
  return at < text.length || at > stop ? beyond('outside', limits) : null;
}

/**
 * Characters outside of texts (digits, spaces, brackets) cost most to read, and a text, an array or an object as much as some of them. Each
 * of `nodes` has 48, and there are always 1 Mi.
 */
function mostOutside({ nodes }: JsonLimits): number {
  return 2 ** 20 + nodes * 48;
}

const PART = 8;

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

function beyond(limit: keyof JsonLimits | 'outside', limits: JsonLimits): string {
  const most = (limit === 'outside' ? mostOutside(limits) : limits[limit]).toLocaleString('en-US');
  switch (limit) {
    case 'bytes':
      return `it has more than ${most} bytes`;
    case 'depth':
      return `its values are nested more than ${most} levels deep`;
    case 'elements':
      return `it has more than ${most} elements in one array or object`;
    case 'nodes':
      return `it has more than ${most} values in all`;
    case 'outside':
      return `it has more than ${most} characters outside its strings`;
    default:
      return limit satisfies never;
  }
}

/** A character of a string has at most three bytes. */
function utf8Beyond(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}

function closesAfter(text: string, at: number): boolean {
  const next = text.charCodeAt(endOfSpace(text, at + 1));
  return next === 0x5d || next === 0x7d;
}

/*
 * What may be long is searched by patterns and by the machine's own search: a loop takes ten times as long, before it was compiled. A
 * pattern takes a piece at a time, because each step of it needs some of a stack.
 */
const RUN = 16;
const SPACE = /[ \t\r\n]{1,65536}/y;
const PLAIN = /[^"[\]{},]{1,65536}/y;
const IN_TEXT = /(?:[^"\\]|\\[^]){1,4096}/y;

function endOfSpace(text: string, start: number): number {
  return text.charCodeAt(start) > 0x20 ? start : endOf(SPACE, text, start);
}

function endOfRun(text: string, start: number): number {
  return endOf(PLAIN, text, start);
}

function endOf(pattern: RegExp, text: string, start: number): number {
  let end = start;
  for (pattern.lastIndex = end; pattern.test(text); pattern.lastIndex = end) end = pattern.lastIndex;
  return end;
}

/** The index of the quote that ends the string that begins at `start`; the length of the text without one. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  const near = Math.min(text.length, at + NEAR);
  for (; at < near && text.charCodeAt(at) !== 0x22; at += 1) if (text.charCodeAt(at) === 0x5c) at += 1;
  if (at < near) return at;
  const quote = text.indexOf('"', at);
  if (quote === -1) return text.length;
  if (quote === at || text.charCodeAt(quote - 1) !== 0x5c) return quote;
  return endOf(IN_TEXT, text, at);
}

/** Most texts are shorter. */
const NEAR = 64;
