/** Unusual but valid work and places, and invalid ones: reported clearly, bounded, and nothing lost. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { LAUNCHER, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startAnthropicServer, text, toolUse } from '../support/model-server/anthropic.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You keep the books."
tools = ["bash", "write_file", "read_file"]
[faculty.recover]
base_seconds = 0.2
max_seconds = 1
max_attempts = 10
`;
const CONFIG = '[daemon]\nhttp = "off"\npoll_seconds = 1\n';
const once = describe.skipIf(inject('wire') !== 'anthropic');

once('odd work', () => {
  const pg = testDatabase();
  const siteFor = (modelUrl: string): Site =>
    makeSite({ modelUrl, databaseUrl: pg.connectionString, config: CONFIG, faculties: { clerk: FACULTY } });

  it('for an unknown faculty waits, is shown as such, and is claimed once a daemon knows the faculty', async () => {
    const models = await startAnthropicServer([{ content: [text('done')] }]);
    onTestFinished(() => models.close());
    const site = siteFor(models.url);
    await startDaemon(site);
    const submitted = await runAnimus(site, ['work', 'submit', 'stranger', 'x']);
    expect(submitted).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('no faculty is named stranger'),
    });
    const id = /^\S+/.exec(submitted.stdout)![0];
    const status = await runAnimus(site, ['status']);
    expect(status.stdout).toMatch(/stranger +queued +1 .* no running daemon serves stranger/);
    expect(await stateOf(pg.database, id)).toBe('queued');
    writeFileSync(join(site.directory, 'faculties/stranger.toml'), FACULTY.replace('"clerk"', '"stranger"'));
    expect(await endOf(pg.database, id)).toBe('completed');
  }, 180_000);

  it('with parameters that are not an object is refused, by SQL and by the command', async () => {
    for (const params of ['[1]', '"text"', '7', 'null']) {
      const insert = pg.database.query(`insert into animus.work_items (faculty, params) values ('clerk', $1)`, [
        params,
      ]);
      await expect(insert).rejects.toMatchObject({
        code: '23514',
        message: expect.stringContaining('work_items_params_check'),
      });
      expect(
        await runAnimus(siteFor('http://127.0.0.1:1'), ['work', 'submit', 'clerk', 'x', '--params', params]),
      ).toMatchObject({
        exit: 2,
        stderr: expect.stringMatching(/--params: expected a JSON object, got/),
      });
    }
    expect(await pg.database.query(`select from animus.work_items where faculty = 'clerk'`)).toEqual([]);
  }, 180_000);

  it('with a description of a megabyte is stored whole, shown shortened, and given to the model within limits, with a way to read the rest', async () => {
    const description = `Begin here. ${'Ünïcode wörds. '.repeat(45_000)} In the middle: MARK. ${'more '.repeat(45_000)} End here.`;
    const params = { numbers: Array.from({ length: 15_000 }, (_, n) => n) };
    expect(Buffer.byteLength(description)).toBeGreaterThan(1_000_000);
    const at = description.indexOf('MARK');
    const models = await startAnthropicServer((body) => {
      const said = JSON.stringify(body['messages']);
      const artifact = /read_output with artifact ([0-9a-f-]{36})/.exec(said)?.[1];
      return said.includes('tool_result')
        ? { content: [text('done')] }
        : {
            content: [
              toolUse('t1', 'read_output', { artifact, offset: at, limit: 4 }),
              toolUse('t2', 'read_output', { artifact, offset: description.length + 20 }),
            ],
          };
    });
    onTestFinished(() => models.close());
    const site = siteFor(models.url);
    await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description, params) values ('clerk', $1, $2) returning id`,
      [description, JSON.stringify(params)],
    );
    const id = row!.id;
    expect(await endOf(pg.database, id)).toBe('completed');
    expect(models.requests.map(({ refused }) => refused)).toEqual([null, null]);

    const first = JSON.stringify(models.requests[0]!.json!['messages']);
    expect(first.length).toBeLessThan(120_000);
    for (const part of ['Begin here.', 'End here.', `[… `, 'bytes left out', '14999'])
      expect(first.includes(part)).toBe(true);
    const last = JSON.stringify(models.requests[1]!.json!['messages']);
    expect(last.includes('MARK')).toBe(true);
    expect(last.includes('"is_error":true')).toBe(false);

    const [kept] = await pg.database.query('select description = $2 as whole from animus.work_items where id = $1', [
      id,
      description,
    ]);
    expect(kept).toEqual({ whole: true });
    expect((await runAnimus(site, ['work', 'list'])).stdout.length).toBeLessThan(1_000);
    const shown = await runAnimus(site, ['work', 'show', id]);
    expect(shown.stdout).toMatch(/^Begin here\. .*… \(1\.\d MB; --json has all\)$/m);
    expect(shown.stdout.length).toBeLessThan(120_000);
    expect((await runAnimus(site, ['status', '--json'])).stdout.length).toBeLessThan(20_000);
    const whole = JSON.parse((await runAnimus(site, ['work', 'show', id, '--json'])).stdout) as {
      item: { description: string };
    };
    expect(whole.item.description === description).toBe(true);
  }, 180_000);

  it('whose files fill the disk is retried, and completes when there is space', async ({ skip }) => {
    const disk = mountSmallDisk('1m', 'rw,nr_inodes=200') ?? skip('this user may not mount a disk');
    const models = await startAnthropicServer((body) =>
      JSON.stringify(body['messages']).includes('tool_result')
        ? { content: [text('done')] }
        : { content: [toolUse('t1', 'write_file', { path: 'book.txt', content: 'x'.repeat(5000) })] },
    );
    onTestFinished(() => models.close());
    const site = siteFor(models.url);
    const inodes = fillDisk(disk);
    const daemon = await startDaemon({ ...site, env: { ...site.env, ANIMUS_HOME: disk } });
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('clerk', 'write the book') returning id`,
    );
    await eventually('an attempt failed for the disk', async () => {
      const [item] = await pg.database.query<{ error: string }>(
        `select error::text from animus.work_items where id = $1 and error is not null`,
        [row!.id],
      );
      return item?.error.match(/no space left/i) ? true : null;
    });
    for (const file of inodes) rmSync(file);
    expect(await endOf(pg.database, row!.id)).toBe('completed');
    await daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  }, 180_000);
});

once('odd places', () => {
  it('a home and a directory with spaces and Unicode work for a whole run on the embedded database', async () => {
    const models = await startAnthropicServer([
      {
        content: [
          toolUse('t1', 'bash', { command: 'pwd > here.txt; cat here.txt' }),
          toolUse('t2', 'write_file', { path: 'ü ß/世界.txt', content: 'x' }),
        ],
      },
      { content: [text('done')] },
    ]);
    onTestFinished(() => models.close());
    const site = makeSite({ modelUrl: models.url, config: CONFIG, faculties: { clerk: FACULTY }, firstStart: true });
    const odd = join(site.directory, 'ein "Ort" für $HOME; 世界');
    mkdirSync(odd);
    const placed = { ...site, env: { ...site.env, ANIMUS_HOME: join(odd, 'home'), HOME: odd } };
    const daemon = await startDaemon(placed);
    expect(await runAnimus(placed, ['work', 'submit', 'clerk', 'x', '--wait'])).toMatchObject({ exit: 0 });
    const [, results] = models.requests.map(({ json }) => JSON.stringify(json!['messages']));
    expect(results).toContain('世界');
    expect(results).not.toMatch(/"is_error":true/);
    await daemon.kill('SIGTERM');
    expect(await runAnimus(placed, ['work', 'list'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('completed'),
    });
  }, 180_000);

  it('without a home directory the commands say which variable to set', async () => {
    const site = makeSite({
      modelUrl: 'http://127.0.0.1:1',
      config: CONFIG,
      faculties: { clerk: FACULTY },
      firstStart: true,
    });
    for (const command of ['status', 'serve', 'doctor']) {
      const ran = spawnSync(process.execPath, [LAUNCHER, command], {
        cwd: site.directory,
        env: { PATH: site.env['PATH'] },
      });
      expect(ran.status).toBe(command === 'doctor' ? 1 : 2);
      expect(String(ran.stderr) + String(ran.stdout)).toMatch(
        /ANIMUS_HOME: expected a directory, because this user has no home directory/,
      );
    }
  });
});

/** Uses up the remaining blocks and inodes; returns the files that do so. */
function fillDisk(disk: string): string[] {
  const { bavail, bsize } = statfsSync(disk);
  const file = join(disk, 'filling');
  writeFileSync(file, Buffer.alloc(bavail * bsize));
  const files = [file];
  for (let n = 0; ; n++) {
    try {
      writeFileSync(join(disk, `filling-${n}`), '');
      files.push(join(disk, `filling-${n}`));
    } catch {
      return files;
    }
  }
}

async function stateOf(database: Database, id: string): Promise<string> {
  const [item] = await database.query<{ state: string }>('select state from animus.work_items where id = $1', [id]);
  return item!.state;
}

function endOf(database: Database, id: string): Promise<string> {
  return eventually(
    'the work has ended',
    async () => {
      const state = await stateOf(database, id);
      return ['completed', 'dead', 'cancelled', 'merged'].includes(state) ? state : null;
    },
    30,
  );
}
