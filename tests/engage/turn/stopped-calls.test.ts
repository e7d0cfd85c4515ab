/** Promise: whatever stops a focus, a turn that was never sent costs nothing, and each request that was sent and returned nothing counts once. */
import { describe, expect, test } from 'vitest';
import type { ContentBlock, LlmClient, LlmResult } from '../../../src/llm/client.ts';
import { createTurnKeeper } from '../../../src/store/transcript/budgeted-turns.ts';
import { limit, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../../support/focus.ts';
import { COUNTED_ANSWER } from '../../support/lost-requests.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';

const pg = testDatabase();

const LOOK = '[[answer]]\n[[answer.call]]\ntool = "look"\n\n[[answer]]\ntext = "done"\n';

/** A focus whose model looks once and is done; a request may cost 0.5 USD. */
async function begin() {
  const tool = testTool('look', async () => ({ content: 'seen' }), true);
  const focus = await startTestFocus(pg.database, { tools: [tool], script: LOOK });
  const stop = new AbortController();
  const drain = new AbortController();
  const base = focus.means();
  let sent = 0;
  const complete: LlmClient['complete'] = (request, options) => {
    sent += 1;
    return base.model.client.complete(request, options);
  };
  const run = (more: Partial<LoopParts> = {}, client: LlmClient = { complete }) =>
    engage({
      ...base,
      signal: stop.signal,
      drain: drain.signal,
      model: { ...base.model, maxCostUsd: () => 0.5, client },
      ...more,
    });
  return { focus, stop: () => stop.abort(new Error('stopped')), drain, run, sent: () => sent };
}

/** Ends the lease, as the daemon does when it stops, and returns what the item has lost. */
async function lostOf({ key }: TestFocus) {
  await pg.database.query('select animus.release_work($1, $2)', [key.workItemId, key.leaseToken]);
  const [row] = await pg.database.query(
    `select lost_requests::int as requests, lost_usd::float8 as usd, held_usd::float8 as held from animus.costs('item', $1)`,
    [key.workItemId],
  );
  return row;
}

const NOTHING = { requests: 0, usd: 0, held: 0 };
const lost = (requests: number) => ({ requests, usd: requests * 0.5, held: 0 });

describe('a turn that was begun with the record of the one before, and not sent', () => {
  test('is given back when the daemon drains', async () => {
    const { focus, drain, run, sent } = await begin();
    const onEvent: LoopParts['onEvent'] = ({ type }) => void (type === 'turn' && drain.abort());
    expect(await run({ onEvent })).toEqual({ kind: 'interrupted', reason: 'drained' });
    expect(sent()).toBe(1);
    expect(await lostOf(focus)).toEqual(NOTHING);
  });

  test('is given back when the focus is stopped', async () => {
    const { focus, stop, run, sent } = await begin();
    const onEvent: LoopParts['onEvent'] = ({ type }) => void (type === 'turn' && stop());
    await expect(run({ onEvent })).rejects.toThrow('stopped');
    expect(sent()).toBe(1);
    expect(await lostOf(focus)).toEqual(NOTHING);
  });
});

test('a turn that is stopped while its hold goes to the disk holds and costs nothing', async () => {
  const { focus, stop, run, sent } = await begin();
  await limit(pg.database, 'item', focus.key.workItemId, 10);
  const keep = createTurnKeeper(pg.database);
  const keepTurn: typeof keep = async (...turn) => {
    stop();
    return keep(...turn);
  };
  const stopped = run({ budget: { limited: true, keepTurn, onUsed: () => {} } });
  await expect(stopped).rejects.toThrow('stopped');
  expect(sent()).toBe(0);
  expect(await lostOf(focus)).toEqual(NOTHING);
  expect(await settled(pg.database, 'item', focus.key.workItemId)).toBe(0);
});

const aborted = (requests: number): LlmResult => ({
  ok: false,
  failure: {
    kind: 'aborted',
    provider: 'p',
    model: 'm',
    message: 'aborted',
    httpStatus: null,
    retryAfterMs: null,
    requestId: null,
    attempts: 3,
    lost: requests,
  },
});
const answered = (
  requests: number,
  content: readonly ContentBlock[] = [{ type: 'text', text: 'done' }],
): LlmResult => ({
  ok: true,
  response: {
    ...COUNTED_ANSWER,
    content,
    attempts: 1,
    fellBackFrom: [],
    lost: requests,
  },
});

describe.each([
  ['without a limit', false],
  ['under a limit', true],
] as const)('%s, a call that is stopped', (_, limited) => {
  test.each([
    ['before it was sent', aborted(0), 0],
    ['under way', aborted(1), 1],
    ['after two lost requests, in its third', aborted(3), 3],
    ['when its answer is there', answered(0), 1],
    ['when its answer is there, after two lost requests', answered(2), 3],
  ] as const)('%s', async (_name, result, requests) => {
    const { focus, stop, run } = await begin();
    if (limited) await limit(pg.database, 'item', focus.key.workItemId, 10);
    const client: LlmClient = {
      async complete() {
        stop();
        return result;
      },
    };
    const budget = { limited, keepTurn: createTurnKeeper(pg.database), onUsed: () => {} };
    await expect(run({ budget }, client)).rejects.toThrow('stopped');
    expect(await lostOf(focus)).toEqual(lost(requests));
    if (limited) expect(await settled(pg.database, 'item', focus.key.workItemId)).toBe(requests * 0.5);
  });
});

test('an answer whose calls cannot be judged is lost with the requests before it', async () => {
  const { focus, run } = await begin();
  const when = () => {
    throw new Error('broken');
  };
  const call = { type: 'tool_call', id: 'c1', name: 'look', input: {} } as const;
  const client: LlmClient = { complete: async () => answered(2, [call]) };
  await expect(run({ gates: [{ name: 'g', when, judge: () => ({ kind: 'pass' }) }] }, client)).rejects.toThrow(
    'broken',
  );
  expect(await lostOf(focus)).toEqual(lost(3));
});

test('an answer before which requests were lost is recorded at once, not with the end of the focus', async () => {
  const { focus, run } = await begin();
  const end = await run({ directory: { isMade: () => false } }, { complete: async () => answered(2) });
  expect(end).toMatchObject({ kind: 'done', finalText: 'done' });
  expect(end).not.toHaveProperty('lastAnswer');
  expect(await lostOf(focus)).toEqual(lost(2));
});

test.each([
  ['before it was sent', aborted(0), 0],
  ['after two lost requests, in its third', aborted(3), 3],
  ['when its answer is there, after two lost requests', answered(2), 3],
] as const)('a summary that is stopped %s', async (_, result, requests) => {
  const { focus, stop, run } = await begin();
  const client: LlmClient = {
    async complete({ turn = 0, tools }) {
      const call = { type: 'tool_call', id: `c${turn}`, name: 'look', input: { at: turn } } as const;
      const looked = answered(0, [{ type: 'text', text: 'so far '.repeat(1000) }, call]);
      const usage = { ...COUNTED_ANSWER.usage, input: 2000 * turn };
      if (tools.length > 0 && looked.ok) return { ...looked, response: { ...looked.response, usage } };
      stop();
      return result;
    },
  };
  const base = focus.means();
  const model = { ...base.model, contextWindow: 10_000, maxCostUsd: () => 0.5, client };
  const bounds = { ...base.bounds, compactKeepRecent: 1, truncateClosedBlocks: false };
  await expect(run({ model, bounds })).rejects.toThrow('stopped');
  expect(await lostOf(focus)).toEqual(lost(requests));
});

test('a request that is under way in a batch is not given back when its focus is stopped', async () => {
  const { focus, stop, run } = await begin();
  const written = { model: 'm', path: '/v1/x', headers: {}, body: '{}' };
  const format = { provider: 'p', write: () => written, read: () => ({ kind: 'not_run' as const, why: 'it expired' }) };
  const base = focus.means();
  const model = { ...base.model, maxCostUsd: () => 0.5, batch: { format, place: 'p', costUsd: () => 0.1 } };
  expect(await run({ model })).toEqual({ kind: 'parked' });
  stop();
  await expect(run({ model })).rejects.toThrow('stopped');
  const [row] = await pg.database.query(
    'select open_request is not null as open, reserved_usd::float8 as usd from animus.turns where focus_id = $1',
    [focus.key.focusId],
  );
  expect(row).toEqual({ open: true, usd: 0.5 });
});
