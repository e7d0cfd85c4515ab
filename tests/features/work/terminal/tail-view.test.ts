/** What `work tail` prints of an item: the same for a reader that comes late, and for one that reads now and then. */
import { expect, test } from 'vitest';
import { createTailView } from '../../../../src/features/work/terminal/tail-view.ts';
import type { WorkEvent } from '../../../../src/store/events/event.ts';
import { createFeed } from '../../../../src/store/events/live/feed.ts';
import { beginningOf, readPlaces } from '../../../../src/store/events/places.ts';
import { askPerson } from '../../../../src/store/transcript/approvals.ts';
import { finishToolCalls, startCall } from '../../../../src/store/transcript/calls.ts';
import { appendLedger } from '../../../../src/store/transcript/ledger.ts';
import { openWait, parkWork, resolveWait } from '../../../../src/store/transcript/waits.ts';
import { readAskedModels, readOpenTurn } from '../../../../src/store/views/open-turn.ts';
import { approve } from '../../../../src/store/work/decide.ts';
import { completeWork, failWork } from '../../../../src/store/work/work.ts';
import { createOutput } from '../../../../src/terminal/view/output.ts';
import { beginFocus, recordCalls } from '../../../support/begun-focus.ts';
import { testDatabase } from '../../../support/database.ts';
import { recorded } from '../../../terminal/events/feed-entries.ts';

const pg = testDatabase();

test('tells the story of an item that waits, is resumed, fails and completes', async () => {
  const db = pg.database;
  const work = await beginFocus(db);
  const rare = tail(work.id);
  const live = tail(work.id);
  await live.look();
  await recordCalls(db, work, 1, ['a', 'b'], 'bash');
  await live.look();
  await end(work, 1, 'a');
  await rare.look();
  await live.look();
  await appendLedger(db, work.id, 'finding', 'half of it', { leaseToken: work.leaseToken });
  await live.look();
  await openWait(db, work.key, 1, 'b', { kind: 'timer', deadline: new Date('2100-01-01T00:00:00Z') });
  await live.look();
  await parkWork(db, work);
  await live.look();
  await resolveWait(db, work.id, 'b', { due: true });
  const woken = await beginFocus(db, { id: work.id });
  await live.look();
  await end(woken, 1, 'b');
  await rare.look();
  await failWork(db, woken, { code: 'x', message: 'it broke' }, 0);
  await live.look();
  const second = await beginFocus(db, { id: work.id });
  await recordCalls(db, second, 1, ['a'], 'bash');
  await live.look();
  await end(second, 1, 'a');
  await completeWork(db, second, {}, null);

  const story = [await live.look(), await rare.look(), await tail(work.id).look()];
  expect(story[0]).toEqual([
    'focus 1 started',
    'turn 1  calling test/test',
    '  bash  {}',
    '  bash  {}',
    '  ✓ bash  1 ms  ok',
    '  ledger 1  finding  half of it',
    '  waiting timer until 2100-01-01T00:00:00.000Z',
    'focus 1 resumed',
    '  ✓ bash  1 ms  ok',
    'focus failed: it broke',
    'focus 2 started',
    'turn 1  calling test/test',
    '  bash  {}',
    '  ✓ bash  1 ms  ok',
    'focus completed',
    'completed',
  ]);
  for (const lines of story) expect(lines.toSorted()).toEqual(story[0]!.toSorted());
});

test('says which model is asked, and how what waits for a person is decided', async () => {
  const db = pg.database;
  const work = await beginFocus(db);
  await db.query(
    `update animus.foci set settings_id = null, faculty_snapshot = '{"engage": {"model": "p/asked"}}' where id = $1`,
    [work.key.focusId],
  );
  const live = tail(work.id);
  await db.query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
  const [, asked] = await live.look();
  expect(asked).toBe('turn 1  calling p/asked');
  const answer =
    '{"provider": "p", "model": "m", "content": [{"type": "text", "text": "I look."}], "stop_reason": "tool_use"}';
  const call = '[{"call_id": "a", "name": "bash", "input": {"n": 1}, "state": "pending"}]';
  await db.query('select animus.record_turn($1, $2, 1, $3, $4)', [work.key.focusId, work.leaseToken, answer, call]);
  await askPerson(db, work.key, 1, 'a', 'approval', { subject: 'tool_call', request: { reason: 'x' }, seconds: 60 });
  await approve(db, work.id, { input: '{"n": 2}' });
  await startCall(db, work.key, 1, 'a', null);
  await end(work, 1, 'a');
  const lines = await live.look();
  expect(lines.filter((line) => line.includes('calling'))).toHaveLength(1);
  expect(lines.at(-2)).toMatch(/^ {2}waiting approval until .*; see it and decide: animus inbox \w{12}$/);
  expect(lines.at(-1)).toBe('  ✓ bash  1 ms  ok');
  const late = await tail(work.id, false, await readAskedModels(db, work.id)).look();
  expect(late[1]).toBe(asked);
});

test('prints an answer as it comes on a terminal, and not again when it is recorded', () => {
  const { take, printed } = onTerminal();
  const at = { workItemId: 'w', atMs: 0, focus: 1, turn: 1 } as const;
  const piece = (from: number, text: string) => ({ hint: { ...at, type: 'text', live: true, from, text } as const });
  take(recorded({ ...at, type: 'state', state: 'running', resumed: false, by: null, note: null }));
  take(piece(0, 'I lo'));
  take({ hint: { ...at, type: 'withdrawn', live: true } });
  take(piece(0, 'Good'));
  take(piece(4, ' day.'));
  take(recorded({ ...at, type: 'turn', durationMs: 0, model: 'p/m' } as unknown as WorkEvent));
  take(recorded({ ...at, type: 'text', text: 'Good day.' }));
  take(recorded({ ...at, type: 'call', callId: 'a', parentCallId: null, name: 'bash', input: {} }));
  take({ hint: { ...at, type: 'observation', live: true, callId: 'a', stream: 'stdout', from: 0, text: 'one' } });
  take(recorded({ ...at, type: 'done', state: 'cancelled', error: 'by ada' } as unknown as WorkEvent));
  expect(printed().map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''))).toEqual([
    'focus 1 started',
    'turn 1  I lo',
    '  … the answer starts again:',
    'turn 1  Good day.',
    '  bash  {}',
    'one',
    'focus cancelled: by ada',
    'cancelled',
  ]);
});

test('--json prints what the streams of the API send', async () => {
  const work = await beginFocus(pg.database);
  await recordCalls(pg.database, work, 1, ['a']);
  const lines = (await tail(work.id, true).look()).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ type }) => type)).toEqual(['state', 'state', 'turn', 'call', 'state']);
  expect(lines[3]).toMatchObject({
    type: 'call',
    at: expect.any(String),
    work_item_id: work.id,
    call_id: 'a',
    id: expect.any(String),
  });
  expect(lines.at(-1)).toEqual({ type: 'state', live: true, work_item_id: work.id, state: 'running', waiting: null });
});

/** What is printed of an item, without the time of each line. */
function tail(id: string, json = false, models?: ReadonlyMap<number, string>) {
  const scope = { kind: 'work', id } as const;
  let printed = '';
  const write = (text: string) => (printed += text);
  const output = createOutput({ stdout: { write }, stderr: { write: () => undefined }, env: {}, json });
  const view = createTailView(output, scope, models);
  const feed = createFeed();
  let position = beginningOf(scope);
  return {
    async look(): Promise<string[]> {
      const [page] = await readPlaces(pg.database, [{ scope, from: position }]);
      position = page!.position;
      for (const entry of feed.take(page!)) view.take(entry);
      view.present(await readOpenTurn(pg.database, id));
      return printed
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}/, ''));
    },
  };
}

function onTerminal() {
  let all = '';
  const stdout = { write: (text: string) => (all += text), isTTY: true, columns: 80 };
  const output = createOutput({ stdout, stderr: { write: () => undefined }, env: { NO_COLOR: '1' }, json: false });
  const { take } = createTailView(output, { kind: 'work', id: 'w' });
  return { take, printed: () => all.trimEnd().split('\n') };
}

function end(work: Awaited<ReturnType<typeof beginFocus>>, turn: number, callId: string): Promise<number> {
  const result = { turn, callId, state: 'done', output: 'ok', isError: false, details: null, durationMs: 1 } as const;
  return finishToolCalls(pg.database, work.key, [result]);
}
