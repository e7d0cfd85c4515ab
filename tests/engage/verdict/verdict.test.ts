import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/engage/turn/loop-state.ts';
import { failureNotice } from '../../../src/engage/verdict/attempt.ts';
import { asksForOutcome } from '../../../src/engage/verdict/closing.ts';
import { turnsLeft } from '../../../src/engage/verdict/verdict.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import { call, called, endOf, LIMITS, said, same, textSaid, transcriptOf, verdictOf } from './judged-turns.ts';

describe('an answer', () => {
  it('with only text is the end', async () => {
    expect(await verdictOf([said('All done.')])).toEqual({
      kind: 'end',
      end: { kind: 'done', finalText: 'All done.', outcome: { text: 'All done.' } },
    });
  });

  it('with calls continues, whatever text it has beside them', async () => {
    expect(await verdictOf([called(call('read_file'), 'Let me look.')])).toEqual({ kind: 'go_on', say: [] });
  });

  it('that ends at a stop sequence or for an unknown reason is still an answer', async () => {
    expect(await endOf([{ ...said('Done.'), stopReason: 'stop_sequence' }])).toMatchObject({ kind: 'done' });
    expect(await endOf([{ ...said('Done.'), stopReason: 'other' }])).toMatchObject({ kind: 'done' });
  });

  it('with only white space is empty: one reminder, then the end', async () => {
    const first = await verdictOf([said(' \n')]);
    expect(first).toMatchObject({ kind: 'go_on', say: [{ kind: 'nudge' }] });
    expect(await endOf([said(' \n'), said('')])).toMatchObject({
      code: 'empty_answer',
      message: expect.stringContaining('twice'),
    });
  });

  it('that is empty long after another empty one gets its own reminder', async () => {
    expect(await verdictOf([said(''), called(call('bash')), said('')])).toMatchObject({
      kind: 'go_on',
      say: [{ kind: 'nudge' }],
    });
  });

  it("that is a refusal ends with the model's reason, or says that there was none", async () => {
    expect(await endOf([{ ...said('I cannot help.'), stopReason: 'refusal' }])).toMatchObject({
      code: 'refused',
      message: 'the model refused: I cannot help.',
    });
    expect(await endOf([{ ...said(''), content: [], stopReason: 'refusal' }])).toMatchObject({
      message: 'the model refused: no reason given',
    });
  });

  it('that is paused is sent back unchanged, with nothing after it', async () => {
    expect(await verdictOf([{ ...said('searching'), stopReason: 'pause_turn' }])).toEqual({ kind: 'go_on', say: [] });
    expect(await verdictOf([{ ...said(''), content: [], stopReason: 'pause_turn' }])).toEqual({
      kind: 'go_on',
      say: [],
    });
  });

  it('cut at max_tokens gets a notice with the calls that were not run', async () => {
    const cut: RecordedTurn = { ...said('I write'), stopReason: 'max_tokens', cutToolCalls: ['write_file'] };
    const verdict = await verdictOf([cut]);
    expect(verdict).toMatchObject({ kind: 'go_on', say: [{ kind: 'notice' }] });
    expect(textSaid(verdict)).toContain('write_file');
  });

  it('cut three times in a row without a complete call ends the run, and names the setting to raise', async () => {
    const cut: RecordedTurn = { ...said('I write'), stopReason: 'max_tokens' };
    expect(await verdictOf([cut, cut])).toMatchObject({ kind: 'go_on' });
    expect(await endOf([cut, cut, cut])).toMatchObject({
      code: 'cut_answers',
      message: expect.stringContaining('max_tokens'),
    });
    const working: RecordedTurn = { ...called(call('bash')), stopReason: 'max_tokens' };
    expect(await verdictOf([cut, working, cut])).toMatchObject({ kind: 'go_on' });
  });

  it('cut by a full context window continues once, and ends the second time in a row', async () => {
    const full: RecordedTurn = { ...said('as I was'), stopReason: 'context_overflow' };
    expect(textSaid(await verdictOf([full]))).toContain('context window');
    expect(await endOf([full, full])).toMatchObject({ code: 'context_overflow' });
    expect(await verdictOf([full, called(call('bash')), full])).toMatchObject({ kind: 'go_on' });
  });
});

describe('a run', () => {
  it('ends at max_turns, unless the last turn is the answer', async () => {
    expect(await endOf([called(call('a')), called(call('b'))], [], { ...LIMITS, maxTurns: 2 })).toMatchObject({
      code: 'max_turns',
      message: 'not done after 2 turns (max_turns)',
    });
    expect(await endOf([called(call('a')), said('Done.')], [], { ...LIMITS, maxTurns: 2 })).toMatchObject({
      kind: 'done',
    });
  });

  it('reports how many turns are left', async () => {
    expect(turnsLeft(transcriptOf([called(call('a'))]), { maxTurns: 3 })).toBe(2);
    expect(turnsLeft(transcriptOf([called(call('a'))]), { maxTurns: 1 })).toBe(0);
  });

  it('that repeats the same call with the same result is warned after three times and ended after five', async () => {
    expect(await verdictOf([same(), same()])).toEqual({ kind: 'go_on', say: [] });
    expect(textSaid(await verdictOf([same(), same(), same()]))).toContain(
      'read_file: the same call with the same result 3 times',
    );
    expect(await verdictOf([same(), same(), same(), same()])).toEqual({ kind: 'go_on', say: [] });
    expect(await endOf(Array.from({ length: 5 }, same))).toMatchObject({
      code: 'repeated_call',
      message: expect.stringContaining('read_file gave the same result 5 times'),
    });
  });

  it('treats inputs with another order of keys as equal', async () => {
    const turns = [
      called(call('f', { a: 1, b: { c: 1, d: 2 } })),
      called(call('f', { b: { d: 2, c: 1 }, a: 1 })),
      called(call('f', { a: 1, b: { c: 1, d: 2 } })),
    ];
    expect(textSaid(await verdictOf(turns))).toContain('3 times');
  });

  it('is not stopped for repeating a call if the result changes, or if it learned something else in between', async () => {
    const polls = Array.from({ length: 30 }, (_, n) => called(call('check', {}, `${n} of 30 done`)));
    expect(await verdictOf(polls)).toEqual({ kind: 'go_on', say: [] });
    const tests = Array.from({ length: 10 }, (_, n) => [
      called(call('bash', { command: 'npm test' }, 'exit code 1')),
      called(call('edit_file', { path: `${n}` }, 'edited')),
    ]).flat();
    expect(await verdictOf([...tests, tests[0]!])).toEqual({ kind: 'go_on', say: [] });
  });

  it('counts a call once per turn: five equal calls in one answer are one mistake', async () => {
    const calls = Array.from({ length: 5 }, () => call('list_dir'));
    expect(await verdictOf([{ ...called(call('list_dir')), calls }])).toEqual({ kind: 'go_on', say: [] });
  });

  it('that fetches again what compaction took away goes on, but not for ever', async () => {
    const cycle = (rounds: number) =>
      Array.from({ length: rounds * 6 }, (_, n) => called(call('read_file', { path: `f${n % 6}` }, `text ${n % 6}`)));
    // Before each round, everything before it is folded.
    const folds = (rounds: number): EngineMessage[] =>
      Array.from({ length: rounds }, (_, n) => ({
        afterTurn: (n + 1) * 6,
        kind: 'stub',
        content: 'folded',
        keepsFrom: (n + 1) * 6 + 1,
      }));
    expect(await endOf(cycle(3))).toMatchObject({ code: 'no_progress' });
    expect(await verdictOf(cycle(3), folds(3))).toMatchObject({ kind: 'go_on', say: [] });
    expect(await endOf(cycle(6), folds(6))).toMatchObject({ code: 'no_progress' });
  });

  it('that repeats a cycle of several calls is warned and then ended', async () => {
    const ends = Array.from({ length: 40 }, (_, n) => called(call('read_file', { path: `${n % 3}` })));
    const verdicts = await Promise.all(ends.map((_, n) => verdictOf(ends.slice(0, n + 1))));
    expect(verdicts.findIndex((verdict) => textSaid(verdict) !== '') + 1).toBe(9);
    const firstEnd = verdicts.findIndex(({ kind }) => kind === 'end');
    expect(await endOf(ends.slice(0, firstEnd + 1))).toMatchObject({ kind: 'failed', code: 'no_progress' });
    expect(firstEnd + 1).toBe(13);
  });

  it('that appends the same ledger entry again and again counts as a cycle too', async () => {
    const turns = Array.from({ length: 5 }, (_, n) =>
      called(call('ledger_append', { type: 'note', content: 'x' }, `recorded as entry ${n}`)),
    );
    expect(await endOf(turns)).toMatchObject({ code: 'repeated_call' });
  });
});

describe('an outcome that must conform to a schema', () => {
  const limits: Limits = {
    maxTurns: 5,
    outcomeSchema: { type: 'object', required: ['fixed'], properties: { fixed: { type: 'boolean' } } },
  };

  it('is the object itself if it conforms', async () => {
    expect(await endOf([said('{"fixed": true}')], [], limits)).toMatchObject({
      kind: 'done',
      outcome: { fixed: true },
    });
  });

  it('gets one repair that lists the errors, then the work fails', async () => {
    const first = await verdictOf([said('{"fixed": "yes"}')], [], limits);
    expect(textSaid(first)).toContain('/fixed must be boolean');
    const asked: EngineMessage[] = [{ kind: 'notice', content: textSaid(first), afterTurn: 1 }];
    // The same turn again, after a crash.
    expect(await verdictOf([said('{"fixed": "yes"}')], asked, limits)).toEqual({ kind: 'go_on', say: [] });
    expect(await endOf([said('{"fixed": "yes"}'), said('{"fixed": true}')], asked, limits)).toMatchObject({
      kind: 'done',
    });
    expect(await endOf([said('{"fixed": "yes"}'), called(call('bash')), said('{}')], asked, limits)).toMatchObject({
      code: 'outcome_invalid',
      message: expect.stringContaining("must have required property 'fixed'"),
    });
  });

  it('gets a closing turn before its repair, where the model is held to the schema in such a turn only', async () => {
    const closing = { ...limits, closingTurn: true };
    const first = await verdictOf([said('Done.')], [], closing);
    expect(textSaid(first)).toContain('No tool can be called in this answer');
    const asked: EngineMessage[] = [{ kind: 'notice', content: textSaid(first), afterTurn: 1 }];
    // The same turn again, after a crash.
    expect(await verdictOf([said('Done.')], asked, closing)).toEqual({ kind: 'go_on', say: [] });
    const second = await verdictOf([said('Done.'), said('{}')], asked, closing);
    expect(textSaid(second)).toContain('This is the only repair');
    const again: EngineMessage[] = [...asked, { kind: 'notice', content: textSaid(second), afterTurn: 2 }];
    expect(await endOf([said('Done.'), said('{}'), said('{}')], again, closing)).toMatchObject({
      code: 'outcome_invalid',
    });

    const asks = (turns: RecordedTurn[], messages: EngineMessage[]) => asksForOutcome(transcriptOf(turns, messages));
    expect(asks([said('Done.')], [])).toBe(false);
    expect(asks([said('Done.')], asked)).toBe(true);
    expect(asks([said('Done.'), said('{}')], again)).toBe(true);
    expect(asks([said('Done.'), called(call('bash'))], asked)).toBe(false);
    const operator: EngineMessage = { kind: 'operator', content: 'do this, too', afterTurn: 1 };
    expect(asks([said('Done.')], [...asked, operator])).toBe(false);
    const failed: EngineMessage = { kind: 'notice', content: failureNotice({ code: 'x', message: 'y' }), afterTurn: 1 };
    expect(asks([said('Done.')], [...asked, failed])).toBe(false);
  });

  it('cannot be repaired when no turn is left', async () => {
    expect(await endOf([said('words')], [], { ...limits, maxTurns: 1 })).toMatchObject({ code: 'outcome_invalid' });
  });
});
