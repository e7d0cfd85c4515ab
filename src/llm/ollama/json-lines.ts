import { fault } from '../wire/fault.ts';
import { parseJson } from '../wire/loose-json.ts';
import type { Framing } from '../wire/wire.ts';

/** The size limit of a line, against a server that never ends one. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;

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
    takes: () => true,
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
      if (parseJson(line) === undefined) return fault('connection', 'the stream ended inside a line');
      onData(line);
      return null;
    },
  };
}
