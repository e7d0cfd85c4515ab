/** Promise: what a request that returned nothing may have cost is in the turn and in the account of each limit, and an answer without counts is an answer. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLlm } from '../../../src/llm/llm.ts';
import { createTurnKeeper } from '../../../src/store/transcript/budgeted-turns.ts';
import { RAW_WIRES, type RawWire, WORDS } from '../../llm/raw-wires.ts';
import { limit, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus } from '../../support/focus.ts';
import { type ModelServer, type Reply, startServer } from '../../support/model-server/server.ts';
import { engage, type LoopParts } from '../../support/run-loop.ts';

const pg = testDatabase();

const costOf = (input: number, output: number) => (input * 3 + output * 15) / 1_000_000;

interface Asked {
  readonly focus: TestFocus;
  readonly server: ModelServer;
  /** What was reserved for the newest request. */
  readonly reserved: () => number;
  run(): ReturnType<typeof engage>;
}

/** A focus whose model is at a server that plays these replies, the last one again and again. */
async function asking(
  wire: RawWire,
  replies: readonly Reply[],
  { limited = false, priced = true, maxAttempts = 4 } = {},
): Promise<Asked> {
  const server = await startServer((_, index) => replies[Math.min(index, replies.length - 1)]!);
  const { path, ...settings } = wire.settings;
  const retry = { baseDelayMs: 1, maxAttempts };
  const provider = { ...settings, baseUrl: `${server.url}${path}`, apiKey: 'key', retry };
  const llm = createLlm({ defaultProvider: 'p', providers: { p: provider } });
  onTestFinished(async () => {
    await llm.stop();
    await server.close();
  });
  const focus = await startTestFocus(pg.database, { script: '[[answer]]\ntext = "unused"\n' });
  if (limited) await limit(pg.database, 'item', focus.key.workItemId, 10);
  let reserved = 0;
  const { client, provider: name, model } = llm.resolve(wire.model);
  const run = () => {
    const base = focus.means();
    const means: LoopParts = {
      ...base,
      model: {
        ...base.model,
        client,
        provider: name,
        model,
        costUsd: ({ input, output }) => (priced ? costOf(input, output) : null),
        maxCostUsd: (input, output) => {
          reserved = costOf(input, output);
          return priced ? reserved : null;
        },
      },
      budget: { limited: false, keepTurn: createTurnKeeper(pg.database), onUsed: () => {} },
    };
    return engage(means);
  };
  return { focus, server, reserved: () => reserved, run };
}

const sent = (wire: RawWire, parts: Reply['parts'], more: Partial<Reply> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': wire.contentType },
  parts,
  ...more,
});
const cut = (wire: RawWire): Reply => sent(wire, wire.parts.slice(0, wire.half), { finally: 'reset' });
const refused: Reply = { status: 429, parts: ['{"error":{"message":"no"},"message":"no"}'] };

/** The newest turn, and what is recorded of its item. */
async function recorded({ key }: TestFocus) {
  const [row] = await pg.database.query(
    `select t.lost_requests as requests, t.lost_usd::float8 as lost, t.lost_unpriced as unpriced, t.open_request is not null as open,
            t.cost_usd::float8 as cost, t.usage, w.cost_usd::float8 as item,
            (select coalesce(sum(s.calls), 0)::int from animus.spend_calls s where s.faculty = w.faculty) as calls
       from animus.turns t join animus.work_items w on w.id = $2 where t.focus_id = $1 order by t.turn desc limit 1`,
    [key.focusId, key.workItemId],
  );
  return row as {
    requests: number;
    lost: number;
    unpriced: number;
    open: boolean;
    cost: number | null;
    usage: Record<string, number> | null;
    item: number;
    calls: number;
  };
}

describe.each([
  ['without a limit', false],
  ['under a limit', true],
] as const)('%s', (_, limited) => {
  const wires = RAW_WIRES.map((wire) => [wire.name, wire] as const);

  test.each(wires)(
    'a server of %s that always cuts its stream loses three requests, which count',
    async (_name, wire) => {
      const asked = await asking(wire, [cut(wire)], { limited, maxAttempts: 10 });
      expect(await asked.run()).toMatchObject({ kind: 'model_failed', failure: { kind: 'connection', lost: 3 } });
      expect(asked.server.requests).toHaveLength(3);
      const row = await recorded(asked.focus);
      expect(row).toMatchObject({ requests: 3, unpriced: 0, open: false, item: 0, calls: 0 });
      expect(row.lost).toBeCloseTo(3 * asked.reserved(), 6);
      if (limited) expect(await settled(pg.database, 'item', asked.focus.key.workItemId)).toBeCloseTo(row.lost, 6);
    },
  );

  test.each(wires)('a refusal of %s costs nothing', async (_name, wire) => {
    const asked = await asking(wire, [refused], { limited });
    expect(await asked.run()).toMatchObject({ kind: 'model_failed', failure: { lost: 0 } });
    expect(await recorded(asked.focus)).toMatchObject({ requests: 0, lost: 0, open: false, item: 0, calls: 0 });
    if (limited) expect(await settled(pg.database, 'item', asked.focus.key.workItemId)).toBe(0);
  });

  test.each(wires)(
    'an answer of %s that follows lost requests costs what it costs, beside them',
    async (_name, wire) => {
      const asked = await asking(wire, [cut(wire), cut(wire), sent(wire, wire.parts)], { limited });
      expect(await asked.run()).toMatchObject({ kind: 'done', finalText: WORDS });
      const row = await recorded(asked.focus);
      expect(row).toMatchObject({ requests: 2, open: false, calls: 1 });
      expect(row.cost).toBeCloseTo(costOf(100, 10), 9);
      expect(row.item).toBeCloseTo(costOf(100, 10), 6);
      expect(row.lost).toBeCloseTo(2 * asked.reserved(), 6);
      if (limited)
        expect(await settled(pg.database, 'item', asked.focus.key.workItemId)).toBeCloseTo(row.lost + row.item, 6);
    },
  );

  test.each(wires)(
    'an answer of %s without counts is asked for once, and its tokens are estimated',
    async (_name, wire) => {
      const whole =
        wire.finished === null
          ? sent(wire, wire.uncounted)
          : sent(wire, wire.parts.slice(0, wire.finished), { finally: 'reset' });
      const asked = await asking(wire, [whole], { limited });
      expect(await asked.run()).toMatchObject({ kind: 'done', finalText: WORDS });
      expect(asked.server.requests).toHaveLength(1);
      const row = await recorded(asked.focus);
      expect(row).toMatchObject({
        requests: 0,
        lost: 0,
        open: false,
        calls: 1,
        usage: { output: 10, estimated: true },
      });
      expect(row.usage!['input']).toBeGreaterThan(50);
      expect(row.cost).toBeCloseTo(costOf(row.usage!['input']!, 10), 6);
      if (limited) expect(await settled(pg.database, 'item', asked.focus.key.workItemId)).toBeCloseTo(row.item, 6);
    },
  );
});

const [ANTHROPIC] = RAW_WIRES as readonly [RawWire, ...RawWire[]];

test('requests of a model without a price are lost at a cost that is not known', async () => {
  const asked = await asking(ANTHROPIC, [cut(ANTHROPIC)], { priced: false });
  expect(await asked.run()).toMatchObject({ kind: 'model_failed', failure: { lost: 3 } });
  expect(await recorded(asked.focus)).toMatchObject({ requests: 3, lost: 0, unpriced: 3, open: false });
});

test('the next request after an answer without counts is estimated as a whole', async () => {
  const asked = await asking(ANTHROPIC, [sent(ANTHROPIC, ANTHROPIC.uncounted)]);
  await asked.run();
  const [row] = await pg.database.query(
    `select usage ?| array['reported', 'estimated'] as estimated from animus.turns where focus_id = $1`,
    [asked.focus.key.focusId],
  );
  expect(row).toEqual({ estimated: true });
});

test('a focus that is stopped before its request was sent has lost nothing', async () => {
  const asked = await asking(ANTHROPIC, [{ status: 429, headers: { 'retry-after': '30' }, parts: ['{}'] }]);
  const stop = new AbortController();
  const base = asked.focus.means();
  const running = engage({
    ...base,
    signal: stop.signal,
    model: {
      ...base.model,
      client: {
        async complete(request, options) {
          // As a call that waits for the end of a pause when the daemon is stopped.
          stop.abort(new Error('stopped'));
          return {
            ok: false,
            failure: {
              kind: 'aborted',
              provider: 'p',
              model: request.model,
              message: 'aborted',
              httpStatus: null,
              retryAfterMs: null,
              requestId: null,
              attempts: 0,
              lost: options.signal.aborted ? 0 : 1,
            },
          };
        },
      },
    },
  });
  await expect(running).rejects.toThrow('stopped');
  expect(await recorded(asked.focus)).toMatchObject({ requests: 0, open: false });
});
