import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';

// The model here answers by words of its messages, so those of other work must not be among them.
const FACULTY = `
[faculty]
name = "fixer"
isolation = "worktree"
repo = "../repo"
[faculty.awareness]
enabled = false
[faculty.engage]
model = "${MODEL}"
system_prompt = "You fix."
tools = ["write_file"]
outcome_schema = "fix.json"
`;
const SCHEMA = { type: 'object', required: ['fixed'], properties: { fixed: { type: 'boolean' } } };

describe('a faculty that works in worktrees', () => {
  const pg = testDatabase({ anew: true });

  it('leaves its change on a branch that show names, lists it in the outcome, and can be watched', async () => {
    const server = await startModelServer((body) => {
      const said = JSON.stringify(body['messages']);
      if (said.includes('does not hold a valid outcome'))
        return { content: [text('{"fixed": true, "summary": "fixed"}')] };
      if (said.includes('tool_result')) return { content: [text('It is fixed.')] };
      if (said.includes('change nothing')) return { content: [text('```json\n{"fixed": false}\n```')] };
      return { content: [toolUse('w', 'write_file', { path: 'src/fix.txt', content: 'fixed' })] };
    });
    onTestFinished(() => server.close());
    const site = makeSite({ modelUrl: server.url, databaseUrl: pg.connectionString, faculties: { fixer: FACULTY } });
    writeFileSync(join(site.directory, 'faculties', 'fix.json'), JSON.stringify(SCHEMA));
    const repo = join(site.directory, 'repo');
    mkdirSync(repo);
    git(repo, 'init', '-q', '-b', 'main');
    git(repo, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'first');
    await startDaemon(site);
    const changed = await submit('change something');
    const tailing = runAnimus(site, ['work', 'tail', changed, '--json']);
    const unchanged = await submit('change nothing');

    const branch = `animus/${changed.slice(-12)}`;
    const path = join(site.directory, 'home', 'worktrees', changed.slice(-12));
    expect(await outcomeOf(changed)).toEqual({
      fixed: true,
      summary: 'fixed',
      worktree: { branch, commits: 1, changed_files: ['src/fix.txt'], path },
    });
    expect(await outcomeOf(unchanged)).toMatchObject({ fixed: false, worktree: { changed_files: [] } });
    expect(git(repo, 'branch', '--format=%(refname:short)').split('\n')).toEqual([branch, 'main']);
    expect(existsSync(join(path, 'src', 'fix.txt'))).toBe(true);
    expect(git(repo, 'log', '-1', '--format=%an: %s', branch)).toBe('fixer via animus: fixed');

    expect((await runAnimus(site, ['work', 'show', changed])).stdout).toContain(branch);
    const [live, late] = [await tailing, await runAnimus(site, ['work', 'tail', changed, '--json'])];
    expect(live).toMatchObject({ exit: 0, stderr: '' });
    const typesOf = (stdout: string) =>
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string; live?: true })
        .filter((event) => !event.live)
        .map(({ type }) => type);
    expect(typesOf(live.stdout).toSorted()).toEqual(typesOf(late.stdout).toSorted());
    // A result is committed while the next turn begins, so either may come first.
    expect(typesOf(late.stdout)).toEqual([
      'state',
      'state',
      'turn',
      'call',
      'observation',
      'turn',
      'text',
      'turn',
      'text',
      'done',
      'worktree',
    ]);
    expect((await runAnimus(site, ['work', 'tail', changed])).stdout).toContain('write_file');
  }, 180_000);

  async function submit(description: string): Promise<string> {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('fixer', $1) returning id`,
      [description],
    );
    return row!.id;
  }

  function outcomeOf(id: string): Promise<unknown> {
    return eventually(
      `${id} completes`,
      async () => {
        const [row] = await pg.database.query<{ outcome: unknown }>(
          `select outcome from animus.work_items where id = $1 and state = 'completed'`,
          [id],
        );
        return row?.outcome ?? null;
      },
      90,
    );
  }
});

function git(directory: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', ['-C', directory, ...args], { env, encoding: 'utf8' }).trim();
}
