/** One measured process: `worst-client.ts PORT WIRE STREAM`. Prints one line of JSON. */
import { createLlm } from '../../../src/llm/llm.ts';

/** How a stream ended, and what it took. */
export interface Endured {
  /** `answer`, or the kind of the failure. */
  readonly ended: string;
  /** The longest time in which the event loop did nothing else, in processor time of its thread: a busy machine adds nothing. */
  readonly lagMs: number;
  /** The highest resident memory, above what the process had before the call. */
  readonly memoryMb: number;
  readonly wallMs: number;
}

const [port, wire, name] = process.argv.slice(2) as [string, 'anthropic' | 'openai', string];
const baseUrl = `http://127.0.0.1:${port}/${wire}/${encodeURIComponent(name)}`;
const llm = createLlm({
  defaultProvider: 'p',
  providers: { p: { kind: wire, baseUrl, apiKey: 'some-long-key', retry: { maxAttempts: 1 } } },
});
const { client } = llm.resolve('m');
const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] as const;
const request = { model: 'm', system: '', tools: [], messages, maxTokens: 100 };

const busyMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let characters = 0;
const peakKb = () => process.resourceUsage().maxRSS;
const beforeKb = peakKb();
let lagMs = 0;
let tickMs = busyMs();
const ticks = setInterval(() => {
  const nowMs = busyMs();
  lagMs = Math.max(lagMs, nowMs - tickMs);
  tickMs = nowMs;
}, 1);
const startedMs = performance.now();
const result = await client.complete(request, {
  signal: AbortSignal.timeout(120_000),
  onEvent: (event) => {
    characters += 'text' in event ? event.text.length : 0;
  },
});
const wallMs = performance.now() - startedMs;
await new Promise((resolve) => setTimeout(resolve, 5));
clearInterval(ticks);
await llm.stop();
const endured: Endured = {
  ended: result.ok ? 'answer' : result.failure.kind,
  lagMs,
  memoryMb: (peakKb() - beforeKb) / 1024,
  wallMs,
};
process.stdout.write(`${JSON.stringify(endured)}\n`);
