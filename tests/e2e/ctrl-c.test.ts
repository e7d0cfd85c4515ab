/** Promise: Ctrl-C says that it stopped, what goes on, and how to come back to it; nothing is left behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LAUNCHER, makeSite, runAnimus, type Site } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';

const pg = testDatabase();
const CLERK = '[faculty]\nname = "clerk"\ndescription = "x"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "x"\n';
const SCRIPT = '[[answer]]\nwhen = { matches = "." }\ntext = "This takes long."\npiece_delay_ms = 60000\n';

function site(databaseUrl?: string): Site {
  return makeSite({
    ...(databaseUrl !== undefined && { databaseUrl }),
    modelUrl: null,
    firstStart: true,
    config: '[daemon]\nhttp = "off"\n[providers.play]\nkind = "scripted"\nscript = "play.toml"\n',
    faculties: { clerk: CLERK },
    files: { 'play.toml': SCRIPT },
  });
}

interface Stopped {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a command, and sends SIGINT once it has printed `sign`. */
async function stopAt(where: Site, argv: readonly string[], sign: string, env = {}): Promise<Stopped> {
  const child = spawn(process.execPath, [LAUNCHER, ...argv], {
    cwd: where.directory,
    env: { ...where.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  let sent = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (sent || !output.includes(sign)) return;
      sent = true;
      child.kill('SIGINT');
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

describe('on a server', () => {
  test('serve says that it has stopped, and that its work goes on; exit code 0', async () => {
    const { code, output } = await stopAt(site(pg.connectionString), ['serve'], 'Ctrl-C stops it');
    expect(code).toBe(0);
    expect(output).toMatch(/the daemon has stopped; unfinished work goes on when a daemon runs again"\}\n$/);
  });

  test('http says that the API has stopped; exit code 0', async () => {
    const argv = ['http', '--listen', `127.0.0.1:${await freePort()}`];
    const { code, output } = await stopAt(site(pg.connectionString), argv, 'Ctrl-C stops it');
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/the API has stopped; daemons and their work go on"\}\n$/),
    ]);
  });

  test('work submit --wait and work tail stop only watching, and say how to watch again', async () => {
    const where = site(pg.connectionString);
    const waiting = await stopAt(where, ['work', 'submit', 'clerk', 'x', '--wait'], 'queued');
    expect(waiting.code).toBe(130);
    const again =
      /animus: stopped: the work item goes on where a daemon runs; to follow it again: animus (work tail (\w{12}))\n$/;
    const [, tail, id] = again.exec(waiting.output)!;
    // So that there is something to see.
    await runAnimus(where, ['ledger', 'append', id!, 'note', 'nobody serves it']);
    const tailed = await stopAt(where, tail!.split(' '), 'nobody serves it');
    expect([tailed.code, again.exec(tailed.output)?.[2]]).toEqual([130, id]);
    const { stdout } = await runAnimus(where, ['work', 'show', id!, '--json']);
    expect(JSON.parse(stdout).item.state).toBe('queued');
  });

  test('an npx user is told npx', async () => {
    const argv = ['work', 'submit', 'clerk', 'x', '--wait'];
    const { output } = await stopAt(site(pg.connectionString), argv, 'queued', { npm_command: 'exec' });
    expect(output).toMatch(/: npx animus work tail \w{12}\n$/);
  });

  test('chat send --wait keeps the message', async () => {
    const argv = ['chat', 'send', 'Hello', '--faculty', 'clerk', '--wait'];
    const { code, output } = await stopAt(site(pg.connectionString), argv, 'message');
    expect(code).toBe(130);
    expect(output).toMatch(
      /animus: stopped: the message stays, and the answer to it goes on where a daemon runs\. To follow it: animus work tail \w{12}\n$/,
    );
  });

  test('status --watch says that it stopped', async () => {
    const { code, output } = await stopAt(site(pg.connectionString), ['status', '--watch'], 'work');
    expect([code, output]).toEqual([130, expect.stringMatching(/animus: stopped\n$/)]);
  });
});

describe('on an embedded database', () => {
  test('work submit --wait without a daemon says that the item stays in the queue', async () => {
    const { code, output } = await stopAt(site(), ['work', 'submit', 'clerk', 'x', '--wait'], 'no daemon is running');
    expect(code).toBe(130);
    expect(output).toMatch(/animus: stopped: work item \w{12} stays in the queue until a daemon runs: animus serve\n$/);
  });

  test.each([
    [['demo'], 'Database', 'the demo leaves nothing behind'],
    [
      ['faculty', 'test', 'clerk', 'play.toml'],
      'engage',
      'the temporary database and directory are deleted; what hooks and commands did outside stays',
    ],
  ])(
    'animus %j says what is left, and leaves nothing',
    async (argv, sign, says) => {
      const where = site();
      const temporary = join(where.directory, 'tmp');
      mkdirSync(temporary);
      const { code, output } = await stopAt(where, argv, sign, { TMPDIR: temporary });
      expect(code).toBe(130);
      expect(output.endsWith(`animus: stopped: ${says}\n`)).toBe(true);
      expect(readdirSync(temporary).filter((name) => name.startsWith('animus'))).toEqual([]);
    },
    200_000,
  );

  test('demo --keep says where the database and the workspace are', async () => {
    const where = site();
    const { code, output } = await stopAt(where, ['demo', '--keep'], 'Database', { TMPDIR: where.directory });
    const kept = readdirSync(where.directory).find((name) => name.startsWith('animus-demo-'));
    expect([code, output]).toEqual([
      130,
      expect.stringMatching(new RegExp(`animus: stopped: the database and the workspace are kept in .*/${kept}\\n$`)),
    ]);
  }, 200_000);
});

test('a first start prints no line per migration, but one with their count; all of them with --verbose', async () => {
  const where = site();
  const pretty = { LOG_FORMAT: 'pretty' };
  const { output } = await stopAt(where, ['serve'], 'Ctrl-C stops it', pretty);
  expect(output).not.toContain('applied a migration');
  expect(output.match(/^.*migrated the schema.*$/gm)).toEqual([
    expect.stringMatching(/migrations=.?\[?.*"(\d+): 0001_create_work\.sql … \1?.*functions=.*duration_ms=.*\d+$/),
  ]);
  expect(output.trim().split('\n').length).toBeLessThan(15);
  const verbose = await stopAt(site(), ['serve', '--verbose'], 'Ctrl-C stops it', pretty);
  expect(verbose.output.match(/applied a migration/g)!.length).toBeGreaterThan(40);
}, 200_000);
