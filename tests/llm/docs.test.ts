import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type FailureKind, isFailureOfTheWorld, type Message } from '../../src/llm/client.ts';
import { parseScript } from '../../src/llm/scripted/script.ts';
import { selectAnswer } from '../../src/llm/scripted/select-answer.ts';
import { requestOf } from './llm-call.ts';

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');

/** Every kind; the type keeps it complete. */
const KINDS: Readonly<Record<FailureKind, true>> = {
  rate_limit: true,
  overloaded: true,
  connection: true,
  timeout: true,
  credentials: true,
  quota: true,
  invalid_request: true,
  context_overflow: true,
  model_not_found: true,
  content_filter: true,
  protocol: true,
  aborted: true,
};

test('docs/models.md lists every kind of failure, and whose it is', () => {
  const rows = [...read('models.md').matchAll(/^\| `(\w+)` \| (world|request) \|/gm)];
  const told = Object.fromEntries(rows.map(([, kind, whose]) => [kind, whose]));
  const from = {
    provider: 'p',
    model: 'm',
    message: '',
    httpStatus: null,
    retryAfterMs: null,
    requestId: null,
    attempts: 1,
    lost: 0,
  };
  const actual = (Object.keys(KINDS) as FailureKind[]).map((kind) => [
    kind,
    isFailureOfTheWorld({ ...from, kind }) ? 'world' : 'request',
  ]);
  expect(told).toEqual(Object.fromEntries(actual));
});

const saying = (text: string): Message[] => [{ role: 'user', content: [{ type: 'text', text }] }];

const [, example = ''] = /```toml\n([^]*?)```/.exec(read('scripted.md'))!;

test('the first example of docs/scripted.md plays as its comments say', () => {
  const script = parseScript(example, 'scripted.md');
  const play = (turn: number, text: string) => selectAnswer(script, requestOf({ turn, messages: saying(text) }))?.text;
  expect(play(1, 'go')).toBe('I read both files at once.');
  expect(play(2, 'read')).toBe('The offset is added twice.');
  expect(play(2, '3 failing')).toBe('Not yet. Once more.');
  expect(play(3, '0 failing')).toBe('Done.');
  expect(play(4, '0 failing')).toBeUndefined();
});
