import { createParser } from 'eventsource-parser';
import { Agent } from 'undici';
import { createLlm } from '../../../src/llm/llm.ts';
import { type BenchWire, FORMATS } from './wires.ts';

/** One measured process: `client.ts PORT bare|animus WIRE CALLS DELTAS CONCURRENCY`. Prints one line of JSON. */
const [port, what, wire, calls, deltas, concurrency] = process.argv
  .slice(2)
  .map((each, at) => (at === 1 || at === 2 ? each : Number(each))) as [
  number,
  'bare' | 'animus',
  BenchWire,
  number,
  number,
  number,
];

const url = `http://127.0.0.1:${port}`;
const format = FORMATS[wire];

interface Runner {
  /** Makes one call; returns the number of characters of its text. */
  readonly run: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** The minimum that any client needs: read the body, frame the events, parse each, put the text together. */
function bare(): Runner {
  const agent = new Agent();
  return {
    async run() {
      const body = JSON.stringify({
        model: String(deltas),
        max_tokens: 1000,
        stream: true,
        messages: [{ role: 'user', content: 'x' }],
      });
      const headers = { 'content-type': 'application/json' };
      const response = await agent.request({ origin: url, path: format.path, method: 'POST', headers, body });
      let text = '';
      const decoder = new TextDecoder();
      const parser = createParser({
        onEvent: ({ data }) => {
          if (data === '[DONE]') return;
          text += format.textOf(JSON.parse(data) as Record<string, unknown>);
        },
      });
      for await (const chunk of response.body) parser.feed(decoder.decode(chunk as Buffer, { stream: true }));
      return text.length;
    },
    stop: () => agent.close(),
  };
}

/** The whole client, with live events. */
function animus(): Runner {
  const provider = { ...format.settings, baseUrl: `${url}${format.base}`, apiKey: 'k' };
  const llm = createLlm({ defaultProvider: 'p', providers: { p: provider } });
  const { client } = llm.resolve(String(deltas));
  const request = {
    model: String(deltas),
    system: '',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    maxTokens: 1000,
  } as const;
  return {
    async run() {
      let length = 0;
      const onEvent = (event: { type: string; text?: string }) => {
        length += event.text?.length ?? 0;
      };
      const result = await client.complete(request, { signal: new AbortController().signal, onEvent });
      if (!result.ok) throw new Error(result.failure.message);
      return length;
    },
    stop: () => llm.stop(),
  };
}

async function inParallel(runner: Runner, count: number): Promise<void> {
  let left = count;
  const worker = async () => {
    while (left-- > 0) {
      const length = await runner.run();
      if (length !== deltas * 12) throw new Error(`got ${length} characters instead of ${deltas * 12}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker));
}

const runner = what === 'bare' ? bare() : animus();
await inParallel(runner, Math.max(concurrency, Math.ceil(calls / 4)));
const before = process.cpuUsage();
const startedMs = performance.now();
const memory: number[] = [];
for (let quarter = 0; quarter < 4; quarter += 1) {
  await inParallel(runner, Math.ceil(calls / 4));
  globalThis.gc?.();
  memory.push(process.memoryUsage().heapUsed);
}
const { user, system } = process.cpuUsage(before);
await runner.stop();
const wallMs = performance.now() - startedMs;
process.stdout.write(
  `${JSON.stringify({ cpuMs: (user + system) / 1000, wallMs, heapMb: memory.map((bytes) => bytes / 1e6) })}\n`,
);
