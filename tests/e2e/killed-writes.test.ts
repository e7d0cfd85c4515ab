/** A daemon that is killed inside a write leaves a temporary file, which reaches neither a commit nor a result, and does not stay. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isTemporaryName } from '../../src/tools/files/temporary-names.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import { commit, git } from '../support/worktree.ts';

/** Loaded in a daemon before anything else: a write through a temporary file never comes to its end, and says so. */
const ENDLESS_WRITES = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const open = fs.promises.open;
fs.promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (!String(path).includes('.animus-write-')) return handle;
  await handle.writeFile('half of');
  process.stderr.write('a write is under way\\n');
  return new Promise(() => {});
};
syncBuiltinESMExports();
`;
const PRELOAD = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ENDLESS_WRITES)}` };

describe('a write inside which the daemon is killed', () => {
  const pg = testDatabase({ anew: true });

  it('leaves nothing in the commits and the patch of a worktree', async () => {
    const { site, repo, killed } = await workshop(
      'isolation = "worktree"\nrepo = "../repo"',
      // In doubt after the kill.
      toolUse('c1', 'edit_file', { path: 'docs/note', old_string: 'first', new_string: 'second' }),
      'echo whole > docs/note; git add -A; git commit -qm mine',
    );
    const id = await submit();
    await killed();
    const path = join(site.home, 'worktrees', id.slice(-12));
    expect(leftIn(path)).toEqual([expect.stringMatching(/^docs\//)]);
    await startDaemon(site);
    const { outcome } = await completed(id);
    expect(outcome).toMatchObject({ worktree: { commits: 1, changed_files: ['docs/note'], path } });
    expect(leftIn(path)).toEqual([]);
    const branch = `animus/${id.slice(-12)}`;
    expect(git(repo, 'log', '--name-only', '--format=', branch, '--not', 'main')).toBe('docs/note');
    expect(git(repo, 'show', `${branch}:docs/note`)).toBe('whole');
    const [result] = await pg.database.query<{ patch: Buffer }>(
      'select patch from animus.worktree_results where work_item_id = $1',
      [id],
    );
    expect(result!.patch.toString()).toContain('docs/note');
    expect(result!.patch.toString()).not.toContain('.animus-');
  }, 180_000);

  it('leaves nothing in a plain workspace once something is written there again', async () => {
    const { site, repo, killed } = await workshop(
      'workspace = "../repo"',
      // Run again after the kill.
      toolUse('c1', 'write_file', { path: 'docs/note', content: 'whole\n', overwrite: true }),
      'git add -A; git commit -qm mine',
    );
    const id = await submit();
    await killed();
    expect(leftIn(repo)).toEqual([expect.stringMatching(/^docs\//)]);
    await startDaemon(site);
    await completed(id);
    expect(leftIn(repo)).toEqual([]);
    expect(git(repo, 'ls-tree', '-r', '--name-only', 'HEAD')).toBe('docs/note');
    expect(readFileSync(join(repo, 'docs/note'), 'utf8')).toBe('whole\n');
  }, 180_000);

  /** The model makes this call, and then runs the command. */
  async function workshop(place: string, first: ReturnType<typeof toolUse>, command: string) {
    const server = await startModelServer((body) => {
      const turn = Math.ceil(messagesOf(body).length / 2);
      if (turn === 1) return { content: [first] };
      if (turn === 2) return { content: [toolUse('c2', 'bash', { command })] };
      return { content: [text('Written.')] };
    });
    onTestFinished(() => server.close());
    const clerk = `[faculty]\nname = "clerk"\n${place}\n[faculty.awareness]\nenabled = false\n[faculty.permissions]\nbash = "auto"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You write."\ntools = ["write_file", "edit_file", "bash"]\nbash_isolation = "none"\n`;
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: '[daemon]\nlease_seconds = 5\npoll_seconds = 0.2\nhttp = "off"\n',
      faculties: { clerk },
    });
    const repo = join(site.directory, 'repo');
    mkdirSync(repo);
    git(repo, 'init', '-q', '-b', 'main');
    for (const who of ['name', 'email']) git(repo, 'config', `user.${who}`, 'p');
    mkdirSync(join(repo, 'docs'));
    writeFileSync(join(repo, 'docs/note'), 'first\n');
    git(repo, 'add', '-A');
    commit(repo, 'first');
    const daemon = await startDaemon(site, [], PRELOAD);
    const killed = async () => {
      await eventually('it writes', () => (daemon.output().includes('a write is under way') ? true : null), 30);
      await daemon.kill('SIGKILL');
    };
    return { site, repo, killed } satisfies { site: Site; repo: string; killed: () => Promise<void> };
  }

  async function submit(): Promise<string> {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('clerk', 'write the note') returning id`,
    );
    return row!.id;
  }

  async function completed(id: string) {
    return eventually(
      'the item is completed',
      async () => {
        const [row] = await pg.database.query<{ outcome: Record<string, unknown> }>(
          `select outcome from animus.work_items where id = $1 and state = 'completed'`,
          [id],
        );
        return row ?? null;
      },
      60,
    );
  }
});

/** The temporary files below a directory. */
function leftIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => isTemporaryName(path));
}
