/** Calls that code made: what records them, who shows them, and who must not count them. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/store/events/read-events.ts';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import {
  type CodeCallRow,
  keepFile,
  readCodeCalls,
  recordCodeCalls,
} from '../../../src/store/transcript/code-calls.ts';
import { readRunningMs } from '../../../src/store/transcript/focus-row.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { readArtifacts } from '../../../src/store/views/artifact-views.ts';
import { readFoci } from '../../../src/store/views/focus-views.ts';
import { packHistory } from '../../../src/store/work/retention.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();

function row(n: number, overrides: Partial<CodeCallRow> = {}): CodeCallRow {
  const open = { output: null, outputBytes: null, isError: null, details: null, durationMs: null };
  return { n, name: 'act', input: { n }, finalInput: null, state: 'started', ...open, ...overrides };
}

const done = (output: string) => ({ state: 'done', output, outputBytes: 9, isError: false, durationMs: 5 }) as const;

/** An item whose model called execute_code as `x`. */
async function executing(): Promise<FocusedWork> {
  const work = await beginFocus(pg.database);
  await recordCalls(pg.database, work, 1, ['x'], 'execute_code');
  return work;
}

function end(work: FocusedWork, callId: string, durationMs = 10) {
  const result = { turn: 1, callId, state: 'done', output: 'ok', isError: false, details: null, durationMs } as const;
  return finishToolCalls(pg.database, work.key, [result]);
}

describe('record_code_calls', () => {
  it('keeps the first result of a call, and records one that was never begun', async () => {
    const work = await executing();
    const put = (...rows: CodeCallRow[]) => recordCodeCalls(pg.database, work.key, 1, 'x', rows);
    expect(await put(row(1), row(2, done('two')))).toBe(2);
    expect(await put(row(1), row(2))).toBe(2);
    expect(await put(row(1, { ...done('one'), details: { a: 1 } }))).toBe(1);
    expect(await put(row(1, { ...done('again'), state: 'failed', isError: true }))).toBe(1);
    expect(await readCodeCalls(pg.database, work.key.focusId, 1)).toMatchObject([
      { n: 1, parentCallId: 'x', state: 'done', output: 'one', isError: false },
      { n: 2, state: 'done', output: 'two' },
    ]);
  });

  it('is part of the position in the events of the item: which have begun, and which have ended', async () => {
    const work = await executing();
    await recordCodeCalls(pg.database, work.key, 1, 'x', [row(1, done('one')), row(2, done('two')), row(3)]);
    const [position] = await pg.database.query(`select animus.events_position($1) -> 'n' as nested`, [work.id]);
    expect(position).toEqual({ nested: { x: ['{[1,4)}', '{[1,3)}'] } });
  });

  it('refuses calls below one that does not run, and never touches a call of the model', async () => {
    const work = await beginFocus(pg.database);
    await recordCalls(pg.database, work, 1, ['x', 'x/1'], 'execute_code');
    const put = (parent: string) => recordCodeCalls(pg.database, work.key, 1, parent, [row(1, done('forged'))]);
    expect(await put('x')).toBe(0);
    await expect(put('nothing')).rejects.toMatchObject({ code: 'work.state' });
    await end(work, 'x');
    await expect(put('x')).rejects.toMatchObject({ code: 'work.state' });
    const { turns } = await readTranscript(pg.database, work.key.focusId);
    expect(turns[0]!.calls).toMatchObject([{ output: 'ok' }, { callId: 'x/1', output: null }]);
  });
});

describe('calls of code', () => {
  it('are not calls of a turn: not in the transcript, the count of events, or the running time', async () => {
    const work = await executing();
    const rows = [row(1, { ...done('one'), durationMs: 90_000 }), row(2, { ...done('two'), name: 'ledger_append' })];
    await recordCodeCalls(pg.database, work.key, 1, 'x', rows);
    await end(work, 'x');
    const { turns } = await readTranscript(pg.database, work.key.focusId);
    expect(turns[0]!.calls).toMatchObject([{ callId: 'x', wrote: [{}] }]);
    expect(await readRunningMs(pg.database, work.key.focusId, 'none')).toBe(10);
    const { events } = await readEvents(pg.database, { kind: 'work', id: work.id }, null);
    expect(events.filter((event) => event.type === 'call' && event.parentCallId === null)).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'observation')).toMatchObject([
      { callId: 'x/1' },
      { callId: 'x/2' },
      { callId: 'x' },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'call', callId: 'x/1', parentCallId: 'x' }));
  });

  it('report no end of child work to the model', async () => {
    const work = await executing();
    const [child] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, parent_id) values ('nobody', $1) returning id`,
      [work.id],
    );
    await pg.database.query(`select animus.cancel_work($1, 'over')`, [child!.id]);
    const told = { ...done('it was cancelled'), name: 'check_child_work', details: { reported: [child!.id] } };
    await recordCodeCalls(pg.database, work.key, 1, 'x', [row(1, told)]);
    const toAwait = await pg.database.query(`select animus.children_to_await($1, $2) as ids`, [
      work.id,
      work.key.focusId,
    ]);
    expect(toAwait).toEqual([{ ids: [child!.id] }]);
  });

  it('stand below the call that ran the code, packed or not', async () => {
    const work = await executing();
    await recordCodeCalls(pg.database, work.key, 1, 'x', [
      row(2, done('two')),
      row(1, done('one')),
      row(10, done('ten')),
    ]);
    await end(work, 'x');
    await completeWork(pg.database, work, {}, 'done');
    const shown = await readFoci(pg.database, work.id);
    expect(shown[0]!.turns[0]!.tool_calls).toMatchObject([
      { call_id: 'x', calls: [{ call_id: 'x/1', output: 'one' }, { call_id: 'x/2' }, { call_id: 'x/10' }] },
    ]);
    expect(await packHistory(pg.database, 0, 1000)).toBeGreaterThan(0);
    expect(await pg.database.query('select from animus.tool_calls where focus_id = $1', [work.key.focusId])).toEqual(
      [],
    );
    expect(await readFoci(pg.database, work.id)).toEqual(shown);
  });
});

describe('keep_file', () => {
  const keep = (work: FocusedWork, name: string, bytes: Buffer, id = randomUUID()) =>
    keepFile(pg.database, work.key, { id, name, bytes });

  it('keeps a file once as an artifact of the item, with a type by its first bytes', async () => {
    const work = await executing();
    const id = randomUUID();
    expect(await keep(work, 'report.csv', Buffer.from('a,b\n1,2\n'), id)).toEqual({
      mediaType: 'text/plain; charset=utf-8',
    });
    expect(await keep(work, 'report.csv', Buffer.from('a,b\n1,2\n'), id)).toEqual({
      mediaType: 'text/plain; charset=utf-8',
    });
    expect(await keep(work, 'raw', Buffer.from([0xff, 0x00, 0xfe]))).toEqual({ mediaType: 'application/octet-stream' });
    expect(await keep(work, 'empty', Buffer.alloc(0))).toEqual({ mediaType: 'text/plain; charset=utf-8' });
    expect(await readArtifacts(pg.database, work.id)).toMatchObject([
      { name: 'empty', bytes: 0 },
      { name: 'raw', bytes: 3 },
      { id, name: 'report.csv', bytes: 8 },
    ]);
  });

  it('says why it keeps a file not: its name, its size, or the files of the item together', async () => {
    const work = await executing();
    expect(await keep(work, 'a\u001bb', Buffer.from('x'))).toEqual({
      problem: expect.stringContaining('control character'),
    });
    expect(await keep(work, 'x'.repeat(256), Buffer.from('x'))).toMatchObject({ problem: expect.any(String) });
    expect(await keep(work, 'big', Buffer.alloc(10_485_761))).toEqual({ problem: expect.stringContaining('10 MiB') });
    await pg.database.query(
      `insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
       select gen_random_uuid(), $1, n::text, 'text/plain', 1048576, '', now() from generate_series(1, 100) n`,
      [work.id],
    );
    expect(await keep(work, 'one more', Buffer.from('x'))).toEqual({ problem: expect.stringContaining('100 files') });
    await pg.database.query(`delete from animus.artifacts where work_item_id = $1 and name = '7'`, [work.id]);
    expect(await keep(work, 'one more', Buffer.alloc(1_048_577))).toEqual({
      problem: expect.stringContaining('100 MiB'),
    });
    expect(await keep(work, 'one more', Buffer.alloc(1_048_576))).toHaveProperty('mediaType');
  });
});
