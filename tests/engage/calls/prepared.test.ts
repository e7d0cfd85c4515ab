/** Database tools that do something before their transaction, such as asking a provider. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { databaseTool, type ToolContext } from '../../../src/tools/tool.ts';
import { testDatabase } from '../../support/database.ts';
import { startTestFocus, type TestFocus } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';
import { callStates, callsOf } from './early-call-focus.ts';

const pg = testDatabase();

async function runWith(prepare: (context: ToolContext, focus: TestFocus) => Promise<unknown>) {
  let focus: TestFocus | undefined;
  const ran: unknown[] = [];
  const tool = databaseTool({
    name: 'look',
    description: 'looks',
    risk: 'read',
    input: z.looseObject({}),
    prepare: (_, context) => prepare(context, focus!),
    async run(_, context, tx) {
      ran.push(context.prepared);
      const [row] = await tx.query<{ now: string }>('select 1 as now');
      return { content: `looked ${row!.now}` };
    },
  });
  focus = await startTestFocus(pg.database, { script: callsOf('look'), tools: [tool] });
  const end = await engage(focus.means());
  const [turn] = (await readTranscript(pg.database, focus.key.focusId)).turns;
  return { end, ran, call: turn!.calls[0]! };
}

describe('what a database tool prepares', () => {
  test('happens after its answer is on record, with no transaction open, and reaches its run', async () => {
    const { end, ran, call } = await runWith(async (_, focus) => {
      const [open] = await pg.database.query<{ transactions: number }>(
        `select count(*)::int as transactions from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and backend_type = 'client backend'`,
      );
      return { states: await callStates(pg.database, focus), ...open };
    });
    expect(end).toMatchObject({ kind: 'done' });
    expect(ran).toEqual([{ states: ['look started'], transactions: 0 }]);
    expect(call).toMatchObject({ state: 'done', output: 'looked 1' });
  });

  test('that fails is a result for the model, and nothing is run', async () => {
    const { ran, call } = await runWith(async () => {
      throw new Error('no answer');
    });
    expect(ran).toEqual([]);
    expect(call).toMatchObject({ isError: true, output: 'look failed: no answer' });
  });
});
