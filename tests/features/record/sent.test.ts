/** What a model was sent for a turn, rebuilt for people: the same texts as the engine rebuilds, whichever blocks compaction has replaced. */
import { expect, test } from 'vitest';
import { renderMessages } from '../../../src/engage/context/context.ts';
import type { ContentBlock } from '../../../src/llm/client.ts';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import { addMessage } from '../../../src/store/transcript/messages.ts';
import { readTranscript, type Transcript } from '../../../src/store/transcript/transcript.ts';
import { packHistory } from '../../../src/store/work/retention.ts';
import { testApi } from '../../support/api.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

/** Five turns with a call each; a stub stands for the first two from turn 4 on, a summary for the first three from turn 5 on. */
async function worked(): Promise<FocusedWork> {
  const work = await beginFocus(owner());
  const say = (
    afterTurn: number,
    kind: 'orient' | 'operator' | 'stub' | 'summary',
    content: string,
    keepsFrom?: number,
  ) => addMessage(owner(), work.key, { afterTurn, kind, content, ...(keepsFrom !== undefined && { keepsFrom }) }, 10);
  await say(0, 'orient', 'Fix the test.');
  for (let turn = 1; turn <= 5; turn++) {
    await recordCalls(owner(), work, turn, [`call_${turn}`], 'bash');
    await finishToolCalls(owner(), work.key, [
      {
        turn,
        callId: `call_${turn}`,
        state: 'done',
        output: `output of ${turn}`,
        isError: turn === 2,
        details: null,
        durationMs: 1,
      },
    ]);
    if (turn === 1) await say(1, 'operator', 'Only in winter.');
    if (turn === 3) await say(3, 'stub', 'Stub of 1 and 2.', 3);
    if (turn === 4) await say(4, 'summary', 'Summary of 1 to 3.', 4);
  }
  return work;
}

interface Sent {
  readonly blocks: {
    readonly kind: string;
    readonly turn: number;
    readonly content: unknown;
    readonly replaces: object | null;
  }[];
  readonly replaced: { readonly turn: number; readonly by: number }[];
}

/** The texts and the ids of calls, in order. */
const wordsOf = (content: unknown): string[] =>
  [content].flat().flatMap((one) => {
    const { type, text, id, callId, call_id: other, content: inner } = one as Record<string, string>;
    if (type === 'text') return [text!];
    if (type === 'tool_call') return [id!];
    return [(callId ?? other)!, ...(inner ? wordsOf(inner) : [text!])];
  });

const before = ({ turns, messages }: Transcript, turn: number): Transcript => ({
  turns: turns.filter((one) => one.turn < turn),
  messages: messages.filter(({ afterTurn }) => afterTurn < turn),
});

test('each request has the words that the engine rebuilds, before and after compaction, also when the transcript is packed', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const work = await worked();
  const whole = await readTranscript(owner(), work.key.focusId);
  const check = async () => {
    for (const turn of [1, 2, 3, 4, 5]) {
      const { status, body } = await call('rita', 'GET', `/work/${work.id}/turns/${turn}/request`);
      expect(status).toBe(200);
      const expected = renderMessages(before(whole, turn)).flatMap(({ content }) => wordsOf(content as ContentBlock[]));
      expect((body as Sent).blocks.flatMap(({ content }) => wordsOf(content))).toEqual(expected);
      expect(body).toMatchObject({
        focus_id: work.key.focusId,
        turn,
        model: 'test',
        system_prompt: 'You test.',
        tools: [],
      });
    }
  };
  await check();
  await owner().query(`select animus.complete_work($1, $2, '{}', null)`, [work.id, work.key.leaseToken]);
  await owner().query(`update animus.work_items set resolved_at = resolved_at - interval '1 hour' where id = $1`, [
    work.id,
  ]);
  expect(await packHistory(owner(), 0, 10)).toBe(1);
  await check();
});

test('says which turns compaction has replaced, and by which block', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const work = await worked();
  const sent = async (turn: number) =>
    (await call('rita', 'GET', `/work/${work.id}/turns/${turn}/request`)).body as Sent;
  expect((await sent(3)).replaced).toEqual([]);
  for (const [turn, kind, gone] of [
    [4, 'stub', [1, 2]],
    [5, 'summary', [1, 2, 3]],
  ] as const) {
    const { blocks, replaced } = await sent(turn);
    expect(replaced.map((one) => one.turn)).toEqual(gone);
    expect(new Set(replaced.map(({ by }) => blocks[by]!.kind))).toEqual(new Set([kind]));
    expect(blocks.find((one) => one.kind === kind)!.replaces).toEqual({ from: 1, to: gone.length });
  }
});

test('a turn, its calls and the timeline; nothing of it for anyone who may not see the item', async () => {
  const { call } = await start();
  await createPerson(owner(), 'rita', 'reader');
  const work = await worked();
  const item = `/work/${work.id}`;
  expect((await call('rita', 'GET', `${item}/turns/2`)).body).toMatchObject({ turn: 2, stop_reason: 'tool_use' });
  expect((await call('rita', 'GET', `${item}/turns/2?focus_id=${work.key.focusId}`)).status).toBe(200);
  expect((await call('rita', 'GET', `${item}/turns/2/calls/call_2`)).body).toMatchObject({
    output: 'output of 2',
    is_error: true,
  });
  const first = (await call('rita', 'GET', `${item}/timeline?limit=3`)).body;
  const second = (await call('rita', 'GET', `${item}/timeline?limit=3&after=${first.next}`)).body;
  const rows = [...first.items, ...second.items] as { turn: number; calls: { call_id: string; state: string }[] }[];
  expect(rows.map(({ turn, calls }) => [turn, calls.map(({ call_id: id, state }) => [id, state])])).toEqual(
    [1, 2, 3, 4, 5].map((turn) => [turn, [[`call_${turn}`, 'done']]]),
  );
  expect(second.next).toBeNull();
  for (const path of ['turns/6', 'turns/6/request', 'turns/2/calls/none', `turns/2?focus_id=${crypto.randomUUID()}`])
    expect(await call('rita', 'GET', `${item}/${path}`)).toMatchObject({
      status: 404,
      body: { code: 'work.not_found' },
    });
  for (const path of ['turns/2', 'turns/2/request', 'turns/2/calls/call_2', 'timeline'])
    expect((await call('bob', 'GET', `${item}/${path}`)).status).toBe(404);
});

test('its submitter sees what was sent, without what the faculty is set up with', async () => {
  const { call } = await start();
  const work = await worked();
  await owner().query(`update animus.work_items set submitted_by = 'person:sam' where id = $1`, [work.id]);
  const { body } = await call('sam', 'GET', `/work/${work.id}/turns/5/request`);
  expect(body).toMatchObject({ system_prompt: null, tools: null, turn: 5 });
  expect(body.blocks.length).toBeGreaterThan(2);
});
