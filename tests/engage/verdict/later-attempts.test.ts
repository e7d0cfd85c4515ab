import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/engage/turn/loop-state.ts';
import { failureNotice } from '../../../src/engage/verdict/attempt.ts';
import { turnsLeft } from '../../../src/engage/verdict/verdict.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import { call, called, endOf, said, same, transcriptOf, verdictOf } from './judged-turns.ts';

describe('a focus that continues after a failed attempt', () => {
  const failure = (afterTurn: number): EngineMessage => ({
    kind: 'notice',
    content: failureNotice({ code: 'hook.blocked', message: 'the tests fail' }),
    afterTurn,
  });

  it('calls the model again, whatever ended the attempt', async () => {
    expect(await verdictOf([said('Done.')], [failure(1)])).toEqual({ kind: 'go_on', say: [] });
    expect(await verdictOf(Array.from({ length: 5 }, same), [failure(5)])).toEqual({ kind: 'go_on', say: [] });
    expect(await verdictOf([said('Done.'), said('Now it is.')], [failure(1)])).toMatchObject({ end: { kind: 'done' } });
  });

  it('has all its turns, its reminder and its repair again', async () => {
    const limits: Limits = { maxTurns: 2, outcomeSchema: null };
    const turns = [called(call('a')), called(call('b')), called(call('c'))];
    expect(await verdictOf(turns, [failure(2)], limits)).toEqual({ kind: 'go_on', say: [] });
    expect(turnsLeft(transcriptOf(turns, [failure(2)]), limits)).toBe(1);
    expect(await endOf([...turns, called(call('d'))], [failure(2)], limits)).toMatchObject({ code: 'max_turns' });
    expect(await verdictOf([said(''), said('')], [failure(1)])).toMatchObject({
      kind: 'go_on',
      say: [{ kind: 'nudge' }],
    });
  });
});

describe('a resumed focus', () => {
  it('does not repeat a message from before the crash, and ends in the same way', async () => {
    const cut: RecordedTurn = { ...said('I write'), stopReason: 'max_tokens' };
    const first = await verdictOf([cut]);
    if (first.kind !== 'go_on') throw new Error('it ended');
    const recorded = first.say.map((saying) => ({ ...saying, afterTurn: 1 }));
    expect(await verdictOf([cut], recorded)).toEqual({ kind: 'go_on', say: [] });
  });

  it('comes to the same verdict, whatever messages others add after the turn', async () => {
    const others: EngineMessage[] = [
      { kind: 'operator', content: 'hurry', afterTurn: 1 },
      { kind: 'nudge', content: 'write to your ledger', afterTurn: 1 },
    ];
    expect(await verdictOf([said('')], others)).toEqual(await verdictOf([said('')]));
    expect(await endOf([said(''), said('')], others)).toMatchObject({ code: 'empty_answer' });
  });
});
