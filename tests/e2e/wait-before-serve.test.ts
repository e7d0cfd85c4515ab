import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newcomer } from '../support/newcomer.ts';

/** With the embedded database, only one process can have it open. */
test.each(['the default address', 'a free port'])(
  'work that is submitted and waited for before the daemon starts does not keep it from starting at %s',
  async (at) => {
    const user = newcomer();
    writeFileSync(join(user.home, 'README.md'), 'A project.\n');
    expect(await user.run('animus init --yes .')).toMatchObject({ code: 0 });
    if (at === 'a free port') {
      const file = join(user.home, 'animus.toml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('[daemon]', '[daemon]\nhttp = "127.0.0.1:0"'));
    }
    const waiting = user.run('animus work submit engineer "Describe this" --wait');
    const submitted = user.start('animus work submit engineer "And this" --wait');
    await eventually('note', async () => /waiting until one is started/.test(submitted.output()) || null, 90);
    user.start('animus serve');
    expect(await waiting).toMatchObject({ code: 0, output: expect.stringContaining('completed') });
    expect(await user.run('animus health')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/ at 127\.0\.0\.1:[1-9]\d*,/),
    });
  },
);
