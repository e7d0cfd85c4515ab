/** Sends each shape through a door and writes down what it cost. */
import { type Cost, longestTurn } from './longest-turn.ts';

/** Processor time that one turn of the event loop may take, whatever comes through a door, in milliseconds. */
export const MAX_MS = 200;

export interface Row {
  readonly door: string;
  readonly shape: string;
  readonly bytes: number;
  readonly longestMs: number;
  readonly peakMib: number;
}

const rows: Row[] = [];
let asked = 0;

/** On a busy machine processor time is longer now and then; what is too long three times is. */
const TRIES = 3;

/** Measures `pass`. What it throws is its answer, returned as `{ thrown }`. */
export async function measure(
  door: string,
  shape: string,
  bytes: number,
  pass: () => Promise<unknown>,
): Promise<unknown> {
  let answer: unknown;
  let best: Cost | null = null;
  for (let tries = 0; tries < TRIES && (best === null || best.longestMs > MAX_MS); tries += 1) {
    const cost = await longestTurn(async () => {
      answer = await pass().catch((thrown: unknown) => ({ thrown }));
    });
    if (best === null || cost.longestMs < best.longestMs) best = cost;
  }
  rows.push({ door, shape, bytes, ...best! });
  return answer;
}

/** What took too long since the last time this was asked, for people. */
export function tooSlow(): readonly string[] {
  const fresh = rows.slice(asked);
  asked = rows.length;
  return fresh
    .filter(({ longestMs }) => longestMs > MAX_MS)
    .map(({ door, shape, bytes, longestMs }) => `${door}, ${shape} (${bytes} bytes): ${Math.round(longestMs)} ms`);
}

/** Door × shape × longest silence × memory, in Markdown. */
export function table(): string {
  const head = '| door | shape | KiB | longest silence, ms | memory, MiB |\n|---|---|---|---|---|';
  const lines = rows.map(
    ({ door, shape, bytes, longestMs, peakMib }) =>
      `| ${door} | ${shape} | ${Math.ceil(bytes / 1024)} | ${Math.round(longestMs)} | ${Math.round(peakMib)} |`,
  );
  return [head, ...lines].join('\n');
}
