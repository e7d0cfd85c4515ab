import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';

const faculty = (name: string, more = '') =>
  `[faculty]\nname = "${name}"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "p"\n${more}`;

describe('a faculty file with mistakes', () => {
  const pg = testDatabase();

  it('is left out at the start, while the others work; status reports it, and fixing the file is enough', async () => {
    const site = await siteWith({ good: faculty('good'), bad: faculty('bad', 'tools = ["telepathy"]\n') });
    const daemon = await startDaemon(site);
    expect(daemon.output()).toContain('serving good on');
    expect(daemon.output()).toMatch(/faculty not loaded: .*bad\.toml:6: faculty\.engage\.tools.*telepathy/);
    const [good, bad] = [await insert('good'), await insert('bad')];
    await state(good, 'completed');
    const shown = await status(site);
    expect(shown).toMatch(/problem .*bad\.toml:6: faculty\.engage\.tools/);
    expect(shown).toMatch(/bad +queued +1 .* no running daemon serves bad/);
    await state(bad, 'queued');

    writeFileSync(join(site.directory, 'faculties', 'bad.toml'), faculty('bad'));
    await state(bad, 'completed');
    expect(await status(site)).not.toContain('problem');
    await daemon.kill('SIGTERM');
  }, 180_000);

  it('written while the daemon runs changes nothing: the previous version stays active', async () => {
    const site = await siteWith({ good: faculty('good') });
    const daemon = await startDaemon(site);
    writeFileSync(join(site.directory, 'faculties', 'good.toml'), `${faculty('good')}colour = "blue"\n`);
    await eventually('status tells', async () =>
      /problem .*good\.toml:6: faculty\.engage\.colour: unknown key/.test(await status(site)) ? true : null,
    );
    await state(await insert('good'), 'completed');
    // The whole directory was deleted by mistake.
    rmSync(join(site.directory, 'faculties'), { recursive: true });
    await eventually('status tells', async () => (/problem .*faculties/.test(await status(site)) ? true : null));
    await daemon.kill('SIGTERM');
  }, 180_000);

  it('alone in its directory prevents the start, with every problem reported', async () => {
    const site = await siteWith({ bad: faculty('bad', 'max_turns = "many"\ncolour = "blue"\n'), worse: '[faculty\n' });
    const { exit, stderr } = await runAnimus(site, ['serve']);
    expect(exit).toBe(2);
    expect(stderr).toMatch(/bad\.toml:6: faculty\.engage\.max_turns: expected a whole number/);
    expect(stderr).toMatch(/bad\.toml:7: faculty\.engage\.colour: unknown key/);
    expect(stderr).toMatch(/worse\.toml:1: invalid TOML/);
  }, 180_000);

  async function siteWith(faculties: Record<string, string>): Promise<Site> {
    const server = await startModelServer(() => ({ content: [text('Done.')] }));
    onTestFinished(() => server.close());
    return makeSite({ modelUrl: server.url, databaseUrl: pg.connectionString, faculties });
  }

  async function insert(name: string): Promise<string> {
    const [row] = await pg.database.query<{ id: string }>(
      'insert into animus.work_items (faculty) values ($1) returning id',
      [name],
    );
    return row!.id;
  }

  function state(id: string, expected: string): Promise<true> {
    return eventually(`${id} is ${expected}`, async () => {
      const [row] = await pg.database.query('select from animus.work_items where id = $1 and state = $2', [
        id,
        expected,
      ]);
      return row ? true : null;
    });
  }
});

async function status(site: Site): Promise<string> {
  return (await runAnimus(site, ['status'])).stdout;
}
