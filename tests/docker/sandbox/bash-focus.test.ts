/** Foci of a real daemon whose `bash` runs in a container. On a real engine. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { bash, type Call, type SiteOptions, startSite } from '../../security/scripted-focus.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { git } from '../../support/worktree.ts';
import { docker } from '../appliance.ts';
import { give } from './bash-bench.ts';
import { IMAGE, missingEngine } from './containers.ts';

const missing = missingEngine();
const target = testDatabase();
const CONTAINER = `[faculty.bash]\nisolation = "container"\nimage = "${IMAGE}"\nmemory_mib = 128\n`;

/** The containers of a work item. */
async function containersOf(id: string): Promise<number> {
  const ids = await docker(['ps', '--all', '--quiet', '--filter', `label=animus.owner=${id}`]);
  return ids.split('\n').filter((line) => line !== '').length;
}

/** A directory that belongs to the user of the container. */
function owned(prefix: string): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  give(directory);
  chmodSync(directory, 0o755);
  return directory;
}

describe.skipIf(missing !== null)(
  `a focus with bash in a container${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    const start = (calls: readonly Call[], more: Partial<SiteOptions> = {}) =>
      startSite(target, { calls, faculty: 'isolation = "directory"', tables: CONTAINER, ...more });

    test('shares its own directory with the file tools, as one user who is not root', async () => {
      const { run } = await start([
        ['write_file', { path: 'made/by-tool', content: 'one\n' }],
        bash('id -u; echo two >> made/by-tool; echo x > made/by-bash; echo "$HOME" "$PWD"; env | grep -c ANTHROPIC'),
        ['edit_file', { path: 'made/by-bash', old_string: 'x', new_string: 'y' }],
        bash('cat made/*; stat -c %u made made/* | sort -u | wc -l; ls .. ; ls /proc/1/cwd/..'),
      ]);
      const { state, outputs } = await run();
      expect(state).toBe('completed');
      expect(outputs[1]).toMatch(/^exit code 1\nstdout:\n[1-9]\d*\n(\S+)\/homes\/(\S+) \1\/foci\/\2\n0$/);
      expect(outputs[3]).toMatch(/^exit code 0\nstdout:\ny\none\ntwo\n1\n[0-9a-f-]{36}\n/);
    });

    test('works in the workspace of its faculty, and its files belong to the owner of that', async () => {
      const workspace = owned('animus-owned-');
      const { run } = await start([bash('echo made > made; cd / && pwd'), bash('cat made')], {
        faculty: `workspace = "${workspace}"`,
      });
      const { state, outputs } = await run();
      expect({ state, outputs }).toEqual({
        state: 'completed',
        outputs: ['exit code 0\nstdout:\n/', 'exit code 0\nstdout:\nmade'],
      });
      const { uid } = statSync(workspace);
      expect(statSync(join(workspace, 'made')).uid).toBe(uid);
    });

    test('sees its worktree and what of the repository a commit needs, and changes nothing of the repository', async () => {
      const repo = join(owned('animus-repo-'), 'repo');
      mkdirSync(repo);
      git(repo, 'init', '-q', '-b', 'main');
      writeFileSync(join(repo, 'a.txt'), 'a\n');
      git(repo, '-c', 'user.name=t', '-c', 'user.email=t@t', 'add', '.');
      git(repo, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-m', 'first');
      for (const path of ['.', ...readdirSync(repo, { recursive: true, encoding: 'utf8' })]) give(join(repo, path));
      const common = join(repo, '.git');
      const { run, directory } = await start(
        [
          bash(
            `cat a.txt .git/objects/info/alternates; echo b > b.txt; echo x > .git/objects/x && rm .git/objects/x && echo own; ls ${common}/objects | grep -c ..`,
          ),
          bash(
            `for f in hooks/pre-commit config objects/x; do echo x >> ${common}/$f && echo changed; done; rm -rf ${common}/hooks; ls ${repo}; true`,
          ),
        ],
        { faculty: `isolation = "worktree"\nrepo = "${repo}"` },
      );
      // Commands that are not of root pass through it.
      chmodSync(directory, 0o755);
      const { state, outputs, error } = await run();
      expect({ state, error }).toEqual({ state: 'completed', error: null });
      // Its repository is its own, and borrows the objects of the other one.
      expect(outputs[0]).toMatch(/^exit code 0\nstdout:\na\n.*\/objects\nown\n[1-9]\d*$/);
      expect(outputs[1]).not.toContain('changed');
      // Nothing of the repository's own files is there.
      expect(outputs[1]).not.toContain('a.txt');
      expect([existsSync(join(common, 'hooks')), existsSync(join(common, 'hooks/pre-commit'))]).toEqual([true, false]);
      expect(existsSync(join(common, 'objects/x'))).toBe(false);
      expect(readFileSync(join(common, 'config'), 'utf8')).not.toContain('x\n');
    });

    test('keeps the files of a conversation from answer to answer, each in a container of its own', async () => {
      const turn = (n: number, command: string) =>
        `[[answer]]\nturn = ${n}\n[[answer.call]]\ntool = "bash"\ninput = { command = "${command}" }\n[[answer]]\nturn = ${n + 1}\ntext = "done"\n`;
      await startTestDaemon({
        databaseUrl: target.connectionString,
        script: turn(1, 'echo kept > note; echo x > /tmp/gone; ls') + turn(3, 'cat note; ls /tmp | grep gone; ls -a'),
        config: '[daemon]\npoll_seconds = 0.2\n',
        files: {
          'faculties/talker.toml': `[faculty]\nname = "talker"\nisolation = "directory"\n${CONTAINER}[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\n`,
        },
      });
      const db = target.database;
      const workspaceId = await createWorkspace(db, 'default');
      const chat = await startConversation(db, { workspaceId, faculty: 'talker' });
      for (const text of ['write', 'read']) await sayInConversation(db, chat, text);
      await eventually('two answers', async () => {
        const answers = (await readConversation(db, chat)).filter(({ role }) => role === 'assistant');
        return answers.length === 2 ? true : null;
      });
      const outputs = await db.query<{ output: string }>(
        `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id join animus.work_items w on w.id = f.work_item_id
          where w.faculty = 'talker' order by c.turn`,
      );
      // bash sees the directory that the answers share, but not the .chat file, which is in the database.
      expect(outputs.map(({ output }) => output)).toEqual([
        'exit code 0\nstdout:\nnote',
        'exit code 0\nstdout:\nkept\n.\n..\nnote',
      ]);
    });

    test('runs commands in the background beside others, and none is left when the work ends', async () => {
      const { submit, until } = await start(
        [
          ['bash', { command: 'exec python3 -m http.server 8000 --bind 127.0.0.1', background: true }],
          bash(
            'for i in $(seq 100); do python3 -c "import urllib.request as u; print(u.urlopen(\'http://127.0.0.1:8000/\').status)" 2>/dev/null && break; sleep 0.1; done',
          ),
          ['bash_job', {}],
          ['bash', { command: 'sleep 300', timeout_seconds: 1 }],
          ['bash_job', {}],
        ],
        { tools: ['bash', 'bash_job'] },
      );
      const id = await submit();
      const { outputs } = await until(id, 'completed', 'dead');
      expect(outputs[0]).toContain('runs in the background');
      expect(outputs[1]).toBe('exit code 0\nstdout:\n200');
      expect(outputs[2]).toContain('is running: exec python3 -m http.server');
      expect(outputs[3]).toBe('timed out after 1 s and was killed together with everything it had started');
      expect(outputs[4]).toContain('is running: exec python3 -m http.server');
      expect(await containersOf(id)).toBe(0);
    });

    test('needs no approval where the host isolates nothing, and still does without a container', async () => {
      const engage = 'bash_isolation = "none"';
      const { run } = await start([bash('echo ran')], {
        engage,
        tools: ['bash'],
        faculty: `workspace = "${owned('animus-owned-')}"`,
      });
      expect((await run()).outputs).toEqual(['exit code 0\nstdout:\nran']);
      const { submit, until } = await start([bash('echo ran')], { engage, tools: ['bash'], tables: '' });
      await until(await submit(), 'waiting');
    });

    test.each([
      [
        'the image is missing',
        CONTAINER.replace(IMAGE, 'animus-no-such-image'),
        '',
        /no image animus-no-such-image; run: docker pull/,
      ],
      [
        'no engine answers',
        CONTAINER,
        '[sandbox]\nendpoint = "unix:///nowhere/docker.sock"',
        /nowhere\/docker\.sock.*start the Docker engine/,
      ],
      [
        'the image of the relay is missing',
        `${CONTAINER}network = ["pypi.org"]\n`,
        '[sandbox]\nimage = "animus-no-relay"',
        /no image animus-no-relay/,
      ],
    ])('goes on when %s: the call says what to do', async (_what, tables, config, problem) => {
      const { run } = await start([bash('echo never'), ['write_file', { path: 'a', content: 'b' }]], {
        tables,
        config,
      });
      const { state, outputs } = await run();
      expect(state).toBe('completed');
      expect(outputs[0]).toMatch(/^could not be started \(/);
      expect(outputs[0]).toMatch(problem);
      expect(outputs[1]).not.toContain('could not');
    });

    test('a workspace of root is refused with what to do', async () => {
      if (process.getuid?.() !== 0) return;
      const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'animus-root-')));
      onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
      const { run } = await start([bash('echo never')], { faculty: `workspace = "${workspace}"` });
      expect((await run()).outputs[0]).toContain('which is root; give it to another user (chown -R USER');
    });

    test('holds no container while it waits, and gets a new one afterwards', async () => {
      const { submit, until } = await start(
        [
          bash('echo kept > /tmp/kept; echo shared > file'),
          ['wait_until', { seconds: 3, reason: 'r' }],
          bash('cat file; cat /tmp/kept'),
        ],
        { tools: ['bash'] },
      );
      const id = await submit();
      await until(id, 'waiting');
      expect(await containersOf(id)).toBe(0);
      const { outputs } = await until(id, 'completed', 'dead');
      expect(outputs[2]).toContain('stdout:\nshared\nstderr:\ncat: /tmp/kept: No such file');
      expect(await containersOf(id)).toBe(0);
    });

    test('no container is left when the work is cancelled', async () => {
      const { submit, until, db } = await start([bash('setsid sleep 300 & sleep 300')], { tools: ['bash'] });
      const id = await submit();
      await eventually('its container', async () => ((await containersOf(id)) === 1 ? true : null));
      await db.query(`select animus.cancel_work($1, 'test')`, [id]);
      await until(id, 'cancelled');
      expect(await containersOf(id)).toBe(0);
    });
  },
);
