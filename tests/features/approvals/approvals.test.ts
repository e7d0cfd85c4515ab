import { expect, test } from 'vitest';
import { askedItem, decisionsAbout } from '../../store/work/asked-item.ts';
import { testApi } from '../../support/api.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

test('an operator sees what waits and decides it; the decision names the person', async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const { id } = await askedItem(owner(), ['c1', 'c2']);
  const { body } = await call('olga', 'GET', `/approvals?work_item_id=${id}`);
  expect(body.items.map((item: { call_id: string }) => item.call_id).sort()).toEqual(['c1', 'c2']);
  const [first, other] = body.items;
  const path = `/work/${id}/approve`;
  expect(await call('alice', 'POST', path, { body: { ask_id: first.ask_id } })).toMatchObject({ status: 403 });
  expect(await call('olga', 'POST', path, { body: { ask_id: first.ask_id, hash: 'ff' } })).toMatchObject({
    status: 409,
    body: { code: 'work.state' },
  });
  const decided = await call('olga', 'POST', path, {
    body: { ask_id: first.ask_id, hash: first.hash, note: 'yes' },
    headers: { 'idempotency-key': 'decide-1' },
  });
  expect(decided).toMatchObject({ status: 200, body: { work_item_id: id, ask_id: first.ask_id } });
  const denied = await call('olga', 'POST', `/work/${id}/deny`, { body: { ask_id: other.ask_id, note: 'no' } });
  expect(denied.body.ask_id).toBe(other.ask_id);
  expect(await call('olga', 'POST', path, { body: { ask_id: other.ask_id } })).toMatchObject({ status: 409 });
  expect(await call('olga', 'POST', path, { body: {} })).toMatchObject({ status: 400 });
  const decisions = await decisionsAbout(owner(), id);
  expect(JSON.stringify(decisions)).toContain('approve');
  const [row] = await owner().query(
    'select array_agg(distinct decided_by) as by from animus.decisions where work_item_id = $1',
    [id],
  );
  expect(row).toEqual({ by: ['person:olga'] });
});
