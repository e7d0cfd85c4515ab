import { expect, test } from 'vitest';
import { ledgerWrites } from '../../../src/engage/context/ledger-writes.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';

const call = { callId: 'a', name: 'ledger_append', finalInput: null, state: 'done', output: 'x', isError: false };

test('entries are those that were written: as a hook changed them, and by code', () => {
  const written = { type: 'finding', content: ' as the model wrote it ' };
  const calls = [
    { ...call, input: written },
    { ...call, input: written, finalInput: { type: 'finding', content: 'as a hook changed it' } },
    { ...call, input: written, state: 'failed' },
    { ...call, name: 'execute_code', input: {}, wrote: [{ type: 'step', content: 'by code' }] },
  ];
  expect(ledgerWrites({ turn: 3, calls } as unknown as RecordedTurn)).toEqual([
    { turn: 3, type: 'finding', content: 'as the model wrote it' },
    { turn: 3, type: 'finding', content: 'as a hook changed it' },
    { turn: 3, type: 'step', content: 'by code' },
  ]);
});
