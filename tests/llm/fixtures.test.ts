import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anthropicWire } from '../../src/llm/anthropic/wire.ts';
import type { Message } from '../../src/llm/client.ts';
import { modelInfo } from '../../src/llm/models/models.ts';
import { openaiWire } from '../../src/llm/openai/wire.ts';
import { responsesWire } from '../../src/llm/responses/wire.ts';
import { answerReader } from '../../src/llm/transport/answer-reader.ts';
import type { Fault } from '../../src/llm/wire/fault.ts';
import type { Answer, Wire } from '../../src/llm/wire/wire.ts';
import { type ModelServer, startServer } from '../support/model-server/server.ts';
import { call, llmOf, requestOf } from './llm-call.ts';

interface Expected {
  readonly answer?: Partial<Answer>;
  readonly fault?: Partial<Fault>;
}

interface Fixture {
  readonly name: string;
  readonly kind: 'anthropic' | 'openai' | 'responses';
  readonly bytes: Buffer;
  readonly expected: Expected;
  readonly isStream: boolean;
}

const options = { provider: 'p', host: 'localhost', infoOf: (model: string) => modelInfo('p', model) };
const WIRES: Readonly<Record<Fixture['kind'], Wire>> = {
  anthropic: anthropicWire(options),
  openai: openaiWire(options),
  responses: responsesWire(options),
};

function load(kind: Fixture['kind']): Fixture[] {
  const folder = new URL(`../fixtures/${kind}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => /\.(sse|body)$/.test(file))
    .map((file) => {
      const name = file.replace(/\.\w+$/, '');
      const expected = JSON.parse(readFileSync(new URL(`${name}.expected.json`, folder), 'utf8')) as Expected;
      return { name, kind, bytes: readFileSync(new URL(file, folder)), expected, isStream: file.endsWith('.sse') };
    });
}

/** Reads the pieces as a body that came with status 200. */
function play(kind: Fixture['kind'], pieces: readonly Buffer[]): Answer | Fault {
  const wire = WIRES[kind];
  const reader = answerReader(
    wire.fold(requestOf({ model: 'asked' }), () => undefined),
    wire.classify,
  );
  reader.begin(200);
  for (const piece of pieces) if (reader.chunk(piece) === 'broken') break;
  return reader.result();
}

/** Ids that animus made stand as `*` in the expectations. */
function comparable(result: Answer | Fault): unknown {
  if (result.type === 'fault') return result;
  const content = result.content.map((block) =>
    block.type === 'tool_call' && /^call_[0-9a-f]{24}$/.test(block.id) ? { ...block, id: '*' } : block,
  );
  return { ...result, content };
}

function expectResult(result: Answer | Fault, { answer, fault }: Expected): void {
  if (!answer) return expect(result).toMatchObject({ type: 'fault', ...fault });
  const got = comparable(result) as Record<string, unknown>;
  expect(got['type'] === 'answer' ? got : result).toMatchObject({ type: 'answer' });
  for (const [key, value] of Object.entries(answer)) expect(got[key], key).toEqual(value);
}

function split(bytes: Buffer, nextSize: () => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = nextSize();
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

/** A small generator, so that a failing split can be found again. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const ONE = () => 1;

function eventsOf(bytes: Buffer): string[] {
  return bytes.toString().match(/[^]+?(\n\n|$)/g) ?? [];
}

const FIXTURES = [...load('anthropic'), ...load('openai'), ...load('responses')];
function eventEnds(bytes: Buffer): number[] {
  let at = 0;
  return eventsOf(bytes).map((event) => (at += Buffer.byteLength(event)));
}

const PINGS: Readonly<Record<Fixture['kind'], string>> = {
  anthropic: 'event: ping\ndata: {"type":"ping"}\n\n',
  openai: '',
  responses: 'event: keepalive\ndata: {"type":"keepalive","sequence_number":3}\n\n',
};
const STREAMS = FIXTURES.filter(({ isStream, bytes }) => isStream && bytes.includes('data:'));

describe.each(FIXTURES)('$kind: $name', ({ kind, bytes, expected }) => {
  test('whole', () => {
    expectResult(play(kind, [bytes]), expected);
  });

  test('byte by byte', () => {
    expectResult(play(kind, split(bytes, ONE)), expected);
  });

  test('split at random', () => {
    for (let seed = 1; seed <= 25; seed += 1) {
      const next = random(seed);
      expectResult(
        play(
          kind,
          split(bytes, () => 1 + Math.floor(next() * 40)),
        ),
        expected,
      );
    }
  });

  test('cut at every byte (long ones: every event and every seventh byte): the same answer or a broken connection, never half a call', () => {
    const whole = play(kind, [bytes]);
    const same = whole.type === 'answer' ? (comparable(whole) as Answer).content : null;
    const events = new Set(eventEnds(bytes));
    for (let end = 0; end < bytes.length; end += 1) {
      if (bytes.length > 1500 && end % 7 > 0 && !events.has(end)) continue;
      const cut = play(kind, [bytes.subarray(0, end)]);
      if (cut.type === 'answer') expect((comparable(cut) as Answer).content).toEqual(same);
      else if (same) expect({ kind: cut.kind, end }).toEqual({ kind: 'connection', end });
    }
  });
});

describe.each(STREAMS)('$kind: $name, framed otherwise', ({ kind, bytes, expected }) => {
  test.each(['\r\n', '\r'])('lines end in %j, also split inside it', (end) => {
    const other = Buffer.from(bytes.toString().replaceAll('\n', end));
    expectResult(play(kind, [other]), expected);
    expectResult(play(kind, split(other, ONE)), expected);
  });

  test('comments, pings and unknown fields stand between', () => {
    const noise = `: keep-alive\n\n${PINGS[kind]}retry: 5\n\nid: 7\n\n`;
    const noisy = Buffer.from(`\uFEFF${noise}${eventsOf(bytes).join(noise)}`);
    expectResult(play(kind, [noisy]), expected);
    expectResult(play(kind, split(noisy, ONE)), expected);
  });
});

describe('over real sockets', () => {
  let server: ModelServer;
  let current: Fixture;

  beforeAll(async () => {
    server = await startServer(() => {
      const type = current.isStream ? 'text/event-stream' : 'application/json';
      return { status: 200, headers: { 'content-type': type }, parts: [current.bytes], pieceBytes: 97 };
    });
  });

  afterAll(() => server.close());

  test.each(FIXTURES)('$kind: $name', async (fixture) => {
    current = fixture;
    const provider = {
      anthropic: { kind: 'anthropic', baseUrl: server.url },
      openai: { kind: 'openai', baseUrl: `${server.url}/v1` },
      responses: { kind: 'openai', baseUrl: `${server.url}/v1`, wire: 'responses' },
    } as const;
    const llm = llmOf({ ...provider[fixture.kind], retry: { maxAttempts: 1 } });
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
    const result = await call(llm, { model: 'asked', messages });
    await llm.stop();
    const { answer, fault } = fixture.expected;
    if (answer) expect(result).toMatchObject({ ok: true, response: { stopReason: answer.stopReason } });
    else expect(result).toMatchObject({ ok: false, failure: fault?.kind ? { kind: fault.kind } : {} });
  });
});
