import { describe, expect, test } from 'vitest';
import { base64Of } from '../../../../src/console/pages/submit/base64.ts';
import { fieldsOf, firstTyped, paramsOf } from '../../../../src/console/pages/submit/schema.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    topic: { type: 'string', title: 'Topic', description: 'What for', maxLength: 100 },
    text: { type: 'string' },
    depth: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
    rate: { type: 'number' },
    kind: { enum: ['short', 'long', 3] },
    draft: { type: 'boolean', default: false },
    tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
    more: { type: 'object' },
    odd: true,
  },
  required: ['topic', 'rate'],
};
const WORDS = { required: 'required', number: 'no number', json: (why: string) => `no JSON: ${why.slice(0, 0)}` };
const fields = fieldsOf(SCHEMA)!;

describe('fieldsOf', () => {
  test('makes a field of each property', () => {
    expect(fields.map(({ name, kind, required }) => `${name} ${kind}${required ? ' required' : ''}`)).toEqual([
      'topic text required',
      'text long',
      'depth whole',
      'rate number required',
      'kind choice',
      'draft yes-no',
      'tags list',
      'more json',
      'odd json',
    ]);
    expect(fields[0]).toMatchObject({ title: 'Topic', description: 'What for' });
    expect(fields[2]).toMatchObject({ least: 1, most: 5, first: '2' });
  });

  test('gives up where a form cannot say everything', () => {
    expect(fieldsOf(null)).toBeNull();
    expect(fieldsOf({ type: 'object' })).toBeNull();
    expect(fieldsOf({ ...SCHEMA, oneOf: [] })).toBeNull();
    expect(fieldsOf({ properties: { a: {} }, $ref: '#/x' })).toBeNull();
    const many = Object.fromEntries(Array.from({ length: 61 }, (_, at) => [`p${at}`, {}]));
    expect(fieldsOf({ properties: many })).toBeNull();
  });
});

describe('paramsOf', () => {
  test('reads each kind, and leaves empty fields out', () => {
    const typed = {
      topic: 'birds',
      text: '',
      depth: '3',
      rate: '0.5',
      kind: '3',
      draft: 'true',
      tags: ' a \n\nb',
      more: '{"x":1}',
      odd: '',
    };
    expect(paramsOf(fields, typed, WORDS)).toEqual({
      params: { topic: 'birds', depth: 3, rate: 0.5, kind: 3, draft: true, tags: ['a', 'b'], more: { x: 1 } },
      problems: {},
    });
  });

  test('says what is wrong with a field', () => {
    const { problems } = paramsOf(fields, { topic: 'x', more: '{', depth: 'much' }, WORDS);
    expect(problems).toEqual({ rate: 'required', more: 'no JSON: ', depth: 'no number' });
  });

  test('leaves the emptiness of required texts to the browser and the server', () => {
    expect(paramsOf(fields, { topic: '', rate: '1' }, WORDS)).toEqual({ params: { topic: '', rate: 1 }, problems: {} });
  });
});

test('firstTyped shows defaults, or what other work had', () => {
  expect(firstTyped(fields)).toMatchObject({ topic: '', depth: '2', draft: 'false', tags: 'a\nb' });
  const again = firstTyped(fields, { topic: 'birds', kind: 'long', tags: ['c'], more: { x: 1 } });
  expect(again).toMatchObject({ topic: 'birds', kind: '"long"', tags: 'c', more: '{"x":1}', depth: '2' });
  expect(paramsOf(fields, { ...again, rate: '1' }, WORDS).params).toMatchObject({
    topic: 'birds',
    kind: 'long',
    tags: ['c'],
  });
});

test('base64Of takes files of megabytes', () => {
  const bytes = new Uint8Array(1_000_000).map((_, at) => at % 256);
  expect(base64Of(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  expect(base64Of(new Uint8Array())).toBe('');
});
