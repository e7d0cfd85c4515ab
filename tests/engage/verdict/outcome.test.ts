import { describe, expect, it } from 'vitest';
import { holdOutcome, outcomeInstruction, readOutcome, summaryOf } from '../../../src/engage/verdict/outcome.ts';

const SCHEMA = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, additionalProperties: false };
const OF_ONE = { kind: 'outcome', outcome: { n: 1 } };

describe('the outcome of a final answer', () => {
  it('without a schema is its text', async () => {
    expect(await readOutcome('{"n": 1}', null)).toEqual({ kind: 'outcome', outcome: { text: '{"n": 1}' } });
    expect(outcomeInstruction(null)).toBe('');
  });

  it.each([
    ['the whole text', ' \n{"n": 1}\n'],
    ['a fenced block after words', 'Done.\n```json\n{"n": 1}\n```'],
    ['a fenced block without a language, words after it', '```\n{"n": 1}\n```\nThat is all.'],
    ['the last of several blocks', '```json\n{"n": "old"}\n```\nno:\n```json\n{"n": 1}\n```'],
    ['a block between longer fences', '````json\n{"n": 1}\n````'],
    ['a block with windows line ends', 'x\r\n```json\r\n{"n": 1}\r\n```\r\n'],
    ['an object in a block that never ends', 'so:\n```json\n{"n": 1}'],
    ['an object after words', 'Here it is: {"n": 1}'],
    ['an object before words', '{"n": 1} is what I found.'],
    ['the one object that conforms', 'I called f({"m": 2}) and {x}, "{" aside, and got {"n": 1}.'],
    ['the same object twice', '{"n": 1}, once more: {"n":1}'],
    ['an object after a block of something else', '```sh\nls\n```\nso {"n": 1}'],
    ['a block between tildes', '~~~\n{"n": 1}\n~~~'],
  ])('is found as %s', async (_, text) => {
    expect(await readOutcome(text, SCHEMA)).toEqual(OF_ONE);
  });

  it.each([
    ['words alone', 'I did it.', 'no JSON object'],
    ['broken JSON', '{"n": 1', 'not valid JSON'],
    ['an array', '```json\n[1]\n```', 'JSON that is not an object'],
    ['a wrong type', '{"n": "1"}', '/n must be integer'],
    ['a missing property', '{}', "the object must have required property 'n'"],
    ['a property too many', '{"n": 1, "m": 2}', 'must not have the property "m"'],
    ['two objects', '{"n": 1}\n{"n": 2}', '2 different JSON objects in it conform'],
    ['one object among words that does not conform', 'Here: {"n": "1"}', '/n must be integer'],
    ['two objects of which none conforms', '{"n": "1"} or {"n": "2"}', 'not valid JSON'],
    [
      'a block that does not conform, whatever else is there',
      '{"n": 1}\n```json\n{"n": 2.5}\n```',
      '/n must be integer',
    ],
  ])('is invalid as %s', async (_, text, problem) => {
    expect(await readOutcome(text, SCHEMA)).toMatchObject({
      kind: 'invalid',
      problems: [expect.stringContaining(problem)],
    });
  });

  it('reports all errors at once, up to a limit', async () => {
    const schema = { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } };
    const list = Array.from({ length: 1000 }, (_, n) => `${n}`);
    const reading = await readOutcome(JSON.stringify({ list }), schema);
    expect(reading).toMatchObject({ kind: 'invalid' });
    expect(reading.kind === 'invalid' && reading.problems).toHaveLength(21);
  });

  it('is parsed in time linear in the length of the answer', async () => {
    const text = '```'.repeat(1_000_000);
    const startedMs = performance.now();
    expect(await readOutcome(`x\n${text}`, SCHEMA)).toMatchObject({ kind: 'invalid' });
    // A quadratic implementation takes hours.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(await readOutcome(`x ${'{'.repeat(1_000_000)}`, SCHEMA)).toMatchObject({ kind: 'invalid' });
  });
});

describe('the summary', () => {
  it.each([
    ['the first line of the answer', 'Fixed it.\nMore.', { text: 'x' }, 'Fixed it.'],
    ['the field of that name', '{"summary": "short\\nlong"}', { summary: 'short\nlong' }, 'short'],
    ['words before a fenced block', 'All good.\n```json\n{}\n```', { n: 1 }, 'All good.'],
    ['the object itself where there are no words', '```json\n{"n": 1}\n```', { n: 1 }, '{"n":1}'],
    ['not a field that is not text', '{"summary": 3}', { summary: 3 }, '{"summary":3}'],
  ])('is %s', async (_, text, outcome, summary) => {
    expect(summaryOf(text, outcome)).toBe(summary);
  });

  it('is cut at 300 characters, never inside a character', async () => {
    const summary = summaryOf('😀'.repeat(400), { text: '' });
    expect(summary.length).toBeLessThanOrEqual(300);
    expect(summary.isWellFormed()).toBe(true);
  });
});

it('of a command, a hook or code may be anything without a schema; with one, what does not conform is told', async () => {
  expect(await holdOutcome('text', null)).toEqual({ kind: 'outcome', outcome: { value: 'text' } });
  expect(await holdOutcome({ n: 'x' }, null)).toEqual({ kind: 'outcome', outcome: { n: 'x' } });
  expect(await holdOutcome({ n: 1 }, SCHEMA)).toEqual(OF_ONE);
  expect(await holdOutcome([], SCHEMA)).toMatchObject({ kind: 'invalid' });
});
