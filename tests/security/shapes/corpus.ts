/** Shapes of JSON that cost more to walk than their bytes say. Each is as large as a door accepts, or exactly at its limits. */
import type { JsonLimits } from '../../../src/core/text/json-bounds.ts';

/** The JSON text of a shape: an object. */
export type Shape = (bytes: number, limits: JsonLimits) => string;

export const SHAPES: Readonly<Record<string, Shape>> = {
  'keys without end': (bytes) => filled(bytes, '{"k":0', (n) => `,"k${n}":${n}`, '}'),
  'objects without end': (bytes) => filled(bytes, '{"a":[{}', () => ',{}', ']}'),
  'lists without end': (bytes) => filled(bytes, '{"a":[[1]', () => ',[1]', ']}'),
  'numbers without end': (bytes) => filled(bytes, '{"a":[0', () => ',1.5e-9', ']}'),
  'nulls in many lists': (bytes) => filled(bytes, '{"a":[[]', () => `,[${'null,'.repeat(998)}0]`, ']}'),
  'deep lists': (bytes) => deep(bytes, '[', ']'),
  'deep objects': (bytes) => deep(bytes, '{"a":', '}'),
  'half of a deep value': (bytes) => `{"a":${'['.repeat(bytes - 20)}`,
  'a long text': (bytes) => `{"a":"${'x'.repeat(bytes - 20)}"}`,
  'a long key': (bytes) => `{"${'k'.repeat(bytes - 20)}":1}`,
  'a long number': (bytes) => `{"a":${'1'.repeat(bytes - 20)}}`,
  escapes: (bytes) => `{"a":"${'\\u0001'.repeat(bytes / 6 - 4)}"}`,
  quotes: (bytes) => `{"a":"${'\\"'.repeat(bytes / 2 - 10)}"}`,
  backslashes: (bytes) => `{"a":"${'\\\\'.repeat(bytes / 2 - 10)}"}`,
  'halves of surrogate pairs': (bytes) => `{"a":"${'\\ud800'.repeat(bytes / 6 - 4)}"}`,
  'astral characters': (bytes) => `{"a":"${'😀'.repeat(bytes / 4 - 4)}"}`,
  'combining marks': (bytes) => `{"a":"e${'\u0301'.repeat(bytes / 2 - 10)}"}`,
  'spaces between': (bytes) => `{"a":[${' '.repeat(bytes - 20)}1]}`,
  'spaces within': (bytes) => `{"a":"${' '.repeat(bytes - 20)}x"}`,
  'lines without end': (bytes) => `{"a":"${'\\n'.repeat(bytes / 2 - 10)}x"}`,
  'hostile to patterns': (bytes) => `{"a":"${'a*(a+)+[!{<-`'.repeat(bytes / 14 - 2)}"}`,
  'empty texts without commas': (bytes) => `{"a":[${'""'.repeat(bytes / 2 - 10)}]}`,
  'as many keys as allowed': (bytes, { elements }) =>
    filled(bytes, '{"k":0', (n) => `,"k${n}":${n}`, '}', elements - 1),
  'as many unknown keys of null as allowed': (bytes, { elements }) =>
    filled(bytes, '{"k":null', (n) => `,"k${n}":null`, '}', elements - 1),
  'as many values as allowed': (bytes, { elements, nodes }) => {
    const wide = Math.min(elements - 1, nodes - 10);
    const rest = filled(bytes, '],"b":[0', () => ',{}', ']}', nodes - wide - 6);
    return filled(bytes, '{"a":[', (n) => `${n === 0 ? '' : ','}{}`, rest, wide);
  },
  'as deep as allowed': (_bytes, { depth }) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`,
  'as deep and as wide as allowed': (bytes, { depth, nodes }) => {
    const levels = Math.min(depth - 1, 190);
    const side = `[${'0,'.repeat(Math.max(0, Math.min(Math.floor(nodes / levels) - 4, bytes / levels / 2 - 20)))}0]`;
    return `${`{"b":${side},"a":`.repeat(levels)}1${'}'.repeat(levels)}`;
  },
};

/** For doors that are read by the code of another: one of each kind. */
export const FEW: Readonly<Record<string, Shape>> = Object.fromEntries(
  ['keys without end', 'deep lists', 'quotes', 'spaces between', 'as many values as allowed'].map((name) => [
    name,
    SHAPES[name]!,
  ]),
);

function deep(bytes: number, open: string, close: string): string {
  const levels = Math.floor((bytes - 20) / (open.length + 1));
  return `{"a":${open.repeat(levels)}1${close.repeat(levels)}}`;
}

/** Repeats an element until the text is as long as that, or `most` times. */
function filled(bytes: number, head: string, element: (n: number) => string, end: string, most = Infinity): string {
  const parts = [head];
  for (let [n, length] = [0, head.length + end.length]; n < most; n += 1) {
    const part = element(n);
    length += part.length;
    if (length > bytes) break;
    parts.push(part);
  }
  parts.push(end);
  return parts.join('');
}
