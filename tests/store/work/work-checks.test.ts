import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { claimOne, emptyQueue, insertWork } from './queue-driver.ts';

const target = testDatabase();

const queued = async () => insertWork(target.database);
const claimed = async () => {
  await insertWork(target.database);
  return (await claimOne(target.database)).id;
};

test.each([
  ['lease_while_active', queued, 'lease_expires_at = clock_timestamp()'],
  ['lease_while_active', claimed, 'lease_expires_at = null'],
  ['owner_while_active', queued, 'lease_owner = gen_random_uuid()'],
  ['owner_while_active', claimed, 'lease_owner = null'],
  ['resolved_has_time', queued, 'resolved_at = clock_timestamp()'],
  ['resolved_has_time', claimed, `state = 'completed', lease_owner = null, lease_expires_at = null`],
  ['merged_names_its_target', queued, 'merged_into = gen_random_uuid()'],
  ['open_has_message', queued, 'queue_msg_id = null'],
  ['only_queued_is_blocked', claimed, 'key_blocked = true'],
  ['work_items_attempts_check', queued, 'attempts = -1'],
  ['work_items_crashes_check', queued, 'crashes = -1'],
  ['work_items_max_attempts_check', queued, 'max_attempts = 0'],
  ['work_items_skill_check', queued, `skill = ''`],
  ['work_items_params_check', queued, `params = '[1]'`],
  ['work_items_trace_context_check', queued, `trace_context = repeat('x', 257)`],
])('no update breaks %s, not even by the owner', async (constraint, item, change) => {
  await emptyQueue(target.database);
  const id = await item();
  const update = target.database.query(`update animus.work_items set ${change} where id = $1`, [id]);
  await expect(update).rejects.toMatchObject({
    code: '23514',
    table: 'work_items',
    constraint,
    message: expect.stringMatching(new RegExp(`^\\w.* \\(check constraint "${constraint}" of work items\\)$`)),
  });
});

test.each([
  ['work_items_faculty_check', `faculty => 'Not A Name'`],
  ['work_items_skill_check', `faculty => 'a', skill => repeat('x', 65)`],
  ['work_items_params_check', `faculty => 'a', params => '[1]'`],
  ['work_items_dedup_key_check', `faculty => 'a', dedup_key => ''`],
  ['work_items_concurrency_key_check', `faculty => 'a', concurrency_key => repeat('x', 1025)`],
  ['work_items_trace_context_check', `faculty => 'a', trace_context => repeat('x', 257)`],
])('no submission breaks %s', async (constraint, values) => {
  await expect(target.database.query(`select animus.submit_work(${values})`)).rejects.toMatchObject({
    code: '23514',
    constraint,
  });
});
