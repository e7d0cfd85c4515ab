/** Times and durations as people say them, in the reader's zone. */
import { S } from '../words/strings.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** What is nearer than that is now. */
const NOW_MS = 5000;

/** `3 min ago`, `in 2 h`, `now`. */
export function relative(fromNowMs: number): string {
  const ms = Math.abs(fromNowMs);
  if (ms < NOW_MS) return S.time.now;
  return fromNowMs < 0 ? S.time.ago(duration(ms)) : S.time.in(duration(ms));
}

/** At most two units: `850 ms`, `4.2 s`, `3 min 20 s`, `2 h`, `5 d`. */
export function duration(ms: number): string {
  const { s, m, h, d } = S.time.units;
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 1 : 0)} ${s}`;
  if (ms < 10 * MINUTE) return pair(Math.floor(ms / MINUTE), m, Math.floor((ms % MINUTE) / SECOND), s);
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} ${m}`;
  if (ms < DAY) return pair(Math.floor(ms / HOUR), h, Math.floor((ms % HOUR) / MINUTE), m);
  return `${Math.floor(ms / DAY)} ${d}`;
}

function pair(many: number, unit: string, few: number, smaller: string): string {
  return few === 0 ? `${many} ${unit}` : `${many} ${unit} ${few} ${smaller}`;
}

/** With seconds and the zone. */
export function exact(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' });
}
