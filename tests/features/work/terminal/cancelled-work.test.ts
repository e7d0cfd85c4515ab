/** Promise: work that was cancelled waits for nothing, whatever it waited for, and `work show` does not say otherwise. */
import { expect, test } from 'vitest';
import { submitWork } from '../../../../src/store/work/submit-work.ts';
import { run } from '../../../cli/run-cli.ts';
import { testDatabase } from '../../../support/database.ts';
import { WAITING_ITEMS, type WaitingMeans } from '../../../support/waiting-items.ts';

const target = testDatabase();
const animus = async (...argv: string[]) =>
  (await run(argv, { env: { DATABASE_URL: target.connectionString } })).stdout;

const means = (): WaitingMeans => ({
  db: target.database,
  submit: async (work) => (await submitWork(target.database, work)).id,
  say: async () => [],
});

test.each(['approval', 'question', 'budget', 'children', 'batch', 'timer', 'retry', 'released'] as const)(
  'cancelled while it waits: %s',
  async (reason) => {
    const id = await WAITING_ITEMS[reason](means());
    expect(await animus('work', 'show', id)).toMatch(/\bwaits\b/);
    await target.database.query('select animus.cancel_work($1)', [id]);
    for (const shown of [await animus('work', 'show', id), await animus('work', 'show', id, '--full')]) {
      expect(shown).toContain('cancelled');
      expect(shown).not.toMatch(/\b(?:waits|waiting|awaits)\b/i);
    }
    const json = JSON.parse(await animus('work', 'show', id, '--json'));
    expect(json).toMatchObject({ waits: [], asked: [], item: { waiting: null } });
    // Of the calls in foci, the state is the recorded one: of these, none had ended.
    expect(JSON.stringify({ ...json, foci: [] })).not.toMatch(/"waiting":(?!null)|"state":"waiting"/);
  },
);
