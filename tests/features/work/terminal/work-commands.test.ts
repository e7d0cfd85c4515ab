import { beforeAll, describe, expect, test } from 'vitest';
import { completeWork, releaseWork } from '../../../../src/store/work/work.ts';
import { commandSite } from '../../../cli/work/command-site.ts';
import { testDatabase } from '../../../support/database.ts';
import { claimOne, recordCode, recordTurn, registerDaemon, startFocus, useSkill } from './worked-item.ts';

const db = testDatabase();
const { animus, submit } = commandSite(db);

describe('work list', () => {
  test('shows the newest first, filtered, as a table or as JSON', async () => {
    const [first, second] = [await submit('lister'), await submit('lister')];
    await submit('other');
    const { stdout } = await animus(['work', 'list', '--faculty', 'lister', '--json']);
    expect(JSON.parse(stdout).items.map((item: { id: string }) => item.id)).toEqual([second, first]);
    const table = await animus(['work', 'list', '--faculty', 'lister', '--state', 'queued', '--limit', '1']);
    expect(table.stdout.split('\n')).toHaveLength(3);
    expect(table.stdout).toContain(second.slice(-12));
    expect(await animus(['work', 'list', '--faculty', 'nothing'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'animus: no work items\n',
    });
  });

  test('is read page by page, to its end', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await submit('pager'));
    const page = async (...more: string[]) =>
      JSON.parse((await animus(['work', 'list', '--faculty', 'pager', '--limit', '2', '--json', ...more])).stdout);
    const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
    const first = await page();
    expect([idsOf(first), first.next]).toEqual([ids.slice(0, 2), ids[1]]);
    const second = await page('--after', first.next);
    expect([idsOf(second), second.next]).toEqual([ids.slice(2, 4), ids[3]]);
    const last = await page('--after', second.next.slice(-12));
    expect([idsOf(last), last.next]).toEqual([ids.slice(4), null]);

    // A whole id needs no item: retention may have deleted it.
    const gone = ids[1]!.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    expect(idsOf(await page('--after', gone)).length).toBe(2);
    const table = await animus(['work', 'list', '--faculty', 'pager', '--limit', '2']);
    expect(table.stderr).toBe(
      `animus: there are more; the next page: animus work list --faculty pager --limit 2 --after ${ids[1]}\n`,
    );
    expect((await animus(['work', 'list', '--faculty', 'pager', '--limit', '5'])).stderr).toBe('');
    expect(await animus(['work', 'list', '--after', 'no-id'])).toMatchObject({ code: 2 });
  });

  test('no description can control or overflow the terminal', async () => {
    await submit('evil', '--source', 'x');
    await db.database.query(`insert into animus.work_items (faculty, description) values ('evil', $1)`, [
      `\u001b]0;owned\u0007\u001b[2J\n\u202e${'日本'.repeat(100)}`,
    ]);
    const { stdout } = await animus(['work', 'list', '--faculty', 'evil'], { terminal: 40 });
    for (const control of ['\u001b]', '\u001b[2J', '\u0007', '\u202e']) expect(stdout).not.toContain(control);
    expect(stdout).toContain('\\x1b]0;');
    const json = (await animus(['work', 'list', '--faculty', 'evil', '--json'])).stdout;
    expect(JSON.parse(json).items[0].description).toContain('\u001b]0;owned');
  });
});

describe('work show', () => {
  test('draws the tree, the turns, the calls, the ledger and the outcome', async () => {
    const id = await submit('shown');
    const [child] = await db.database.query<{ id: string }>(
      `select id from animus.submit_work('helper', 'Look it up', parent_id => $1)`,
      [id],
    );
    await db.database.query(`select animus.submit_work('helper', 'Deeper', parent_id => $1)`, [child?.id]);
    const work = await claimOne(db.database, 'shown');
    const focus = await startFocus(db.database, work);
    await recordTurn(db.database, work, focus);
    await db.database.query(`select animus.append_ledger($1, 'finding', E'Line one\\nline two', $2)`, [
      id,
      work.leaseToken,
    ]);
    await useSkill(db.database, work, focus);
    await completeWork(db.database, work, { fixed: true }, 'Fixed it');

    const { stdout } = await animus(['work', 'show', id.slice(-12)]);
    for (const expected of [
      'review  its triggers fitted  version 2, abababababab',
      'completed',
      '└─ ',
      '   └─ ',
      'Focus 1',
      'turn 1',
      'tool_use',
      '90 % cached',
      'read_file',
      'no such file',
    ]) {
      expect(stdout).toContain(expected);
    }
    expect(stdout).toContain('     Line one\n     line two\n');
    expect(stdout).toContain('  Fixed it\n');
    const shown = JSON.parse((await animus(['work', 'show', id, '--json'])).stdout);
    expect(shown).toMatchObject({
      item: { id, outcome: { fixed: true }, turns: 1 },
      children: [{ description: 'Look it up' }, { description: 'Deeper' }],
      foci: [
        { number: 1, turns: [{ turn: 1, input_tokens: 1000, tool_calls: [{ name: 'read_file', is_error: true }] }] },
      ],
      ledger: [{ seq: 1, type: 'finding' }],
    });
  });

  test('shows whole texts, and what the engine wrote into the context, with --full', async () => {
    const id = await submit('whole');
    const work = await claimOne(db.database, 'whole');
    const focus = await startFocus(db.database, work);
    await recordTurn(db.database, work, focus, `begin ${'x'.repeat(5000)} end`);
    const add = `select animus.add_message($1, $2, $3, $4, $5, 1, $6)`;
    await db.database.query(add, [focus, work.leaseToken, 0, 'orient', 'The first message', null]);
    await db.database.query(add, [focus, work.leaseToken, 1, 'stub', '[completed step]', 1]);
    const short = await animus(['work', 'show', id]);
    expect(short.stdout).not.toMatch(/The first message|x end/);
    const { stdout } = await animus(['work', 'show', id, '--full']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /orient The first message turn 1 .* Let me look\. read_file .* \{"path": ?"a\.txt"\} begin x+ end stub, in place of what came before turn 1 \[completed step\]/,
    );
    const shown = JSON.parse((await animus(['work', 'show', id, '--full', '--json'])).stdout);
    expect(shown.foci[0].messages).toMatchObject([
      { kind: 'orient', after_turn: 0 },
      { kind: 'stub', keeps_from: 1 },
    ]);
    expect(shown.foci[0].turns[0].tool_calls[0].output).toHaveLength(5010);
  });

  test('says of ended work that nothing waits any more', async () => {
    const id = await submit('ender');
    const work = await claimOne(db.database, 'ender');
    const focusId = await startFocus(db.database, work);
    await db.database.query('select animus.begin_turn($1, $2, 1)', [focusId, work.leaseToken]);
    expect((await animus(['work', 'show', id])).stdout).toContain('waiting for the model, asked');
    await db.database.query(`select animus.fail_work($1, $2, '{"code": "x", "message": "it broke"}', null, 'ledger')`, [
      id,
      work.leaseToken,
    ]);
    const { stdout } = await animus(['work', 'show', id]);
    expect(stdout).toMatch(/turn 1 +not answered\n/);
    expect(stdout).not.toMatch(/wait/);
    expect(stdout).toContain(`  x: it broke\n  retry: animus work retry ${id.slice(-12)}\n`);
    expect((await animus(['work', 'tail', id])).stdout).toContain(`retry: animus work retry ${id.slice(-12)}\n`);
    expect(JSON.parse((await animus(['work', 'show', id, '--json'])).stdout).item.waiting).toBeNull();
  });

  test('says of work that was given back that no model is asked now, and what ends the wait', async () => {
    const id = await submit('given');
    const work = await claimOne(db.database, 'given');
    const focusId = await startFocus(db.database, work);
    await db.database.query('select animus.begin_turn($1, $2, 1)', [focusId, work.leaseToken]);
    await releaseWork(db.database, work, { delaySeconds: 60, reason: 'the provider is busy', cause: 'llm.overloaded' });
    const { stdout } = await animus(['work', 'show', id]);
    expect(stdout).toMatch(/turn 1 +not answered, asked again when the work goes on\n/);
    expect(stdout).not.toContain('waiting for the model');
    expect(stdout).toMatch(/ {2}until +a daemon may take it again\n/);
    expect(stdout).not.toContain('work retry');
  });

  test('shows calls that code made below the call that ran it, and so does tail', async () => {
    const id = await submit('code');
    const work = await claimOne(db.database, 'code');
    await recordCode(db.database, work, await startFocus(db.database, work), 25);
    await completeWork(db.database, work, {}, 'done');
    const { stdout } = await animus(['work', 'show', id]);
    expect(stdout).toMatch(/^ {4}execute_code .*\n {6}grep {2}done, 1 ms, 7 B.*no 1/m);
    expect(stdout).toContain('no 20');
    expect(stdout).not.toContain('no 21');
    expect(stdout).toContain('and 5 more calls by this code; see them with --full');
    expect((await animus(['work', 'show', id, '--full'])).stdout).toContain('found 25');
    const shown = JSON.parse((await animus(['work', 'show', id, '--json'])).stdout);
    const [execution, ...others] = shown.foci[0].turns[0].tool_calls;
    expect(others).toEqual([]);
    expect(execution.calls).toHaveLength(25);
    expect(execution.calls[24]).toMatchObject({ call_id: 'c1/25', output: 'found 25' });
    const tailed = await animus(['work', 'tail', id]);
    expect(tailed.stdout).toMatch(/^\d\d:\d\d:\d\d {4}✓ execute_code/m);
    expect(tailed.stdout).toMatch(/^\d\d:\d\d:\d\d {6}✓ grep/m);
    const events = (await animus(['work', 'tail', id, '--json'])).stdout.trim().split('\n');
    expect(events.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ type: 'observation', call_id: 'c1/7', parent_call_id: 'c1' }),
    );
  });

  test('shortens no id, however narrow the terminal, and shows an answer once', async () => {
    const id = await submit('narrow');
    const work = await claimOne(db.database, 'narrow');
    await startFocus(db.database, work);
    await completeWork(db.database, work, { text: 'All done.\nReally.' }, 'All done.');
    const { stdout } = await animus(['work', 'show', id], { terminal: 20 });
    expect(stdout).toContain(`  id\n  ${id}\n`);
    expect(stdout.split('Outcome')[1]?.match(/All done\./g)).toHaveLength(1);
    expect(stdout).toContain('  Really.\n');
  });
});

describe('ledger', () => {
  test('appends as an operator and shows by type and number', async () => {
    const id = await submit('written');
    expect(await animus(['ledger', 'append', id, 'note', 'One'])).toMatchObject({
      code: 0,
      stdout: `note #1 appended to ${id}\n`,
    });
    await animus(['ledger', 'append', id, 'plan', '-'], { stdin: 'Old plan\n' });
    await animus(['ledger', 'append', id, 'plan', 'New plan']);
    const last = JSON.parse((await animus(['ledger', 'show', id, '--last', '1', '--json'])).stdout);
    expect(last.entries).toMatchObject([{ seq: 3, type: 'plan', content: 'New plan', focus_id: null }]);
    expect((await animus(['ledger', 'show', id, '--type', 'note'])).stdout).toMatch(
      /^#1 note .* by an operator\n {3}One\n$/,
    );
    expect((await animus(['ledger', 'show', id, '--formatted'])).stdout).toBe(
      '## Plan\nNew plan\n\n## Notes\n- One\n\n',
    );
  });

  test('refuses an invalid entry', async () => {
    const id = await submit('unwritten');
    expect(await animus(['ledger', 'append', id, 'musing', 'x'])).toMatchObject({ code: 2 });
    expect(await animus(['ledger', 'append', id, 'note', ''])).toMatchObject({ code: 2 });
    expect(await animus(['ledger', 'show', id, '--type', 'nots'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean note?'),
    });
  });
});

describe('status', () => {
  beforeAll(() => registerDaemon(db.database, 'nobodys'));

  test('shows states, queue, daemons and running work', async () => {
    await submit('unserved');
    const { stdout, code } = await animus(['status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/unserved +queued +1 .*no running daemon serves unserved/);
    expect(JSON.parse((await animus(['status', '--json'])).stdout)).toMatchObject({
      database: { kind: 'postgres' },
      states: { queued: expect.any(Number) },
    });
  });

  test('of an empty database says so', async () => {
    expect(await animus(['status'])).toMatchObject({ stdout: expect.not.stringContaining('undefined') });
  });
});
