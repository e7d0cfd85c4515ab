/** Grants: calls that would be asked about and run without a person. Also what asking costs. */

import { expect, test } from 'vitest';
import type { CallGate } from '../../../src/engage/calls/gate.ts';
import { revokeGrant } from '../../../src/features/approvals/store.ts';
import { approve, grantCall } from '../../../src/store/work/decide.ts';
import { testDatabase } from '../../support/database.ts';
import { type AskingFocus, askingFocus, asks } from './approval-focus.ts';

const pg = testDatabase();

const TWICE = `
[[answer]]
turn = 1
call = [{ tool = "write", input = { n = 1 } }]
[[answer]]
turn = 2
call = [{ tool = "write", input = { n = 1 } }, { tool = "write", input = { n = 2 } }]
[[answer]]
turn = 3
text = "done"`;

/** Runs it and returns the functions that its statements called. */
async function statementsOf({ run }: AskingFocus, overrides: Parameters<AskingFocus['run']>[0] = {}) {
  const names: string[] = [];
  const end = await run({
    db: {
      ...pg.database,
      query(sql, params) {
        const [, name] = /animus\.(\w+)\(/.exec(sql) ?? [];
        if (name !== undefined) names.push(name);
        return pg.database.query(sql, params);
      },
    },
    ...overrides,
  });
  return { end, names };
}

test('a grant of the call lets it run again without a person, and nothing else; its number is on record', async () => {
  const asking = await askingFocus(pg.database, TWICE);
  const first = await statementsOf(asking);
  expect(first).toEqual({
    end: { kind: 'parked' },
    names: ['begin_turn', 'record_turn', 'grants_for', 'ask_person'],
  });
  await asking.park();
  const grant = await grantCall(pg.database, asking.id, { scope: 'item', seconds: 60 });
  await approve(pg.database, asking.id, {});
  await asking.claim();
  const { end, names } = await statementsOf(asking);
  expect(end).toEqual({ kind: 'parked' });
  expect(names.slice(0, 3)).toEqual(['start_call', 'begin_turn', 'record_turn']);
  expect(names.toSorted().filter((name) => !/turn/.test(name))).toEqual(
    ['start_call', 'grants_for', 'start_call', 'grants_for', 'ask_person', 'finish_tool_calls'].toSorted(),
  );
  expect(asking.ran).toEqual([{ n: 1 }, { n: 1 }]);
  const rows = await pg.database.query<{ grant: string | null; state: string }>(
    'select grant_id::text as grant, state from animus.tool_calls where focus_id = $1 order by turn, position',
    [asking.focus.key.focusId],
  );
  expect(rows).toEqual([
    { grant: null, state: 'done' },
    { grant, state: 'done' },
    { grant: null, state: 'waiting' },
  ]);
});

test('a grant with a pattern is matched by the guard of the calls', async () => {
  const asking = await askingFocus(pg.database, TWICE);
  await asking.run();
  const grant = await grantCall(pg.database, asking.id, { scope: 'faculty', seconds: 60, pattern: 'n<2' });
  await approve(pg.database, asking.id, {});
  const covers = (pattern: string, { input }: { readonly input: unknown }) =>
    pattern === 'n<2' && (input as { n: number }).n < 2;
  expect(await asking.run({ covers })).toEqual({ kind: 'parked' });
  expect(asking.ran).toEqual([{ n: 1 }, { n: 1 }]);
  expect(await revokeGrant(pg.database, grant)).toBe(true);
});

test('a grant does not let a forbidden call run, and a revoked one none', async () => {
  const asking = await askingFocus(pg.database, TWICE);
  await asking.run();
  const grant = await grantCall(pg.database, asking.id, { scope: 'item', seconds: 60 });
  await approve(pg.database, asking.id, {});
  const forbids: CallGate = { ...asks, judge: () => ({ kind: 'deny', reason: 'forbidden' }) };
  await asking.run({ gates: [forbids] });
  expect(asking.ran).toEqual([]);
  expect((await asking.calls()).map(({ state }) => state)).toEqual(['denied', 'denied', 'denied']);

  const revoked = await askingFocus(pg.database, TWICE);
  await revoked.run();
  const ended = await grantCall(pg.database, revoked.id, { scope: 'item', seconds: 60 });
  await revokeGrant(pg.database, ended);
  await approve(pg.database, revoked.id, {});
  expect(await revoked.run()).toEqual({ kind: 'parked' });
  expect(revoked.ran).toEqual([{ n: 1 }]);
  expect(grant).not.toBe(ended);
});

test('a gate that lets every call pass at once costs nothing', async () => {
  const passes: CallGate = { name: 'auto', when: () => 'now', judge: () => ({ kind: 'pass' }) };
  const none = await statementsOf(await askingFocus(pg.database, TWICE, { gates: [] }));
  const auto = await statementsOf(await askingFocus(pg.database, TWICE, { gates: [passes] }));
  const turns = (names: readonly string[]) => names.filter((name) => name !== 'finish_tool_calls');
  expect(auto.end).toMatchObject({ kind: 'done' });
  expect(turns(auto.names)).toEqual(turns(none.names));
});
