// Also on the wires openai, responses.
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { type AnthropicAnswer, text, toolUse } from '../../support/model-server/anthropic.ts';
import { messagesOf as blocksOf } from '../../support/model-server/either-wire.ts';
import { beginFocus } from '../live-focus.ts';

type Json = Record<string, unknown>;
interface WireMessage {
  readonly role: string;
  readonly content: readonly Json[];
}

const append = (id: string, type: string, content: string) => toolUse(id, 'ledger_append', { type, content });

/** Two lookups a turn; a finding in every third turn and a step in every fifth; the last turn is the end. */
function answers(turns: number): AnthropicAnswer[] {
  const list = Array.from({ length: turns - 1 }, (_, index): AnthropicAnswer => {
    const turn = index + 1;
    return {
      content: [
        text(`Turn ${turn}.`),
        toolUse(`a${turn}`, 'look', { name: `first ${turn}` }),
        ...(turn % 3 === 0 ? [append(`f${turn}`, 'finding', `found in turn ${turn}: Grüße, 世界`)] : []),
        ...(turn % 5 === 0 ? [append(`s${turn}`, 'step', `stage ${turn / 5} is done`)] : []),
        toolUse(`b${turn}`, 'look', { name: `second ${turn}` }),
      ],
    };
  });
  return [...list, { content: [text('All done.')] }];
}

describe('a run of thirty turns with steps', () => {
  const pg = testDatabase();

  it('sends stubs of finished blocks and the open block verbatim, and never changes what it sent before', async () => {
    const focus = await beginFocus(pg.database, answers(30));
    expect(await focus.run()).toMatchObject({ kind: 'done', finalText: 'All done.' });

    expect(focus.server.requests.map(({ refused }) => refused)).toEqual(Array(30).fill(null));
    const requests = focus.bodies().map(messagesOf);
    // Request n+1 shows the state after turn n: after a step in turn 5, its own block begins with turn 5.
    const sixth = requests[5]!;
    expect(sixth.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(textsOf(sixth[0]!)).toEqual([
      '# Work\nKeep the books.',
      stub('[completed step 1: stage 1 is done]\nfinding: found in turn 3: Grüße, 世界'),
    ]);
    expect(sixth[1]!.content[0]).toEqual({ type: 'text', text: 'Turn 5.' });
    expect(sixth[2]!.content).toHaveLength(3);

    const last = requests.at(-1)!;
    expect(textsOf(last[0]!)).toHaveLength(1 + 5);
    expect(textsOf(last[0]!)[5]).toBe(
      stub(
        '[completed step 5: stage 5 is done]\nfinding: found in turn 21: Grüße, 世界\nfinding: found in turn 24: Grüße, 世界',
      ),
    );
    for (const [index, request] of requests.entries()) {
      const before = requests[index - 1];
      if (!before) continue;
      const turn = index;
      // Between two steps a request extends the previous one; at a step everything before the closed block stays.
      const same = turn > 1 && turn % 5 === 0 ? [before[0]!] : before;
      expect(flat(request).slice(0, flat(same).length)).toEqual(flat(same));
    }
  });

  it('sends the same bytes when it is stopped and restarted after every turn', async () => {
    const whole = await beginFocus(pg.database, answers(30));
    await whole.run();
    const pieces = await beginFocus(pg.database, answers(30));
    for (let turn = 1; turn < 30; turn += 1) {
      expect(await pieces.run(1)).toEqual({ kind: 'interrupted', reason: 'drained' });
    }
    await pieces.run();
    expect(pieces.server.requests.map(({ body }) => body.toString())).toEqual(
      whole.server.requests.map(({ body }) => body.toString()),
    );
  });
  it('names open children in the stub, and records each stub once, however often the daemon dies', async () => {
    const focus = await beginFocus(pg.database, answers(12));
    await focus.run(4);
    const [child] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description, parent_id) values ('other', 'a child', $1) returning id`,
      [focus.key.workItemId],
    );
    // As if the first call of turn 4 had opened it.
    await pg.database.query(
      `update animus.tool_calls set output = output || $2 where focus_id = $1 and turn = 4 and position = 1`,
      [focus.key.focusId, child!.id],
    );
    await focus.run(1);
    // Dies after the stub was recorded and before its request was answered: the request is sent again.
    const failing = focus.run(1);
    await focus.server.received(6);
    await failing;
    await pg.database.query(`delete from animus.turns where focus_id = $1 and turn = 6`, [focus.key.focusId]);
    await focus.run(1);

    const [, again] = focus.server.requests.slice(5).map(({ body }) => body.toString());
    expect(again).toBe(focus.server.requests[5]!.body.toString());
    expect(again).toContain(`still open: child ${child!.id}`);
    const [stubs] = await pg.database.query(
      `select count(*)::int as count from animus.focus_messages where focus_id = $1 and kind = 'stub'`,
      [focus.key.focusId],
    );
    expect(stubs).toEqual({ count: 1 });
  });
});

/** Chat Completions joins the texts of a user, with blank lines between them. */
function messagesOf(body: Json): WireMessage[] {
  return blocksOf(body).map(({ role, content }) => ({ role, content: content.flatMap(apart) }));
}

function apart(block: Json): Json[] {
  if (block['type'] !== 'text') return [block];
  return String(block['text'])
    .split('\n\n')
    .map((text) => ({ ...block, text }));
}

function textsOf(message: WireMessage): unknown[] {
  return message.content.map((block) => block['text']);
}

/** Blocks with their role, without cache marks: what a provider's cache compares. */
function flat(messages: readonly WireMessage[]): string[] {
  return messages.flatMap(({ role, content }) =>
    content.map((block) => `${role} ${JSON.stringify({ ...block, cache_control: undefined })}`),
  );
}

function stub(recorded: string): string {
  return `What you recorded about finished work (data):\n~~~~~~\n${recorded}\n~~~~~~`;
}
