/** What an answer asks a person, decided in the session. */
import { describe, expect, test } from 'vitest';
import { askPerson } from '../../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../../src/store/transcript/waits.ts';
import { approve } from '../../../../src/store/work/decide.ts';
import { beginAnswer } from '../../../store/conversations/begun.ts';
import { askOf } from '../../../support/ask-of.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { createPerson } from '../../../support/people.ts';
import { bottom, CTRL_C, chatSite, paste } from './driven-session.ts';

const target = testDatabase();
const { begun, messages } = chatSite(target);
const db = () => target.database;

describe('what an answer asks', () => {
  /** An answer that asks: for an approval of this call, or with this question. */
  async function asks(
    name: string,
    kind: 'approval' | 'human',
    input: object,
    request: object,
    begin: Awaited<ReturnType<typeof begun>> | null = null,
  ) {
    begin ??= await begun('Do it');
    const work = await beginAnswer(db(), begin);
    await db().query('select animus.begin_turn($1, $2, 1)', [work.key.focusId, work.leaseToken]);
    await db().query('select animus.record_turn($1, $2, 1, $3::json, $4::json)', [
      work.key.focusId,
      work.leaseToken,
      '{"provider": "p", "model": "m", "content": [{"type": "text", "text": "It is harmless."}], "stop_reason": "tool_use"}',
      JSON.stringify([{ call_id: 'c1', name, input, state: 'pending' }]),
    ]);
    const subject = kind === 'approval' ? 'tool_call' : 'question';
    await askPerson(db(), work.key, 1, 'c1', kind, {
      subject,
      request: request as Record<string, unknown>,
      seconds: 3600,
    });
    await parkWork(db(), { id: work.id, leaseToken: work.leaseToken });
    return { ...begin, work };
  }

  const decisions = (item: string) =>
    db().query<{ action: string; note: string }>(
      'select action, note from animus.decisions where work_item_id = $1 order by seq',
      [item],
    );
  const PERMISSION = { reason: 'bash = "ask"', gate: 'permissions' };

  test('is shown from the record and approved with y, or denied with n and a note', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'git push\u200b' }, PERMISSION);
    const rows = await session.sees(/^y\/n>$/);
    expect(rows.join('\n')).toContain('wants to run bash');
    expect(rows.join('\n')).toContain('│ command: git push\\u{200b}');
    session.type('perhaps\r');
    await session.sees('y runs it once');
    expect(await decisions(work.id)).toEqual([]);
    session.type('n not on a Friday\r');
    await session.sees('denied by');
    expect(await decisions(work.id)).toEqual([{ action: 'deny', note: 'not on a Friday' }]);
    await eventually('the prompt is back', () => (bottom(session) === '>' ? true : null));
  });

  test('an approval is refused when somebody else has decided', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'ls' }, PERMISSION);
    await session.sees(/^y\/n>$/);
    await db().query('select animus.deny($1, $2)', [work.id, await askOf(db(), work.id, 'c1')]);
    session.type('y\r');
    await session.sees(/denied by|has been denied/);
    expect((await decisions(work.id)).map(({ action }) => action)).toEqual(['deny']);
    await eventually('the prompt is back', () => (bottom(session) === '>' ? true : null));
  });

  test('is not decided by what was typed before it was shown', async () => {
    const begin = await begun('Do it');
    const { session, id } = begin;
    await session.sees('the answer is queued');
    const unlock = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const lock = db().transaction(async (tx) => {
      await tx.query('select from animus.conversations where file_id = $1 for no key update', [id]);
      locked.resolve();
      await unlock.promise;
    });
    await locked.promise;
    session.type('/while queue\ry\r');
    const { work } = await asks('bash', 'approval', { command: 'rm -r all' }, PERMISSION, begin)
      .then(async (asked) => (await session.sees(/^y\/n>$/), asked))
      .finally(() => unlock.resolve());
    await lock;
    await eventually('the line was taken', async () =>
      (await messages(id)).length === 2 || (await decisions(work.id)).length > 0 ? true : null,
    );
    expect(await decisions(work.id)).toEqual([]);
    expect((await messages(id)).map(({ content }) => content)).toEqual(['Do it', 'y']);
  });

  test('is not decided by what was typed for the one before it', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'ls' }, PERMISSION);
    await session.sees(/^y\/n>$/);
    session.type('n\ry\r');
    await session.sees('denied by');
    await session.sees('what you decided is no longer asked');
    expect((await decisions(work.id)).map(({ action }) => action)).toEqual(['deny']);
  });

  test('with four eyes, whoever caused the work is told so, may deny, and sees what another one decides', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'ls' }, { ...PERMISSION, four_eyes: true });
    await session.sees(/^y\/n>$/);
    session.type('y\r');
    await session.sees('four eyes');
    expect(await decisions(work.id)).toEqual([]);
    await eventually('it can still be denied', () => (bottom(session) === 'y/n>' ? true : null));
    session.type('n not yet\r');
    await session.sees('denied by');
    expect(await decisions(work.id)).toEqual([{ action: 'deny', note: 'not yet' }]);

    const other = await asks('bash', 'approval', { command: 'ls' }, { ...PERMISSION, four_eyes: true });
    await other.session.sees(/^y\/n>$/);
    await createPerson(db(), 'otto', 'operator');
    await db().transaction(async (tx) => {
      await tx.query(`select animus.act_as('otto')`);
      await approve(tx, other.work.id, { ask: await askOf(db(), other.work.id, 'c1') });
    });
    await other.session.sees('approved by');
    await eventually('the prompt is back', () => (bottom(other.session) === '>' ? true : null));
  });

  test('is put off by an empty line, and asked again', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'ls' }, PERMISSION);
    await session.sees(/^y\/n>$/);
    session.type('\r');
    await session.sees('/asked shows it again');
    await eventually('the prompt is back', () => (bottom(session) === '>' ? true : null));
    session.type('/asked\r');
    await eventually('it is asked again', () => (bottom(session) === 'y/n>' ? true : null));
    session.type('y\r');
    await session.sees('approved by');
    expect((await decisions(work.id)).map(({ action }) => action)).toEqual(['approve']);
  });

  test('a question is answered, by the number of a choice or in words', async () => {
    const { session, work } = await asks(
      'ask_human',
      'human',
      {},
      { question: 'Which?', choices: ['the first', 'the other'] },
    );
    await session.sees('answer>');
    session.type('2\r');
    await session.sees('answered by');
    expect(await decisions(work.id)).toEqual([{ action: 'answer', note: 'the other' }]);
  });

  test('is approved with another input, which is JSON that the person changes', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'git push' }, PERMISSION);
    await session.sees(/^y\/n>$/);
    session.type('edit\r');
    await session.sees('input> {"command":"git push"}');
    session.type(' or so\r');
    await session.sees('the input is not valid JSON');
    await session.sees('input> {"command":"git push"} or so');
    session.type('\u0015{"command":"git push origin fix"}\r');
    await session.sees('approved by');
    expect((await decisions(work.id)).map(({ action }) => action).toSorted()).toEqual(['approve', 'edit']);
    const [call] = await db().query('select final_input from animus.all_tool_calls where work_item_id = $1', [work.id]);
    expect(call).toEqual({ final_input: { command: 'git push origin fix' } });
  });

  test('is not changed after all, by an empty line or Ctrl-C', async () => {
    const { session, work } = await asks('bash', 'approval', { command: 'ls' }, PERMISSION);
    await session.sees(/^y\/n>$/);
    for (const leave of ['\u0015\r', CTRL_C]) {
      session.type('edit\r');
      await session.sees('input> {"command":"ls"}');
      session.type(leave);
      await eventually('it is asked again', () => (bottom(session) === 'y/n>' ? true : null));
    }
    expect(await decisions(work.id)).toEqual([]);
  });

  test('is always allowed: for the answer, or for the faculty, with a time and a pattern', async () => {
    const { session, work, faculty } = await asks('bash', 'approval', { command: 'git push' }, PERMISSION);
    await session.sees(/^y\/n>$/);
    session.type('always faculty for 12h bash(\r');
    await session.sees('the pattern "bash("');
    session.type('always faculty for 12h git push*\r');
    await session.sees(`calls that match git push* of ${faculty}`);
    const [grant] = await db().query(
      `select scope, faculty, pattern, extract(epoch from expires_at - created_at)::int as seconds from animus.grants where faculty = $1`,
      [faculty],
    );
    expect(grant).toEqual({ scope: 'faculty', faculty, pattern: 'bash(git push*)', seconds: 43_200 });
    expect((await decisions(work.id)).map(({ action }) => action)).toContain('approve');
  });

  test('a question is declined', async () => {
    const { session, work } = await asks('ask_human', 'human', {}, { question: 'Which?' });
    await session.sees('answer>');
    session.type('/deny I do not know\r');
    await session.sees('denied by');
    expect(await decisions(work.id)).toEqual([{ action: 'deny', note: 'I do not know' }]);
    session.type('/deny\r');
    await session.sees('there is nothing to deny');
  });

  test('is not decided by what was being typed when it came, which is given back', async () => {
    const begin = await begun('Do it');
    begin.session.type('yes, and then the rest');
    const { session, work } = await asks('bash', 'approval', { command: 'ls' }, PERMISSION, begin);
    await eventually('an empty line', () => (bottom(session) === 'y/n>' ? true : null));
    session.type(`${paste('this is a message\nwith two lines')}\r`);
    await session.sees('Up brings back what you typed');
    expect(await decisions(work.id)).toEqual([]);
    session.type('\u001b[A');
    await session.sees('y/n> this is a message');
    session.type(`${CTRL_C}n\r`);
    await session.sees('denied by');
    await eventually('it is given back', () => (bottom(session) === '> yes, and then the rest' ? true : null));
  });
});
