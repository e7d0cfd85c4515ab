/** Promise: foci that begin within a second share one reading, per audience; a failed reading stops no work. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type AwarenessSettings, awarenessTable, readAwareness } from '../../../src/catalog/faculty/awareness.ts';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { shareAwareness } from '../../../src/daemon/awareness/shared-awareness.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import type { ClaimedWork } from '../../../src/store/work/work.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

/** The defaults. */
const SETTINGS = readAwareness(awarenessTable().parse({}));

const faculty = (over: Partial<AwarenessSettings> = {}) =>
  ({ name: 'f', awareness: { ...SETTINGS, ...over } }) as Faculty;
const work = (over: Partial<ClaimedWork> = {}) =>
  ({ id: randomUUID(), faculty: 'f', params: {}, parentId: null, submittedBy: 'ada', ...over }) as ClaimedWork;

/** A database that answers each reading with a count of them, at a clock that stands still. */
function shared() {
  const asked: (readonly unknown[])[] = [];
  const lines: string[] = [];
  const state = { fails: false, atMs: 0 };
  const clock = { ...systemClock, monotonicMs: () => state.atMs };
  const query = async (sql: string, params: readonly unknown[] = []) => {
    if (sql.includes('animus.audience_of(')) return [{ audience: ['ada', 'bob'] }];
    asked.push(params);
    if (state.fails) throw new Error('out of order');
    if (sql.includes('animus.ancestors(')) return [{ ancestors: ['root'] }];
    const none = { workItemId: null, faculty: '', params: null, ancestors: null, ageSeconds: 1, total: null };
    const other = { ...none, kind: 'running', workItemId: 'other', faculty: 'g', content: null, total: 1 };
    return [
      { ...none, kind: 'now', description: '', content: '2026-11-22T20:43:12.000000Z' },
      { ...other, description: `reading ${asked.length} of ${String(params[0])}` },
      { ...other, workItemId: 'root', description: 'the root' },
    ];
  };
  const log = { ...silentLog, warn: (_fields: object, message: string) => void lines.push(message) };
  const digestFor = shareAwareness({ query } as unknown as Queryable, clock, log);
  return { asked, lines, state, digestFor };
}

describe('the digest of foci that begin', () => {
  it('is read once for those that begin within a second, and anew for the next', async () => {
    const { asked, state, digestFor } = shared();
    const digests = await Promise.all(Array.from({ length: 50 }, () => digestFor(work(), faculty())));
    state.atMs = 999;
    digests.push(await digestFor(work(), faculty()));
    expect(new Set(digests).size).toBe(1);
    expect(digests[0]).toContain('reading 1 of ada');
    expect(asked).toEqual([[['ada'], 24]]);
    state.atMs = 1000;
    expect(await digestFor(work(), faculty())).toContain('reading 2 of ada');
  });

  it('is never shared between submitters or audiences, or between look-backs', async () => {
    const { asked, digestFor } = shared();
    expect(await digestFor(work(), faculty())).toContain('of ada');
    expect(await digestFor(work({ submittedBy: 'bob' }), faculty())).toContain('of bob');
    expect(await digestFor(work({ submittedBy: null }), faculty())).not.toContain('of ada');
    expect(await digestFor(work({ source: 'chat' }), faculty())).toContain('of ada,bob');
    await digestFor(work(), faculty({ lookbackHours: 1 }));
    expect(asked).toEqual([
      [['ada'], 24],
      [['bob'], 24],
      [[], 24],
      [['ada', 'bob'], 24],
      [['ada'], 1],
    ]);
  });

  it('leaves out the items above, which are read once per parent', async () => {
    const { asked, digestFor } = shared();
    const [first, second] = [
      await digestFor(work({ parentId: 'p' }), faculty()),
      await digestFor(work({ parentId: 'p' }), faculty()),
    ];
    expect(first).toContain('reading 1');
    expect(first).not.toContain('the root');
    expect(second).toBe(first);
    expect(asked).toEqual([[['ada', 'bob'], 24], ['p']]);
  });

  it('is not read where the faculty wants none', async () => {
    const { asked, digestFor } = shared();
    expect(await digestFor(work(), faculty({ enabled: false }))).toBeNull();
    expect(await digestFor(work(), { name: 'f' } as Faculty)).toBeNull();
    expect(asked).toEqual([]);
  });

  it('is left out when it cannot be read, which is logged, and read again for the next focus', async () => {
    const { state, lines, digestFor } = shared();
    state.fails = true;
    expect(await digestFor(work(), faculty())).toBeNull();
    expect(lines).toEqual(['the digest of other work could not be read; the focus begins without it']);
    state.fails = false;
    expect(await digestFor(work(), faculty())).toContain('reading 2');
  });
});
