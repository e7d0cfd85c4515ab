import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { commit, git } from '../../support/worktree.ts';

const target = testDatabase();

const REFUSE_ONCE = `#!/bin/sh
cat >/dev/null
[ -e second.txt ] && echo "all there" >&2 && exit 0
echo '{"ledger": [{"type": "finding", "content": "the checker saw first.txt"}], "summary": "ignored"}'
echo "second.txt is missing" >&2
exit 2
`;

/** The first attempt writes first.txt; an attempt that knows what was missing writes second.txt. */
const SCRIPT = `
[[answer]]
when = { task_contains = "second.txt is missing" }
turn = 1
[[answer.call]]
tool = "write_file"
input = { path = "second.txt", content = "2" }
[[answer]]
turn = 1
[[answer.call]]
tool = "write_file"
input = { path = "first.txt", content = "1" }
[[answer]]
turn = 2
text = "done"
`;

test('the next attempt gets the reason of the refusal and the ledger entries of the hook, and continues in its worktree', async () => {
  const { item, messages, ledger, directory, repo, lines } = await run('');
  expect(item).toMatchObject({ state: 'completed', attempts: 1 });
  expect(item.outcome).toMatchObject({ worktree: { changed_files: ['first.txt', 'second.txt'] } });
  expect(messages).toHaveLength(2);
  expect(messages[0]).not.toContain('second.txt');
  expect(messages[1]).toContain('# Why the last attempt failed');
  expect(messages[1]).toContain('(hook.blocked)');
  expect(messages[1]).toContain('second.txt is missing');
  expect(messages[1]).toContain('An earlier attempt worked in it, and what it changed is still there.');
  expect(messages[1]).toContain('[finding] the checker saw first.txt');
  expect(ledger).toEqual([{ type: 'finding', content: 'the checker saw first.txt' }]);
  // Logs of a successful hook are kept for the operator.
  expect(lines.find((line) => line.startsWith('info the consolidate hook logged'))).toContain('all there');
  // One worktree, one branch, one directory: nothing accumulates.
  expect(readdirSync(join(directory, 'home', 'worktrees'))).toHaveLength(2);
  // It is removed once the end is recorded.
  await expect.poll(() => readdirSync(join(directory, 'home', 'foci'))).toEqual([]);
  expect(git(repo, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')).toHaveLength(2);
  expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
});

test('an attempt that keeps nothing does not get the reason of the last failure', async () => {
  const recover = `#!/bin/sh\ncat >/dev/null; echo '{"action": "retry", "delay_seconds": 0, "keep": "nothing"}'\n`;
  const { messages, item } = await run('[faculty.recover]\ncommand = "./recover.sh"\nmax_attempts = 2\n', recover);
  expect(item).toMatchObject({ state: 'dead' });
  expect(messages).toHaveLength(2);
  expect(messages[1]).not.toContain('second.txt is missing');
});

async function run(more: string, recover = '#!/bin/sh\n') {
  const repo = realpathSync(mkdtempSync(join(tmpdir(), 'animus-repo-')));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, 'init', '-q', '-b', 'main');
  commit(repo, 'first');
  const faculty = `fixer_${randomUUID().slice(0, 8)}`;
  const { directory, lines } = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    files: {
      'faculties/check.sh': REFUSE_ONCE,
      'faculties/recover.sh': recover,
      'faculties/fixer.toml': `
[faculty]
name = "${faculty}"
isolation = "worktree"
repo = "${repo}"
[faculty.engage]
model = "play/x"
system_prompt = "You fix."
tools = ["write_file"]
[faculty.consolidate]
command = "./check.sh"
${more || '[faculty.recover]\nbase_seconds = 0\n'}`,
    },
  });
  const [{ id }] = (await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'fix it') returning id`,
    [faculty],
  )) as [{ id: string }];
  const item = await eventually('the end', async () => {
    const [row] = await target.database.query<{ state: string; attempts: number; outcome: object }>(
      `select state, attempts, outcome from animus.work_items where id = $1 and resolved_at is not null`,
      [id],
    );
    return row ?? null;
  });
  const messages = await target.database.query<{ content: string }>(
    `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id
      where f.work_item_id = $1 and m.kind = 'orient' order by f.number`,
    [id],
  );
  const ledger = await target.database.query<{ type: string; content: string }>(
    `select entry_type as type, content from animus.work_ledger where work_item_id = $1 order by seq`,
    [id],
  );
  return { item, messages: messages.map(({ content }) => content), ledger, directory, repo, lines };
}
