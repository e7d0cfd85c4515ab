import { describe, expect, it } from 'vitest';
import type { ChildReport } from '../../../src/store/transcript/children.ts';
import { childrenText, countsText } from '../../../src/tools/children/child-text.ts';

const DONE: ChildReport = {
  id: 'c1',
  faculty: 'reader',
  mergedInto: null,
  detached: false,
  state: 'completed',
  ended: true,
  visible: true,
  description: 'Read it',
  summary: 'It says 42.',
  outcome: '{"answer": 42}',
  outcomeBytes: 14,
  error: null,
  ledger: [{ type: 'finding', content: 'page 3\nsays so' }],
};
const OPEN: ChildReport = {
  ...DONE,
  id: 'c2',
  state: 'running',
  ended: false,
  summary: null,
  outcome: null,
  outcomeBytes: null,
};

describe('the result of child work', () => {
  it('shows what an ended child gave, and of an open one what it does', () => {
    expect(childrenText([DONE, { ...OPEN, ledger: [{ type: 'step', content: 'half of it' }] }])).toBe(
      `## c1 (reader): completed
Summary: It says 42.
Outcome: {"answer": 42}
Latest findings:
- [finding] page 3
  says so

## c2 (reader): running
Task: Read it
Latest ledger entries:
- [step] half of it`,
    );
    expect(countsText([DONE, OPEN, { ...DONE, state: 'dead' }, { ...DONE, state: null }])).toBe(
      '1 completed, 1 open, 1 dead, 1 deleted',
    );
  });

  it('does not repeat a text as its own summary', () => {
    const text = childrenText([{ ...DONE, summary: 'It says 42.', outcome: 'It says 42.\nAnd more.', ledger: [] }]);
    expect(text).toBe('## c1 (reader): completed\nOutcome: It says 42.\nAnd more.');
  });

  it('says why a child died, and into what it was merged', () => {
    const dead = { ...DONE, state: 'dead', summary: null, outcome: null, error: 'it crashed', ledger: [] } as const;
    expect(childrenText([dead])).toBe('## c1 (reader): dead\nError: it crashed');
    const hidden = { ...dead, state: 'completed', error: null, mergedInto: 'm1', visible: false } as const;
    expect(childrenText([hidden])).toBe(
      '## c1 (reader): completed; it was merged into m1, which does the same work, and belongs to somebody else: only its state is shown',
    );
  });

  it('gives all children a share of a bounded length', () => {
    const long = {
      ...DONE,
      summary: 's'.repeat(10_000),
      outcome: 'x'.repeat(100_000),
      outcomeBytes: 5_000_000,
      error: 'e'.repeat(10_000),
    };
    const one = childrenText([long]);
    expect(one.length).toBeLessThan(50_000);
    expect(one).toContain('[cut: 5000000 in all]');
    const many = childrenText(
      Array.from({ length: 50 }, () => ({
        ...long,
        ledger: Array.from({ length: 5 }, () => ({ type: 'finding' as const, content: 'f'.repeat(2000) })),
      })),
    );
    expect(many.length).toBeLessThan(90_000);
    expect(many.split('## c1')).toHaveLength(51);
  });
});
