// Also on the wires openai, responses.
import { describe, expect, it } from 'vitest';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { limit, settled } from '../../support/budgets.ts';
import { testDatabase } from '../../support/database.ts';
import { type AnthropicAnswer, text, toolUse } from '../../support/model-server/anthropic.ts';
import { beginFocus } from '../live-focus.ts';
import {
  counted,
  isSummaryCall,
  resultsIn,
  SMALL,
  SUMMARY,
  tokensOf,
  turnAsked,
  wire,
  working,
} from './long-conversation.ts';

type Json = Record<string, unknown>;

const TOO_LONG = { status: 400, message: 'prompt is too long: 208310 tokens > 200000 maximum' };

describe('a context near its limits', () => {
  const pg = testDatabase();

  it('shows beginning and end of an oversized result, and read_output reads all of it', async () => {
    const focus = await beginFocus(
      pg.database,
      (body, index): AnthropicAnswer => {
        if (index === 0) return { content: [toolUse('big', 'look', { name: 'Größe', bytes: 50_000 })] };
        const artifact = /artifact ([0-9a-f-]{36})/.exec(JSON.stringify(body))![1];
        if (index === 1) {
          return {
            content: [
              toolUse('part', 'read_output', { artifact, offset: 30_000, limit: 50 }),
              toolUse('behind', 'read_output', { artifact, offset: 60_000 }),
              toolUse('foreign', 'read_output', { artifact: '00000000-0000-4000-8000-000000000000' }),
            ],
          };
        }
        return { content: [text('Read.')] };
      },
      { info: { contextWindow: 20_000 } },
    );
    expect(await focus.run()).toMatchObject({ kind: 'done' });

    const [, second, third] = focus.bodies().map(wire);
    const shown = resultsIn(second!)[0]!;
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(7000);
    expect(shown).toMatch(/^Größe: lorem ipsum .*\n\[… \d+ of 50002 bytes are left out here\..*\n.*ipsum?.*$/s);
    expect(resultsIn(third!).slice(1)).toEqual([
      expect.stringMatching(
        /^\[characters 30000 to 30050 of 50000; the next part begins at offset 30050\]\n[a-z ]{50}$/,
      ),
      'the artifact has 50000 characters; offset 60000 is after its end',
      'this work item has no artifact 00000000-0000-4000-8000-000000000000',
    ]);
    const [row] = await pg.database.query(
      `select a.bytes::int as bytes, c.output_bytes from animus.artifacts a join animus.tool_calls c using (focus_id)
        where c.call_id = 'big' and focus_id = $1`,
      [focus.key.focusId],
    );
    expect(row).toEqual({ bytes: 50_002, output_bytes: 50_002 });
  });

  it('cuts the longest results if they are too much together', async () => {
    const sizes = [100, 6900, 6900, 6900, 6900, 6900];
    const calls = sizes.map((bytes, index) => toolUse(`c${index}`, 'look', { name: 'it', bytes }));
    const focus = await beginFocus(pg.database, [{ content: calls }, { content: [text('Seen.')] }], {
      info: { contextWindow: 20_000 },
    });
    await focus.run();
    const shown = resultsIn(wire(focus.bodies()[1]!)).map((result) => Buffer.byteLength(result));
    expect(shown[0]).toBe(100);
    expect(Math.max(...shown)).toBeLessThan(4500);
    expect(shown.reduce((sum, bytes) => sum + bytes)).toBeLessThanOrEqual(0.3 * 20_000 * 3.5);
  });

  it('compacts to the ledger at its threshold, without another call', async () => {
    const focus = await beginFocus(pg.database, counted(working(24, 300)), SMALL);
    expect(await focus.run()).toMatchObject({ kind: 'done' });

    expect(focus.server.requests.map(({ refused }) => refused)).toEqual(Array(24).fill(null));
    const requests = focus.bodies().map(wire);
    const summaries = await rowsOf(focus.key.focusId, 'summary');
    expect(summaries.length).toBeGreaterThan(0);
    const last = requests.at(-1)!;
    const opening = JSON.stringify(last[0]);
    expect(opening).toContain('# Your ledger so far');
    for (let turn = 1; turn <= Number(summaries.at(-1)!['after_turn']); turn += 1) {
      expect(opening).toContain(`fact ${turn} `);
    }
    for (const request of requests) expect(request.length).toBeLessThanOrEqual(1 + 2 * 11);
    expect(Math.max(...focus.bodies().map((body) => tokensOf(body)))).toBeLessThan(16_000);
  });

  it('asks a model once for a summary if the ledger is too thin, and charges it', async () => {
    const focus = await beginFocus(pg.database, counted(working(14, null)), { ...SMALL, maxTurns: 40 });
    expect(await focus.run()).toMatchObject({ kind: 'done' });

    const calls = focus.bodies().filter(isSummaryCall);
    const summaries = await rowsOf(focus.key.focusId, 'summary');
    expect(calls.length).toBeGreaterThan(0);
    expect(summaries).toHaveLength(calls.length);
    expect(JSON.stringify(calls[0])).toContain('[result of look]');
    expect(JSON.stringify(wire(focus.bodies().at(-1)!)[0])).toContain(SUMMARY);
    const [item] = await pg.database.query(
      `select turns, input_tokens::int as input, cost_usd::float8 as cost,
              (select sum(cost_usd)::float8 from animus.turns where focus_id = $2) as turns_cost
         from animus.work_items where id = $1`,
      [focus.key.workItemId, focus.key.focusId],
    );
    expect(item!['turns']).toBe(focus.bodies().length - calls.length);
    expect(item!['input']).toBe(focus.bodies().reduce((sum, body) => sum + tokensOf(body), 0));
    expect(item!['cost']).toBeGreaterThan(Number(item!['turns_cost']));
  });

  it('charges a summary to the limits, and makes none that they do not allow', async () => {
    const spend = async (tokens: number) => {
      const focus = await beginFocus(pg.database, counted(working(14, null)), { ...SMALL, maxTurns: 40 });
      const { workItemId } = focus.key;
      await limit(pg.database, 'item', workItemId, tokens, { unit: 'tokens', onExceeded: 'die' });
      const end = await focus.run();
      const [item] = await pg.database.query<{ tokens: number }>(
        'select (input_tokens + output_tokens)::int as tokens from animus.work_items where id = $1',
        [workItemId],
      );
      const spent = await settled(pg.database, 'item', workItemId);
      return { end, spent, recorded: item!.tokens, summaries: focus.bodies().filter(isSummaryCall).length };
    };
    const enough = await spend(10_000_000);
    expect(enough.end).toMatchObject({ kind: 'done' });
    expect(enough.summaries).toBeGreaterThan(0);
    expect(enough.spent).toBe(enough.recorded);
    const little = await spend(Math.ceil(enough.recorded / 3));
    expect(little.end).toMatchObject({ kind: 'over_budget' });
    expect(little.spent).toBe(little.recorded);
    expect(little.spent).toBeLessThanOrEqual(Math.ceil(enough.recorded / 3));
  });

  it('continues with the ledger alone if the summary fails', async () => {
    const answers = counted(working(14, null));
    const focus = await beginFocus(
      pg.database,
      (body, index, request) =>
        isSummaryCall(body) ? { status: 401, message: 'no more' } : answers(body, index, request),
      { ...SMALL, maxTurns: 40 },
    );
    expect(await focus.run()).toMatchObject({ kind: 'done' });
    expect((await rowsOf(focus.key.focusId, 'summary')).length).toBeGreaterThan(0);
  });

  it('sends the same bytes through every layer when it is restarted after each turn', async () => {
    const options = { ...SMALL, bounds: { ledgerNudgeInterval: 3 }, maxTurns: 20 };
    const whole = await beginFocus(pg.database, counted(working(14, null)), options);
    await whole.run();
    const pieces = await beginFocus(pg.database, counted(working(14, null)), options);
    for (let end = await pieces.run(1); end.kind === 'interrupted'; ) end = await pieces.run(1);
    expect(pieces.bodies().some(isSummaryCall)).toBe(true);
    expect(pieces.server.requests.map(({ body }) => body.toString())).toEqual(
      whole.server.requests.map(({ body }) => body.toString()),
    );
    expect(await transcriptOf(pieces.key.focusId)).toEqual(await transcriptOf(whole.key.focusId));
  });

  it('shrinks a request and sends it once more if the provider says it is too long', async () => {
    const answers = working(9, 300);
    let refused = 0;
    const focus = await beginFocus(pg.database, (body) => {
      const turn = turnAsked(body);
      if (turn === 8 && refused === 0) {
        refused += 1;
        return TOO_LONG;
      }
      return answers(turn);
    });
    expect(await focus.run()).toMatchObject({ kind: 'done' });
    const bodies = focus.bodies();
    const [long, short] = [bodies[7]!, bodies[8]!];
    expect(turnAsked(short)).toBe(turnAsked(long));
    expect(tokensOf(short)).toBeLessThan(tokensOf(long) / 1.5);
    expect(await rowsOf(focus.key.focusId, 'summary')).toHaveLength(1);
  });

  it('fails if that does not help', async () => {
    const answers = working(9, 300);
    const focus = await beginFocus(pg.database, (body) => {
      const turn = turnAsked(body);
      return turn === 8 ? TOO_LONG : answers(turn);
    });
    expect(await focus.run()).toMatchObject({ kind: 'model_failed', failure: { kind: 'context_overflow' } });
    expect(focus.bodies()).toHaveLength(9);
  });

  it('reminds of the ledger once per stretch of turns without entries, and of the last turns', async () => {
    const silent = (index: number): AnthropicAnswer => ({
      content: [toolUse(`x${index}`, 'look', { name: `part ${index}`, bytes: 10 })],
    });
    const focus = await beginFocus(
      pg.database,
      (_, index) => (index < 11 ? silent(index) : { content: [text('Done.')] }),
      { bounds: { ledgerNudgeInterval: 3 }, maxTurns: 12 },
    );
    await focus.run();
    expect(
      [...(await rowsOf(focus.key.focusId, 'nudge')), ...(await rowsOf(focus.key.focusId, 'notice'))].map((row) => [
        row['after_turn'],
        String(row['content']).slice(0, 26),
      ]),
    ).toEqual([
      [3, 'You have not written to th'],
      [7, '5 turns are left. Bring th'],
      [11, 'This is your last turn: an'],
    ]);
    expect(
      wire(focus.bodies()[3]!)
        .at(-1)!
        .content.map((block) => block['type']),
    ).toEqual(['tool_result', 'text']);
  });

  async function rowsOf(focusId: string, kind: string): Promise<Json[]> {
    return pg.database.query(
      `select after_turn, content from animus.focus_messages where focus_id = $1 and kind = $2 order by seq`,
      [focusId, kind],
    );
  }

  async function transcriptOf(focusId: string): Promise<unknown> {
    return readTranscript(pg.database, focusId);
  }
});
