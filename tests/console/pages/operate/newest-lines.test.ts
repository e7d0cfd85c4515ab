import { expect, test } from 'vitest';
import { newestLines } from '../../../../src/console/pages/operate/newest-lines.ts';

test('the newest lines come first, and it is said that there are more', () => {
  const text = '{"id":"1"}\n{"id":"2"}\n{"id":"3"}\n';
  expect(newestLines(text, 2)).toEqual({ lines: [{ id: '3' }, { id: '2' }], more: true });
  expect(newestLines(text, 3).more).toBe(false);
  expect(newestLines('', 3)).toEqual({ lines: [], more: false });
});
