/** Promise: under limits, the loop holds what each request may cost before it is sent, and goes on, waits or dies as the limits say. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import type { LlmFailure, LlmRequest, LlmResult } from '../../../src/llm/client.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { UsedBudget } from '../../../src/store/transcript/begin-turn.ts';
import { createTurnKeeper } from '../../../src/store/transcript/budgeted-turns.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { limit, settled, takeUp } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus } from '../../support/focus.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';

const target = testDatabase();

const note = (n: number) =>
  ({
    content: [{ type: 'tool_call', id: `c${n}`, name: 'ledger_append', input: { type: 'note', content: `note ${n}` } }],
    stopReason: 'tool_use',
  }) as const;
const DONE = { content: [{ type: 'text', text: 'Done.' }], stopReason: 'end_turn' } as const;

/** A model that costs 0.1 USD per call, and 0.3 at most. Answers with a note until turn `last`; `fail` may fail instead. */
function priced(focus: TestFocus, last: number, fail: (call: number) => Partial<LlmFailure> | null = () => null) {
  const requests: LlmRequest[] = [];
  const model = (means: LoopParts) => ({
    ...means.model,
    costUsd: () => 0.1,
    maxCostUsd: () => 0.3,
    client: {
      async complete(request: LlmRequest): Promise<LlmResult> {
        requests.push(request);
        const failure = fail(requests.length);
        if (failure !== null) {
          const none = {
            provider: 'p',
            model: 'm',
            message: 'failed',
            httpStatus: null,
            retryAfterMs: null,
            requestId: null,
            attempts: 1,
            lost: 0,
          };
          return { ok: false, failure: { kind: 'connection', ...none, ...failure } };
        }
        const usage = { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
        const rest = {
          provider: 'p',
          model: 'm',
          responseId: null,
          rawStopReason: null,
          cutToolCalls: [],
          usage,
          timeToFirstTokenMs: null,
          durationMs: 1,
        };
        const answer = (request.turn ?? 0) < last ? note(request.turn!) : DONE;
        return { ok: true, response: { ...rest, ...answer, attempts: 1, fellBackFrom: [] } };
      },
    },
  });
  const used: UsedBudget[] = [];
  const run = (overrides: Partial<LoopParts> = {}) => {
    const means = focus.means(overrides);
    const budget = {
      limited: false,
      keepTurn: createTurnKeeper(target.database),
      onUsed: (one: UsedBudget) => void used.push(one),
    };
    return engage({ ...means, budget, model: model(means) });
  };
  return { requests, used, run };
}

const started = () => startTestFocus(target.database, { script: '[[answer]]\ntext = "unused"\n' });

describe('the loop under a limit', () => {
  test('begins turns with a hold, tells the model once that 80 % are used, and settles with what they cost', async () => {
    const { database } = target;
    const focus = await started();
    await limit(database, 'item', focus.key.workItemId, 1);
    const { run, requests, used } = priced(focus, 7);
    expect(await run()).toMatchObject({ kind: 'done' });
    const told = requests.map(({ messages }) => JSON.stringify(messages).includes('Most of the budget is used'));
    // The sixth turn: 0.5 is spent, and 0.3 is held.
    expect(told).toEqual([false, false, false, false, false, true, true]);
    expect(used).toMatchObject([{ scope: 'item', amount: 1, used: 0.8 }]);
    expect(await settled(database, 'item', focus.key.workItemId)).toBeCloseTo(0.7, 6);
  });

  test('ends as over budget before the request that could pass it', async () => {
    const focus = await started();
    await limit(target.database, 'item', focus.key.workItemId, 0.55, { onExceeded: 'die' });
    const { run, requests } = priced(focus, 9);
    expect(await run()).toEqual({
      kind: 'over_budget',
      message: expect.stringContaining('the limit of 0.55 USD for this work item would be exceeded'),
    });
    expect(requests).toHaveLength(3);
  });

  test('waits for an operator, and goes on with the same bytes', async () => {
    const { database } = target;
    const focus = await started();
    const { workItemId: id } = focus.key;
    await limit(database, 'item', id, 0.55);
    const [row] = await database.query<{ faculty: string }>('select faculty from animus.work_items where id = $1', [
      id,
    ]);
    const { run, requests } = priced(focus, 5);
    expect(await run()).toEqual({ kind: 'parked' });
    expect(await parkWork(database, { id, leaseToken: focus.key.leaseToken })).toBe('waiting');
    await database.query(`select animus.approve($1, p_input => '{"amount": 50}')`, [id]);
    const again = await takeUp(database, id, row!.faculty, randomUUID());
    expect(await run({ focus: again.key, callScope: { ...focus.means().callScope, ...again.key } })).toMatchObject({
      kind: 'done',
    });
    expect(requests).toHaveLength(5);
    // Only the marks of what is cached move on.
    const bytes = requests.map(({ messages }) => JSON.stringify(messages).replaceAll(',"cacheBreakpoint":true', ''));
    for (const [index, sent] of bytes.slice(1).entries()) expect(sent).toContain(bytes[index]!.slice(0, -1));
  });

  test('gives back what was held for a request that was refused', async () => {
    const focus = await started();
    await limit(target.database, 'item', focus.key.workItemId, 1);
    const { run, requests } = priced(focus, 1, () => ({ kind: 'rate_limit', httpStatus: 429, lost: 0 }));
    expect(await run()).toMatchObject({ kind: 'model_failed' });
    expect(requests).toHaveLength(1);
    expect(await settled(target.database, 'item', focus.key.workItemId)).toBe(0);
  });

  test('gives back what was held for a request without messages that a lost response told of, for as long as the lease lasts', async () => {
    const { database } = target;
    const focus = await started();
    await limit(database, 'item', focus.key.workItemId, 1);
    await sayWork(database, focus.key.workItemId, 'first of all');
    const lost = { response: 0, giveBack: 0 };
    const cut = () => new AnimusError('db.unreachable', { where: 'here', detail: 'cut', hint: '' });
    const db: Database = {
      ...database,
      query: async (sql, params) => {
        if (sql.includes('animus.give_back_turn(') && (lost.giveBack += 1) === 1) throw cut();
        const rows = await database.query(sql, params);
        const [begun] = Object.values(rows[0] ?? {}) as readonly ({ readonly permit?: string } | null)[];
        if (begun?.permit === 'mail' && (lost.response += 1) === 1) throw cut();
        return rows as never;
      },
    };
    const { run, requests } = priced(focus, 1);
    expect(await run({ db })).toMatchObject({ kind: 'done' });
    expect(lost).toEqual({ response: 1, giveBack: 2 });
    expect(JSON.stringify(requests[0]!.messages)).toContain('first of all');
    expect(await settled(database, 'item', focus.key.workItemId)).toBeCloseTo(0.1, 6);
    const turns = await database.query('select turn, lost_requests as lost from animus.turns where focus_id = $1', [
      focus.key.focusId,
    ]);
    expect(turns).toEqual([{ turn: 1, lost: 0 }]);
  });

  test('charges a request that broke off, and sends it again with a new hold, as long as the limit allows', async () => {
    const focus = await started();
    await limit(target.database, 'item', focus.key.workItemId, 1);
    const { run, requests } = priced(focus, 2, (call) => (call === 1 ? { kind: 'timeout', lost: 1 } : null));
    expect(await run()).toMatchObject({ kind: 'done' });
    expect(requests).toHaveLength(3);
    expect(await settled(target.database, 'item', focus.key.workItemId)).toBeCloseTo(0.5, 6);
  });

  test('is found in the middle of a focus, when somebody sets one', async () => {
    const focus = await started();
    const { workItemId: id } = focus.key;
    const { run, requests } = priced(focus, 9, (call) => {
      if (call === 2) void limit(target.database, 'item', id, 0.75, { onExceeded: 'die' });
      return null;
    });
    expect(await run()).toMatchObject({ kind: 'over_budget' });
    // The new limit counts what was spent before. Whether the third turn began before the limit was set does not matter.
    expect(requests.length).toBeLessThanOrEqual(6);
  });
});
