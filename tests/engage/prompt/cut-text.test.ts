import { array, assert, integer, nat, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { cutEnd, cutMiddle, fairShare, fitEntries } from '../../../src/engage/prompt/cut-text.ts';

const unicode = string({ unit: 'binary', maxLength: 200 });

it('cuts at whole characters and within the limit, and does not change text that fits', () => {
  assert(
    property(unicode, integer({ min: 10, max: 400 }), (text, bytes) => {
      const note = (leftOut: number) => `<${leftOut}>`;
      for (const cut of [cutEnd(text, bytes, '…'), cutMiddle(text, bytes, note)]) {
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(Math.max(bytes, 0));
        expect(cut.isWellFormed()).toBe(true);
        expect(cut).not.toContain('\uFFFD');
        if (Buffer.byteLength(text) <= bytes) expect(cut).toBe(text);
      }
    }),
    { examples: [['👩‍👩‍👧‍👦'.repeat(20), 31]] },
  );
});

it('reports how many bytes it left out', () => {
  const cut = cutMiddle('世'.repeat(100), 100, (leftOut) => `<${leftOut}>`);
  const [, first, leftOut, last] = /^(世+)<(\d+)>(世+)$/.exec(cut)!;
  expect(Buffer.byteLength(first! + last!) + Number(leftOut)).toBe(300);
});

it('gives every text a fair share: short texts stay whole, and the sum stays within the limit', () => {
  assert(
    property(array(nat(5000), { maxLength: 20 }), nat(20_000), (sizes, total) => {
      const share = fairShare(sizes, total);
      const sum = sizes.reduce((all, size) => all + Math.min(size, share), 0);
      const whole = sizes.reduce((all, size) => all + size, 0);
      if (whole <= total) expect(share).toBe(Infinity);
      else expect(sum).toBeLessThanOrEqual(total);
      // Nothing is cut unnecessarily: one more byte for each of the cut texts does not fit.
      const cut = sizes.filter((size) => size > share).length;
      if (cut > 0) expect(sum + cut).toBeGreaterThan(total - 1);
    }),
  );
});

it('leaves no entry out, however many share the limit', () => {
  const entries = Array.from({ length: 50 }, (_, index) => `entry ${index}: ${'x'.repeat(1000)}`);
  const fit = fitEntries(entries, 100);
  for (const [index, entry] of entries.entries())
    expect(fit(entry)).toMatch(new RegExp(`^entry ${index}: x+ \\[…\\]$`));
});
