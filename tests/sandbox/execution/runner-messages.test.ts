import { expect, test } from 'vitest';
import { readMessage } from '../../../src/sandbox/execution/runner-messages.ts';

const call = (input: string, name = 'echo') =>
  `{"jsonrpc":"2.0","id":7,"method":"call","params":{"name":${JSON.stringify(name)},"input":${input}}}`;
const keys = `{${Array.from({ length: 10_001 }, (_, n) => `"k${n}":0`).join(',')}}`;

test.each([
  ['keys', call(keys), 'it has more than 10,000 elements in one array or object'],
  ['levels', call(`${'['.repeat(201)}${']'.repeat(201)}`), 'its values are nested more than 202 levels deep'],
  ['values', call(`[${`[${'{},'.repeat(9000)}0],`.repeat(3)}0]`), 'it has more than 20,010 values in all'],
  ['bytes', call(`"${'x'.repeat(16 * 2 ** 20)}"`), 'it has more than 16,777,216 bytes'],
])('a call with too many %s comes without its input, and says which limit', (_, line, unread) => {
  expect(readMessage(line)).toEqual({
    jsonrpc: '2.0',
    id: 7,
    method: 'call',
    params: { name: 'echo', input: {}, unread },
  });
});

test('its name may contain escapes', () => {
  expect(readMessage(call(keys, 'a"\\ü\n'))).toMatchObject({ params: { name: 'a"\\ü\n' } });
});

test.each([
  ['another message', `{"jsonrpc":"2.0","method":"ready","params":${keys}}`],
  [
    'a call that is written otherwise',
    `{"id":7,"jsonrpc":"2.0","method":"call","params":{"name":"echo","input":${keys}}}`,
  ],
  ['a name that is too long', call(keys, 'x'.repeat(201))],
])('%s beyond a limit is not a message', (_, line) => {
  expect(readMessage(line)).toBe(null);
});
