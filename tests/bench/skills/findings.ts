/**
 * The look for recurring findings beside many of them: `npm run bench -- tests/bench/skills/findings.ts [--findings 100000]`. Prints the first pass, which
 * reads all, a pass after one more finding, and one after none; the processor time of this process, the longest time for which its event loop
 * was blocked, and what the statements read. Most texts are made of words with frequencies as in natural language; a thousand subjects recur.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { watchFindings } from '../../../src/store/work/findings.ts';
import { proposerOf, SETTINGS } from '../../daemon/findings/proposer.ts';
import { recordFindings } from '../../daemon/findings/record-findings.ts';
import { benchDatabase } from '../support/bench-database.ts';

const { values } = parseArgs({ options: { findings: { type: 'string', default: '100000' } } });
const total = Number(values.findings);
const WORDS = 30_000;
const SUBJECTS = 1000;

const random = seeded(7);
const word = () => `w${Math.floor(WORDS ** random())}x`;
const sentence = (words: number) => Array.from({ length: words }, word).join(' ');
const subjects = Array.from({ length: SUBJECTS }, () => sentence(12).split(' '));

const { db, close } = await benchDatabase(4);
try {
  for (let made = 0; made < total; made += 10_000) {
    const count = Math.min(10_000, total - made);
    await recordFindings(
      db,
      Array.from({ length: count }, (_, at) => ({
        text:
          random() < 0.1
            ? variant(subjects[Math.floor(random() * SUBJECTS)]!)
            : sentence(8 + Math.floor(random() * 30)),
        secondsAgo: 2_500_000 - (made + at) * 20,
      })),
    );
  }
  await db.query('vacuum analyze');
  const { daemonId, proposer } = proposerOf(db, { explain: () => '' });
  const pass = async (what: string) => {
    const nowUs = await watchFindings(db, daemonId, 600);
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const cpu = process.cpuUsage();
    const startedMs = performance.now();
    const { ids } = await proposer.pass(nowUs!, SETTINGS, new AbortController().signal);
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(
      `${what}: ${seconds.toFixed(2)} s, processor ${((user + system) / 1e6).toFixed(2)} s, event loop blocked at most ${Math.round(delay.max / 1e6)} ms, ` +
        `${ids.length} proposals, heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB`,
    );
  };
  await pass(`first pass over ${total} findings`);
  await recordFindings(db, [{ text: sentence(12), secondsAgo: 1 }]);
  await pass('one more finding');
  await pass('nothing new');
} finally {
  await close();
}

/** The same in other words: one in five is left out, two are added. */
function variant(subject: readonly string[]): string {
  return [...subject.filter(() => random() > 0.2), word(), word()].join(' ');
}

/** Numbers from 0 to 1, the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
