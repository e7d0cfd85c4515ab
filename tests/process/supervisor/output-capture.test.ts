import { array, assert, integer, property, uint8Array } from 'fast-check';
import { expect, test } from 'vitest';
import { captureOutput } from '../../../src/process/supervisor/output-capture.ts';

test('it keeps all output that fits, otherwise beginning and end, and counts every byte, for any chunks', () => {
  assert(
    property(array(uint8Array({ maxLength: 40 })), integer({ min: 0, max: 60 }), (chunks, max) => {
      const capture = captureOutput(max);
      // Letters only, so that each byte is a character.
      const letters = chunks.map((chunk) => Buffer.from(chunk.map((byte) => 97 + (byte % 26))));
      for (const chunk of letters) capture.add(chunk);
      const all = Buffer.concat(letters).toString();
      const { text, bytes, truncated } = capture.finish();
      expect(bytes).toBe(all.length);
      expect(truncated).toBe(all.length > max);
      const [head, tail] = [all.slice(0, Math.ceil(max / 2)), all.slice(all.length - Math.floor(max / 2))];
      expect(text).toBe(truncated ? `${head}\n[… ${all.length - max} bytes left out …]\n${tail}` : all);
    }),
  );
});

test('cuts between characters, never inside one', () => {
  for (let max = 2; max < 40; max++) {
    const capture = captureOutput(max);
    capture.add(Buffer.from('aé三😀'.repeat(20)));
    expect(capture.finish().text).not.toContain('\uFFFD');
  }
});

test('replaces invalid UTF-8', () => {
  const capture = captureOutput(100);
  capture.add(Buffer.from([0x61, 0xff, 0xc3]));
  expect(capture.finish()).toEqual({ text: 'a\uFFFD\uFFFD', bytes: 3, truncated: false });
});
