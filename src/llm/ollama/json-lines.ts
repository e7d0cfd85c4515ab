import { fault, jsonBeyond } from '../wire/fault.ts';
import { parseCounted } from '../wire/loose-json.ts';
import type { Framing } from '../wire/wire.ts';

/** The size limit of a line, against a server that never ends one. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;

/** The bytes with which a line of JSON may begin. */
const OBJECT_OR_SPACE: ReadonlySet<number> = new Set(Buffer.from('{ \t\r\n'));

/** A stream of JSON objects, one per line. A body that is one object is a stream of one line. */
export function jsonLines(): Framing {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let held = 0;
  const endLine = (rest: string): string => {
    const line = pieces.join('') + rest;
    pieces = [];
    held = 0;
    return line.trim();
  };
  return {
    // Anything else is a page of a proxy, compressed, or another format.
    takes: (first) => OBJECT_OR_SPACE.has(first),
    feed(chunk, onData) {
      const lines = decoder.decode(chunk, { stream: true }).split('\n');
      const open = lines.pop() ?? '';
      for (const piece of lines) {
        const line = endLine(piece);
        if (line !== '') onData(line);
      }
      pieces.push(open);
      held += open.length;
      return held > MAX_LINE_CHARS ? fault('protocol', 'a line of the stream is too large') : null;
    },
    end(onData) {
      const line = endLine(decoder.decode());
      if (line === '') return null;
      // What is too deep is not cut: the fold says so.
      if (jsonBeyond(line) === null && parseCounted(line) === undefined)
        return fault('connection', 'the stream ended inside a line');
      onData(line);
      return null;
    },
  };
}
