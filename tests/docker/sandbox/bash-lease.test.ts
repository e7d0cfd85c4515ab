/** Nothing of a container of `bash` outlives the lease: daemons that are killed, frozen or stopped, and a keeper that is killed. On a real engine. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DaemonProcess, makeSite, startDaemon } from '../../support/daemon-process.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { docker } from '../appliance.ts';
import { IMAGE, missingEngine } from './containers.ts';

const missing = missingEngine();
const target = testDatabase();
const PLAY = '[providers.play]\nkind = "scripted"\nscript = "script.toml"\n';
const SCRIPT = `[[answer]]
turn = 1
[[answer.call]]
tool = "bash"
input = { command = "trap '' TERM HUP; (setsid sh -c 'trap \\"\\" TERM; while :; do sleep 1; done' &); while :; do sleep 1; done" }
[[answer]]
turn = 2
text = "done"
`;

describe.skipIf(missing !== null)(
  `the lease of bash in a container${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    test('a daemon that is SIGKILLed leaves no container', async () => {
      const { daemon, gone } = await setUp();
      await daemon.kill('SIGKILL');
      await gone();
    });

    test('the containers of a frozen daemon are destroyed when the lease ends', async () => {
      const { daemon, gone, inDoubt } = await setUp();
      process.kill(daemon.pid, 'SIGSTOP');
      onTestFinished(() => void process.kill(daemon.pid, 'SIGCONT'));
      await gone();
      process.kill(daemon.pid, 'SIGCONT');
      // It takes its own work back, and reports the command as interrupted.
      await inDoubt();
    });

    test('when the keeper is SIGKILLed the container ends, and the model learns that the command was interrupted', async () => {
      const { daemon, container, inDoubt } = await setUp();
      process.kill(keeperOf(daemon), 'SIGKILL');
      await eventually('the container is gone', async () => ((await container()) === null ? true : null));
      expect(await inDoubt()).toContain('check before you repeat it');
    });

    test('a daemon that is stopped at once leaves no container, and its work is queued', async () => {
      const { id, daemon, container, db } = await setUp();
      await Promise.all([
        daemon.kill('SIGTERM'),
        eventually('it drains', () => (daemon.output().includes('shutting down') ? daemon.kill('SIGINT') : null)),
      ]);
      expect(await container()).toBeNull();
      expect(await db.query('select state from animus.work_items where id = $1', [id])).toEqual([{ state: 'queued' }]);
    });

    test('a container that is removed behind its back interrupts the command', async () => {
      const { container, inDoubt } = await setUp();
      await docker(['rm', '--force', (await container())!]);
      await inDoubt();
    });
  },
);

/** A daemon whose focus runs a command that nothing but SIGKILL ends. */
async function setUp() {
  const name = `f${crypto.randomUUID().slice(0, 8)}`;
  const site = makeSite({
    databaseUrl: target.connectionString,
    modelUrl: null,
    config: `[daemon]\npoll_seconds = 0.2\nlease_seconds = 5\n${PLAY}`,
    files: { 'script.toml': SCRIPT },
    faculties: {
      [name]: `[faculty]\nname = "${name}"\nisolation = "directory"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\n[faculty.bash]\nisolation = "container"\nimage = "${IMAGE}"\n`,
    },
  });
  const daemon = await startDaemon(site);
  const db = target.database;
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'x') returning id`,
    [name],
  );
  const id = row!.id;
  const container = async () =>
    (await docker(['ps', '--all', '--quiet', '--filter', `label=animus.owner=${id}`])).trim().split('\n')[0] || null;
  const first = await eventually('the container', container);
  await eventually('the command', async () => {
    const top = await docker(['top', first]).catch(() => '');
    return /sleep 1/.test(top) ? true : null;
  });
  const gone = () =>
    eventually('the container is gone', async () => {
      const all = await docker(['ps', '--all', '--quiet', '--no-trunc']);
      return all.split('\n').some((each) => each.startsWith(first)) ? null : true;
    });
  /** The result of the command, once it is known that nobody knows how far it ran. */
  const inDoubt = () =>
    eventually('the result', async () => {
      const [call] = await db.query<{ output: string }>(
        `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 and c.state = 'in_doubt'`,
        [id],
      );
      return call?.output ?? null;
    });
  return { id, daemon, db, container, gone, inDoubt };
}

/** The child of the daemon that holds its containers. */
function keeperOf({ pid }: DaemonProcess): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => {
      try {
        const isChild = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/.*\) \S /s, '')
          .startsWith(`${pid} `);
        return isChild && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('keeper-main');
      } catch {
        return false;
      }
    });
  if (found === undefined) throw new Error('the daemon has no keeper');
  return Number(found);
}
