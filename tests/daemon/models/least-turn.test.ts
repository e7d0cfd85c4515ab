import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';

const pg = testDatabase();
const named = (name: string, engage: string) => `[faculty]\nname = "${name}"\n[faculty.engage]\n${engage}`;

test('a limit that no turn fits into is refused where it is set, as a file with it is when it is loaded', async () => {
  const files = {
    'faculties/priced.toml': named('priced', 'model = "play/priced"\nmax_tokens = 1000\nsystem_prompt = "p"\n'),
    'faculties/dear.toml': named(
      'dear',
      'model = "play/priced"\nfallback_models = ["play/dear"]\nmax_tokens = 1000\nsystem_prompt = "p"\n',
    ),
    'faculties/unpriced.toml': named(
      'unpriced',
      'model = "play/priced"\nfallback_models = ["gateway/unknown"]\nsystem_prompt = "p"\n',
    ),
    'faculties/command.toml': named('command', 'mode = "external"\ncommand = "run.sh"\n'),
    'faculties/run.sh': '#!/bin/sh\n',
  };
  const prices = (model: string, output: number) =>
    `[models."play/${model}"]\nusd_per_million = { input = 0, output = ${output} }\n`;
  const gateway = '[providers.gateway]\nkind = "openai"\nbase_url = "http://127.0.0.1:1"\n';
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: '[[answer]]\ntext = "Done."\n',
    config: `${gateway}${prices('priced', 50)}${prices('dear', 80)}`,
    files,
  });
  expect([...daemon.faculties].sort()).toEqual(['command', 'dear', 'priced', 'unpriced']);
  const set = (scope: string, subject: string | null, unit: string, amount: number) =>
    pg.database.query('select animus.set_budget($1, $2, $3, $4, $5)', [
      scope,
      subject,
      scope === 'appliance' || scope === 'faculty' ? 'day' : 'none',
      unit,
      amount,
    ]);
  const id = async (faculty: string) => {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, run_at) values ($1, now() + interval '1 day') returning id`,
      [faculty],
    );
    return row!.id;
  };

  await expect(set('faculty', 'priced', 'usd', 0.0499)).rejects.toThrow(
    '0.0499 USD is less than one answer of faculty priced may cost: 1000 tokens of play/priced cost up to 0.05 USD',
  );
  await expect(set('item', 'dear', 'usd', 0.07)).rejects.toThrow('1000 tokens of play/dear cost up to 0.08 USD');
  await expect(set('item', await id('dear'), 'usd', 0.07)).rejects.toThrow('play/dear cost up to 0.08 USD');
  await expect(set('root', await id('dear'), 'tokens', 999)).rejects.toThrow(
    '999 tokens is less than one answer of faculty dear may cost: max_tokens is 1000',
  );
  await expect(set('faculty', 'unpriced', 'usd', 1000)).rejects.toThrow(
    'faculty unpriced can have no limit in USD: gateway/unknown has no price, so a limit in USD cannot be enforced',
  );
  await expect(set('faculty', 'command', 'tokens', 1000)).rejects.toThrow('a command does the work');
  await expect(set('appliance', null, 'usd', 1000)).rejects.toThrow('faculty unpriced can have no limit in USD');
  expect(await pg.database.query('select from animus.budget_limits')).toEqual([]);

  await set('faculty', 'priced', 'usd', 0.05);
  await set('item', await id('dear'), 'usd', 0.08);
  await set('faculty', 'unpriced', 'tokens', 100_000);
  await set('faculty', 'nobody', 'usd', 0.000001);
  // A command has no limit, and is none of those of all work.
  await set('appliance', null, 'tokens', 100_000);
  expect(await pg.database.query('select from animus.budget_limits')).toHaveLength(5);

  // The file was read by a daemon that has stopped: it is what is known.
  await daemon.stop();
  await expect(set('faculty', 'priced', 'usd', 0.01)).rejects.toThrow('less than one answer of faculty priced');
  await set('appliance', null, 'usd', 0.01);
});
