/**
 * `npm run bench -- tests/bench/skills/run.ts [--skills 5000]`: what many skills cost a daemon: how long its start waits for them, how long the first load
 * takes beside other work, how much memory the library needs, and what a reload costs when nothing, one or all of them have changed.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createShelf, type SkillShelf } from '../../../src/daemon/skills/shelf.ts';
import { openLog } from '../../../src/telemetry/log.ts';
import { nameOf, textOf, writeLibrary } from './library.ts';

const { values } = parseArgs({ options: { skills: { type: 'string', default: '5000' } } });
const count = Number(values.skills);
const root = writeLibrary(count);
try {
  await measure();
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const before = memory();
  const shelf = createShelf({
    directories: [root],
    clock: systemClock,
    log: openLog({ level: 'silent' }),
    pollMs: 1e9,
  });
  const start = await timed(() => shelf.start());
  const delays = delaysOfOthers();
  const ready = await timed(() => shelf.ready());
  const longest = delays.end();
  row('skills', `${shelf.current().skills.size}, ${shelf.current().problems.length} problems`);
  row('the start waits', both(start));
  row('first load, beside other work', both(ready));
  row('longest delay of other work by it', ms(longest));
  row('memory of the library', `${((memory() - before) / 1e6).toFixed(1)} MB`);
  await reloads(shelf);
  await shelf.stop();
}

async function reloads(shelf: SkillShelf): Promise<void> {
  await reload(shelf, 'reload, nothing changed');
  const name = nameOf(1);
  writeFileSync(join(root, name, 'SKILL.md'), `${textOf(1)}\nChanged.\n`);
  await reload(shelf, 'reload, one changed');
  if (!(shelf.current().skills.get(name)?.body.endsWith('Changed.') ?? false)) throw new Error('the change was missed');
  for (let index = 0; index < count; index++)
    writeFileSync(join(root, nameOf(index), 'SKILL.md'), `${textOf(index)}\nNew.\n`);
  await reload(shelf, 'reload, all changed');
}

/** Wall-clock and processor time of a refresh, and the longest delay of others. */
async function reload(shelf: SkillShelf, what: string): Promise<void> {
  const delays = delaysOfOthers();
  const spent = await timed(() => shelf.refresh());
  row(what, `${both(spent)}, longest delay of others ${ms(delays.end())}`);
}

/** Measures how late a timer of 1 ms fires: what a load takes away from foci in the same process. */
function delaysOfOthers(): { end(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return {
    end() {
      clearInterval(timer);
      return longest;
    },
  };
}

async function timed(act: () => Promise<unknown>): Promise<readonly [wallMs: number, cpuMs: number]> {
  await setTimeout(50);
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  await act();
  const { user, system } = process.cpuUsage(cpu);
  return [performance.now() - begun, (user + system) / 1000];
}

/** Bytes that are in use; exact only with `node --expose-gc`. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function both([wallMs, cpuMs]: readonly [number, number]): string {
  return `${ms(wallMs)}, processor ${ms(cpuMs)}`;
}

function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}

function row(what: string, figure: string): void {
  console.log(`${what.padEnd(36)} ${figure}`);
}
