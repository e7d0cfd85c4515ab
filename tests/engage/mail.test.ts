/** Promise: what people say to the work is in the next request, once, where a resumed focus finds it, too. */
import { describe, expect, it } from 'vitest';
import { AnimusError } from '../../src/core/errors/errors.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { renderMessages } from '../../src/engage/context/context.ts';
import type { LlmRequest, Message } from '../../src/llm/client.ts';
import { parseScript } from '../../src/llm/scripted/script.ts';
import { scriptedClient } from '../../src/llm/scripted/scripted-client.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { readTranscript } from '../../src/store/transcript/transcript.ts';
import { sayWork } from '../../src/store/work/say-work.ts';
import { testDatabase } from '../support/database.ts';
import { startTestFocus, type TestFocus, testTool } from '../support/focus.ts';
import { engage, type LoopParts } from '../support/run-loop.ts';

const pg = testDatabase();

/** A run of calls of `hear`, then a final answer. While the model is asked for the n-th call, somebody says `message n`. */
async function hearing(idempotent: boolean, calls = 2, db: Database = pg.database) {
  const hear = testTool('hear', async () => ({ content: 'heard' }), idempotent);
  const turns = Array.from({ length: calls }, () => '[[answer]]\ncall = [{ tool = "hear" }]').join('\n');
  const script = `${turns}\n[[answer]]\ntext = "done"\n[[answer]]\ntext = "really done"`;
  const focus: TestFocus = await startTestFocus(pg.database, { tools: [hear], script });
  const requests: LlmRequest[] = [];
  const played = scriptedClient('scripted', parseScript(script, 'test.toml'), systemClock);
  const means = (overrides: Partial<LoopParts> = {}) => {
    const all = focus.means({ db, ...overrides });
    const client = {
      ...played,
      complete: async (request: LlmRequest, options: Parameters<typeof played.complete>[1]) => {
        if (request.turn! <= calls) await sayWork(pg.database, focus.key.workItemId, `message ${request.turn}`);
        requests.push(structuredClone({ ...request, model: null as never }));
        return played.complete(request, options);
      },
    };
    return { ...all, model: { ...all.model, client } };
  };
  return { focus, means, requests };
}

function textsOf(messages: readonly Message[]): string {
  return JSON.stringify(messages);
}

/** The recorded rows give each request again, byte for byte. */
async function expectRebuildable({ key }: TestFocus, requests: readonly LlmRequest[]): Promise<void> {
  const { turns, messages } = await readTranscript(pg.database, key.focusId);
  for (const request of requests) {
    const before = {
      turns: turns.filter(({ turn }) => turn < request.turn!),
      messages: messages.filter(({ afterTurn }) => afterTurn < request.turn!),
    };
    expect(textsOf(renderMessages(before))).toBe(textsOf(request.messages));
  }
}

describe('a message to running work', () => {
  it.each([
    ['a turn of its own', false],
    ['the record of the answer before', true],
  ])('is in the next request, where that is begun by %s', async (_, idempotent) => {
    const { focus, means, requests } = await hearing(idempotent);
    expect(await engage(means())).toMatchObject({ kind: 'done', finalText: 'done' });
    expect(requests).toHaveLength(3);
    for (const [n, request] of requests.entries()) {
      for (const m of [1, 2]) {
        const times = textsOf(request.messages).split(`message ${m}\\n`).length - 1;
        expect([n, m, times]).toEqual([n, m, n >= m ? 1 : 0]);
      }
    }
    const last = requests.at(-1)!.messages.at(-1)!;
    expect(last.content.map(({ type }) => type)).toEqual(['tool_result', 'text']);
    await expectRebuildable(focus, requests);
  });

  it('that comes with the first turn is in the first request', async () => {
    const { focus, means, requests } = await hearing(false, 0);
    await sayWork(pg.database, focus.key.workItemId, 'first of all');
    await engage(means());
    expect(requests[0]!.messages[0]!.content).toHaveLength(2);
    await expectRebuildable(focus, requests);
  });

  it.each([
    ['begin_turn', false],
    ['record_turn', true],
  ])('is not lost with the response of %s', async (call, idempotent) => {
    let cut = 0;
    const cutting: Database = {
      ...pg.database,
      query: async (sql, params) => {
        const rows = await pg.database.query(sql, params);
        const [said] = Object.values(rows[0] ?? {}) as readonly (string | { readonly permit: string } | null)[];
        if (sql.includes(`animus.${call}(`) && (typeof said === 'object' ? said?.permit : said) === 'mail') {
          cut += 1;
          throw new AnimusError('db.unreachable', { where: 'here', detail: 'cut', hint: '' });
        }
        return rows as never;
      },
    };
    const { focus, means, requests } = await hearing(idempotent, 1, cutting);
    expect(await engage(means())).toMatchObject({ finalText: 'done' });
    expect(cut).toBe(1);
    expect(textsOf(requests[1]!.messages).split('message 1\\n')).toHaveLength(2);
    // The turn was begun, and begun again with the message before anything was sent.
    const [row] = await pg.database.query(
      'select sum(lost_requests)::int as lost from animus.turns where focus_id = $1',
      [focus.key.focusId],
    );
    expect(row).toEqual({ lost: 0 });
    await expectRebuildable(focus, requests);
  });

  it('after the final answer makes the run go on, in a resumed focus, too', async () => {
    const { focus, means, requests } = await hearing(false, 0);
    expect(await engage(means())).toMatchObject({ finalText: 'done' });
    await sayWork(pg.database, focus.key.workItemId, 'and the tests?');
    // What the end of the focus does when it finds the message.
    await pg.database.query('select animus.deliver_mail($1, $2, 1)', [focus.key.workItemId, focus.key.focusId]);
    expect(await engage(means())).toMatchObject({ finalText: 'really done' });
    expect(textsOf(requests[1]!.messages)).toContain('and the tests?');
    await expectRebuildable(focus, requests);
  });

  it('after the last turn that is allowed does not', async () => {
    const { focus, means, requests } = await hearing(false, 0);
    await engage(means({ maxTurns: 1 }));
    await pg.database.query('select animus.deliver_mail($1, $2, 1)', [focus.key.workItemId, focus.key.focusId]);
    expect(await engage(means({ maxTurns: 1 }))).toMatchObject({
      finalText: 'done',
      unread: 'no turn was left (max_turns)',
    });
    expect(requests).toHaveLength(1);
  });
});
