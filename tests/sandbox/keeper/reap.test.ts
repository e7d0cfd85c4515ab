import { describe, expect, test } from 'vitest';
import { processMark } from '../../../src/process/trace/process-mark.ts';
import { isLeft, type Reaper } from '../../../src/sandbox/keeper/reap.ts';

const MINE = processMark(process.pid);
const REAPER: Reaper = {
  marks: { daemon: 'me', process: MINE },
  keeper: 'k2',
  dead: ['gone'],
  holds: (id) => id === 'held',
};

const left = (labels: Record<string, string>, id = 'c') => isLeft({ Id: id, Labels: labels }, REAPER);

describe.skipIf(MINE === '')('a container is left over', () => {
  test('if a former keeper of this daemon held it', () => {
    expect(left({ 'animus.daemon': 'me', 'animus.keeper': 'k1', 'animus.process': MINE })).toBe(true);
  });

  test('if this keeper does not hold it', () => {
    const labels = { 'animus.daemon': 'me', 'animus.keeper': 'k2', 'animus.process': MINE };
    expect(left(labels)).toBe(true);
    expect(left(labels, 'held')).toBe(false);
  });

  test('if the process of its daemon is gone, on this host', () => {
    const started = MINE.split('/').slice(0, -1).join('/');
    expect(left({ 'animus.daemon': 'other', 'animus.process': MINE })).toBe(false);
    expect(left({ 'animus.daemon': 'other', 'animus.process': `${started}/1` })).toBe(true);
    // The process lives, whatever the table of daemons says.
    expect(left({ 'animus.daemon': 'gone', 'animus.process': MINE })).toBe(false);
  });

  test('elsewhere only if its daemon is known to be dead', () => {
    expect(left({ 'animus.daemon': 'other', 'animus.process': 'elsewhere/1/1/1' })).toBe(false);
    expect(left({ 'animus.daemon': 'gone', 'animus.process': 'elsewhere/1/1/1' })).toBe(true);
    expect(left({})).toBe(false);
  });
});
