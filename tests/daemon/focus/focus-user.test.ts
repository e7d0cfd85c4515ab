/** Foci whose commands run as another user, with a root daemon. */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isolationModes } from '../../process/isolation-modes.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const modes = await isolationModes();

/** Creates files with the file tools and with bash, each using the files of the other. */
const SCRIPT = `
[[answer]]
turn = 1
[[answer.call]]
tool = "write_file"
input = { path = "made/by-tool", content = "one\\n" }
[[answer]]
turn = 2
[[answer.call]]
tool = "bash"
input = { command = "id -u; echo two >> made/by-tool; echo x > made/by-bash; cat $(dirname $(dirname $PWD))/embedded.json; ls .. ; env" }
[[answer]]
turn = 3
[[answer.call]]
tool = "edit_file"
input = { path = "made/by-bash", old_string = "x", new_string = "y" }
[[answer]]
turn = 4
[[answer.call]]
tool = "bash"
input = { command = "cat made/by-tool made/by-bash; stat -c %u made made/by-tool made/by-bash | sort -u; echo z >> made/by-bash" }
[[answer]]
turn = 5
text = "done"
`;

describe.skipIf(!modes.includes('uid'))('a focus with bash_isolation = "uid"', () => {
  test('works in a directory of its own user, where file tools and bash can use each other’s files', async () => {
    const { calls, error } = await setUp('');
    expect(error).toBeNull();
    const [, first, , second] = calls.map(({ output }) => output);
    const uid = /^\d{10}$/m.exec(first!)?.[0];
    expect(Number(uid)).toBeGreaterThanOrEqual(1_900_000_000);
    expect(first).not.toContain('DATABASE_URL');
    expect(first).not.toMatch(/^[0-9a-f-]{36}$/m);
    expect(second).toBe(`exit code 0\nstdout:\none\ntwo\ny\n${uid}`);
    expect(calls.map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done']);
  });

  test('works as the owner of its workspace', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'animus-owned-'));
    onTestFinished(() => rmSync(workspace, { recursive: true }));
    chownSync(workspace, 12_345, 12_345);
    const { calls, error } = await setUp(`workspace = "${workspace}"`);
    expect(error).toBeNull();
    expect(calls[3]!.output).toBe('exit code 0\nstdout:\none\ntwo\ny\n12345');
    expect(statSync(join(workspace, 'made/by-tool')).uid).toBe(12_345);
  });

  test('works in a worktree as the owner of the repository, and leaves the repository with that owner', async () => {
    const repo = mkdtempSync(join(tmpdir(), 'animus-repo-'));
    onTestFinished(() => rmSync(repo, { recursive: true }));
    const git = 'git -c user.name=a -c user.email=a@b';
    execFileSync('sh', ['-c', `git init -q . && ${git} commit -q --allow-empty -m first && chown -R 12345:12345 .`], {
      cwd: repo,
    });
    const { calls, error } = await setUp(`isolation = "worktree"\nrepo = "${repo}"`);
    expect(error).toBeNull();
    expect(calls[3]!.output).toBe('exit code 0\nstdout:\none\ntwo\ny\n12345');
    expect(execFileSync('find', [repo, '!', '-uid', '12345'], { encoding: 'utf8' })).toBe('');
  });

  test('tells the model what to do if root owns the workspace', async () => {
    const workspace = mkdtempSync(join(tmpdir(), 'animus-roots-'));
    onTestFinished(() => rmSync(workspace, { recursive: true }));
    const { calls } = await setUp(`workspace = "${workspace}"`);
    expect(calls[1]).toMatchObject({ is_error: true, output: expect.stringContaining(`chown -R USER ${workspace}`) });
  });

  test('gives its hooks a home that they can use, which is not its workspace', async () => {
    const { ledger, error } = await setUp('', '[faculty.orient]\ncommand = "../orient.sh"');
    expect(error).toBeNull();
    expect(ledger).toEqual([expect.stringMatching(/^\d{10} \/.*\/homes\/[0-9a-f-]{36}$/)]);
  });
});

async function setUp(faculty: string, tables = '') {
  const name = `f${crypto.randomUUID().slice(0, 8)}`;
  const place = faculty.includes('isolation') ? '' : 'isolation = "directory"\n';
  const text = `[faculty]\nname = "${name}"\n${place}${faculty}\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"
    bash_isolation = "uid"\ntools = ["bash", "write_file", "edit_file"]\n[faculty.recover]\nmax_attempts = 1\n${tables}`;
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    config: '[daemon]\npoll_seconds = 0.2',
    files: {
      [`faculties/${name}.toml`]: text,
      'orient.sh': `#!/bin/sh\ntouch "$HOME/mine"; echo '{"ledger": [{"type": "note", "content": "'"$(id -u) $HOME"'"}]}'\n`,
    },
  });
  // Like /srv or /var/lib; a temporary directory is private.
  chmodSync(daemon.directory, 0o755);
  const db = target.database;
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'x') returning id`,
    [name],
  );
  const item = await eventually(`it ends\n${daemon.lines.join('\n')}`, async () => {
    const [found] = await db.query<{ error: unknown }>(
      'select error from animus.work_items where id = $1 and resolved_at is not null',
      [row!.id],
    );
    return found ?? null;
  });
  const calls = await db.query<{ state: string; output: string; is_error: boolean }>(
    `select c.state, c.output, c.is_error from animus.tool_calls c join animus.foci f on f.id = c.focus_id
      where f.work_item_id = $1 order by c.turn, c.position`,
    [row!.id],
  );
  const ledger = await db.query<{ content: string }>('select content from animus.work_ledger where work_item_id = $1', [
    row!.id,
  ]);
  return { error: item.error, calls, ledger: ledger.map(({ content }) => content) };
}
