import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type OpenAiAnswer, startOpenAiServer } from '../../support/model-server/openai.ts';

const pg = testDatabase();

/** What a run cost whose only answer came from this model. */
async function costOf(model: string, answer: OpenAiAnswer) {
  const server = await startOpenAiServer([answer], { models: ['priced', 'unpriced'] });
  onTestFinished(() => server.close());
  const name = `f${crypto.randomUUID()}`;
  const engage = `[faculty.engage]\nmodel = "${model}"\nsystem_prompt = "p"\n`;
  await startTestDaemon({
    databaseUrl: pg.connectionString,
    config: `[providers.gw]\nkind = "openai"\nbase_url = "${server.url}/v1"\napi_key_env = "HOME"\n[models."gw/priced"]\nusd_per_million = { input = 100, output = 0 }\n`,
    script: '[[answer]]\ntext = "Done."\n',
    files: { 'faculties/f.toml': `[faculty]\nname = "${name}"\n${engage}` },
  });
  await pg.database.query('insert into animus.work_items (faculty) values ($1)', [name]);
  return eventually('the end', async () => {
    const [row] = await pg.database.query(
      `select w.cost_usd::float8 as cost, w.unpriced_calls as unpriced, t.cost_usd::float8 as turn, w.estimated_usd::float8 as estimated,
              w.uncounted_calls as uncounted, t.usage -> 'estimated' as marked
         from animus.work_items w join animus.foci f on f.work_item_id = w.id join animus.turns t on t.focus_id = f.id
        where w.faculty = $1 and w.state = 'completed'`,
      [name],
    );
    return row ?? null;
  });
}

test('without a price the cost is not known; without token counts it is estimated and marked; a script costs nothing', async () => {
  const counted = { estimated: 0, uncounted: 0, marked: null };
  expect(await costOf('gw/priced', { text: 'ok', model: 'priced' })).toEqual({
    cost: 0.01,
    unpriced: 0,
    turn: 0.01,
    ...counted,
  });
  expect(await costOf('gw/unpriced', { text: 'ok', model: 'unpriced' })).toEqual({
    cost: 0,
    unpriced: 1,
    turn: null,
    ...counted,
  });
  const silent = await costOf('gw/priced', { text: 'ok', model: 'priced', usage: null });
  expect(silent).toEqual({
    cost: silent['turn'],
    unpriced: 0,
    turn: silent['estimated'],
    estimated: expect.closeTo(0.13, 1),
    uncounted: 0,
    marked: true,
  });
  expect(await costOf('gw/unpriced', { text: 'ok', model: 'unpriced', usage: null })).toEqual({
    cost: 0,
    unpriced: 1,
    turn: null,
    ...counted,
    marked: true,
  });
  expect(await costOf('play/x', { text: 'never asked' })).toEqual({ cost: 0, unpriced: 0, turn: 0, ...counted });
});
