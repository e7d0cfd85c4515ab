/**
 * The schemas that an MCP server writes must not block the thread that renews the leases of all foci. Most of this is waiting for the end of
 * checks that take for ever, so it runs beside other tests.
 */
import { expect, test } from 'vitest';
import { inputOf } from '../../src/tools/mcp/input-check.ts';
import { measure, table, tooSlow } from './shapes/door.ts';

const TIMEOUT = { timeout: 600_000 } as const;

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
const twice = (reference: object) => ({ allOf: [{ properties: { a: reference } }, { properties: { a: reference } }] });
const list = (items: object, rest: object = {}) => ({ type: 'object', properties: { l: { items, ...rest } } });

/** Schema, input, and what the model is told: null if the input conforms. */
const INPUTS: readonly (readonly [string, object, object, RegExp | null])[] = [
  [
    'doubled references',
    { $defs: { n: twice({ $ref: '#/$defs/n' }) }, ...twice({ $ref: '#/$defs/n' }) },
    nested(60),
    /abandoned/,
  ],
  ['doubled dynamic references', { $dynamicAnchor: 'n', ...twice({ $dynamicRef: '#n' }) }, nested(60), /abandoned/],
  [
    '8,000 objects that differ',
    list({}, { uniqueItems: true }),
    { l: Array.from({ length: 8000 }, (_, a) => ({ a })) },
    null,
  ],
  ['a catastrophic pattern', list({ type: 'string', pattern: '^(a+)+$' }), { l: [`${'a'.repeat(60)}!`] }, null],
  [
    'a huge enum',
    list({ enum: Array.from({ length: 5000 }, (_, a) => ({ a })) }),
    { l: Array.from({ length: 9000 }, () => ({ a: 4999 })) },
    null,
  ],
  [
    'nine million faults',
    list({ allOf: Array(1000).fill(false) }),
    { l: Array(9000).fill(1) },
    /abandoned|boolean schema/,
  ],
  [
    '90,000 keys',
    { type: 'object' },
    Object.fromEntries(Array.from({ length: 90_000 }, (_, n) => [`k${n}`, n])),
    /10,000 elements/,
  ],
];

test.each(INPUTS)('no schema blocks the event loop: %s', TIMEOUT, async (what, schema, input, told) => {
  const type = inputOf({ type: 'object', ...schema });
  const told_: string[] = [];
  await measure('MCP input', what, 0, async () => {
    const parsed = await type.safeParseAsync(input);
    told_.push(parsed.success ? '' : parsed.error.issues.map(({ message }) => message).join('; '));
  });
  expect(tooSlow(), table()).toEqual([]);
  if (told !== null) expect(told_[0]).toMatch(told);
});

test('a schema that takes for ever delays another by less than a second', TIMEOUT, async () => {
  const [, schema, input] = INPUTS[0]!;
  const slow = Array.from({ length: 3 }, () => inputOf({ type: 'object', ...schema }).safeParseAsync(input));
  const ordinary = inputOf({ type: 'object', required: ['a'] });
  expect((await ordinary.safeParseAsync({})).error?.issues[0]?.message).toContain("required property 'a'");
  expect(await Promise.race([Promise.all(slow), Promise.resolve('under way')])).toBe('under way');
  for (const { success } of await Promise.all(slow)) expect(success).toBe(false);
});
