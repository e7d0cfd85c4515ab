import { describe, expect, test } from 'vitest';
import { harmless, harmlessJson, harmlessLines } from '../../../src/core/text/harmless.ts';

describe('text from outside', () => {
  test('keeps no character that controls a terminal or reorders text', () => {
    expect(harmless('a\u001b[2Jb\u009b31mc\u0007\u202egnp.exe\u0000')).toBe(
      'a\\x1b[2Jb\\x9b31mc\\x07\\u202egnp.exe\\x00',
    );
    expect(harmless('two\r\n  lines\tand a tab')).toBe('two lines and a tab');
    expect(harmlessLines('one\r\ntwo\rover')).toEqual(['one', 'two\\x0dover']);
    expect(harmless('\ud800')).toBe('\ufffd');
  });

  test('is unchanged after a round trip through JSON', () => {
    const text = 'a\u001b\u009b\u202e\u2028\u007f"\n日本';
    const json = harmlessJson({ text }, 2);
    expect(JSON.parse(json)).toEqual({ text });
    expect(json).not.toMatch(/[\u007f-\u009f\u2028\u202e]/);
  });

  test('takes time linear in the length of the text', () => {
    const startedMs = performance.now();
    expect(harmless(' '.repeat(2_000_000))).toHaveLength(2_000_000);
    expect(harmless(`a${'\n \n'.repeat(500_000)}b`)).toBe('a b');
    // A quadratic implementation takes hours.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});
