/** The worst streams that a server may send, in both wire formats. Each says how it must end. */

type WireName = 'anthropic' | 'openai';

/** A response of the hostile server, made while it is sent. */
export interface WorstStream {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `answer`, or the kind of the failure. */
  readonly ends: 'answer' | 'protocol' | 'overloaded';
  readonly pieces: (wire: WireName) => Iterable<string | Buffer>;
}

const MIB = 1024 * 1024;

/** A text of one character more is another object: what is sent must not share memory with what is kept. */
const EVENTS = {
  anthropic: {
    start: 'data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\n',
    open: 'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
    text: (text: string) =>
      `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${text}"}}\n\n`,
    openCall: (n: number) =>
      `data: {"type":"content_block_start","index":${n},"content_block":{"type":"tool_use","id":"t${n}","name":"a","input":{}}}\n\n`,
    json: (n: number, json: string) =>
      `data: {"type":"content_block_delta","index":${n},"delta":{"type":"input_json_delta","partial_json":"${json}"}}\n\n`,
    end: 'data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}\n\ndata: {"type":"message_stop"}\n\n',
  },
  openai: {
    start: '',
    open: '',
    text: (text: string) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`,
    openCall: (n: number) =>
      `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":${n},"id":"t${n}","function":{"name":"a","arguments":""}}]}}]}\n\n`,
    json: (n: number, json: string) =>
      `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":${n},"function":{"arguments":"${json}"}}]}}]}\n\n`,
    end: 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: [DONE]\n\n',
  },
} as const;

export const WORST_STREAMS = {
  '200 MB of deltas': { ends: 'protocol', pieces: (wire) => texts(wire, 'some tokens '.repeat(2), 1_600_000) },
  '200 MB in large deltas': { ends: 'protocol', pieces: (wire) => texts(wire, 'x'.repeat(MIB), 200) },
  '1,000,000 tiny events': { ends: 'answer', pieces: (wire) => texts(wire, 'x', 1_000_000) },
  '200 MB of comments': {
    ends: 'protocol',
    pieces: (wire) => [EVENTS[wire].start, ...Array<string>(200).fill(`: ${'x'.repeat(MIB)}\n`)],
  },
  '1,000 tool calls': { ends: 'answer', pieces: (wire) => calls(wire, 1000) },
  '10,000 tool calls': { ends: 'protocol', pieces: (wire) => calls(wire, 10_000) },
  'one 50 MB event': { ends: 'protocol', pieces: (wire) => event(wire, 'x'.repeat(50 * MIB)) },
  'one 15 MB event of quotes': { ends: 'answer', pieces: (wire) => event(wire, '\\"'.repeat(7 * MIB)) },
  'a 15 MB event nested deep': {
    ends: 'protocol',
    pieces: () => [`data: {"x":${'['.repeat(7 * MIB)}${']'.repeat(7 * MIB)}}\n\n`],
  },
  'arguments nested deep': { ends: 'answer', pieces: deepArguments },
  'a JSON body of 100 MB': {
    ends: 'protocol',
    pieces: () => ['{"choices":["', ...Array<string>(100).fill('x'.repeat(MIB))],
  },
  'an error body without end': { status: 500, ends: 'overloaded', pieces: endless },
  'unsolicited gzip without end': { headers: { 'content-encoding': 'gzip' }, ends: 'protocol', pieces: endless },
} as const satisfies Readonly<Record<string, WorstStream>>;

export type WorstStreamName = keyof typeof WORST_STREAMS;

function* texts(wire: WireName, text: string, count: number): Generator<string> {
  const { start, open, text: delta, end } = EVENTS[wire];
  yield start + open;
  const one = delta(text);
  const batch = Math.max(1, Math.floor(65_536 / one.length));
  for (let at = 0; at < count; at += batch) yield one.repeat(Math.min(batch, count - at));
  yield end;
}

function* calls(wire: WireName, count: number): Generator<string> {
  const { start, openCall, json, end } = EVENTS[wire];
  yield start;
  for (let n = 0; n < count; n += 1) yield openCall(n) + json(n, '{\\"a\\":1}');
  yield end;
}

function* event(wire: WireName, text: string): Generator<string> {
  const { start, open, text: delta, end } = EVENTS[wire];
  yield start + open;
  yield delta(text);
  yield end;
}

function* deepArguments(wire: WireName): Generator<string> {
  const { start, openCall, json, end } = EVENTS[wire];
  yield start + openCall(0);
  for (const bracket of ['[', ']']) for (let n = 0; n < 7 * 16; n += 1) yield json(0, bracket.repeat(65_536));
  yield end;
}

function* endless(): Generator<Buffer> {
  const piece = Buffer.alloc(65_536, 'x');
  for (;;) yield piece;
}
