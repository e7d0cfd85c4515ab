import { array, assert, constantFrom, infiniteStream, integer, property, tuple, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { traceClient } from '../../../src/store/embedded/embedded-statements.ts';
import { int32, MessageReader, message, simpleQuery } from '../../../src/store/embedded/wire.ts';

function readAll(chunks: Buffer[]): Buffer[] {
  const reader = new MessageReader(1, 1_000_000);
  const found: Buffer[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let next = reader.next(); next; next = reader.next()) found.push(Buffer.from(next));
  }
  expect(reader.rest()).toHaveLength(0);
  return found;
}

test('messages are parsed correctly, however the stream is split', () => {
  const messages = array(tuple(constantFrom('Q', 'P', 'S', 'd'), uint8Array({ maxLength: 300 })));
  assert(
    property(messages, infiniteStream(integer({ min: 1, max: 50 })), (parts, cuts) => {
      const sent = parts.map(([type, body]) => message(type, Buffer.from(body)));
      let rest = Buffer.concat(sent);
      const chunks: Buffer[] = [];
      for (const cut of cuts) {
        if (rest.length === 0) break;
        chunks.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      expect(readAll(chunks)).toEqual(sent);
    }),
  );
});

test.each([3, -1, 1_000_001])('a length of %i is refused before anything is buffered for it', (length) => {
  const reader = new MessageReader(1, 1_000_000);
  reader.push(Buffer.concat([Buffer.from('Q'), int32(length)]));
  expect(() => reader.next()).toThrow(RangeError);
});

test('names of prepared statements get the prefix of their client, everything else is unchanged', () => {
  const traces = traceClient('c1:');
  const parse = message('P', 'S_1\0select $1\0', Buffer.alloc(2));
  expect(traces.own(parse).toString('latin1', 5)).toBe('c1:S_1\0select $1\0\0\0');
  expect(traces.own(message('B', 'portal\0S_1\0', Buffer.alloc(6))).toString('latin1', 5)).toMatch(/^portal\0c1:S_1\0/);
  expect(traces.own(message('D', 'SS_1\0')).toString('latin1', 5)).toBe('Sc1:S_1\0');
  for (const same of [
    message('P', '\0select 1\0\0\0'),
    message('D', 'Pportal\0'),
    message('S'),
    simpleQuery('select 1'),
  ]) {
    expect(traces.own(same)).toEqual(same);
  }
});

test('the end of a client closes its prepared statements and resets only what it set', () => {
  const quiet = traceClient('c1:');
  quiet.own(simpleQuery("update t set a = 1; select 'reset'"));
  expect(quiet.farewell()).toEqual([]);
  const loud = traceClient('c2:');
  loud.own(message('P', 'S_1\0select 1\0\0\0'));
  loud.own(message('P', 'S_2\0select 2\0\0\0'));
  loud.own(message('C', 'SS_1\0'));
  loud.own(simpleQuery('begin; SET search_path = a'));
  const [close, reset] = loud.farewell().map((bytes) => bytes.toString('latin1'));
  expect(close).toContain('Sc2:S_2');
  expect(close).not.toContain('S_1');
  expect(reset).toContain('reset all');
});

test('incomplete messages are passed on unchanged, and PGlite refuses them', () => {
  const traces = traceClient('c1:');
  for (const type of ['P', 'B', 'D', 'C']) {
    for (const body of ['', 'S', 'x', 'no end']) {
      const bytes = message(type, body);
      expect(traces.own(bytes)).toEqual(bytes);
    }
  }
});
