import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryRules } from '../../src/daemon/workspace/repository-rules.ts';
import { openWorktree } from '../../src/daemon/workspace/worktree.ts';
import { examineIsolation } from '../../src/process/isolation.ts';
import { writeFileTool } from '../../src/tools/files/write-file.ts';
import { bashTool } from '../../src/tools/shell.ts';
import { git, setUpWorktree, type WorktreeSite } from '../support/worktree.ts';
import { setUpBench } from '../tools/tool-context.ts';

const { missing } = await examineIsolation();

/** Ways to make the operator's next git command run the agent's code; `$C` is the common directory, `$E` the worktree's entry. */
const ATTACKS: Readonly<Record<string, string>> = {
  'a key of the configuration': 'git config core.fsmonitor /tmp/x',
  'the file of the configuration': 'echo "[core] fsmonitor = /tmp/x" >> $C/config',
  'a new file in place of the configuration': 'cp $C/config c; mv -f c $C/config',
  'a link in place of the configuration': 'ln -sf /tmp/x $C/config',
  'configuration removed and written again': 'rm -f $C/config; echo > $C/config',
  'configuration of worktrees': 'echo "[core] fsmonitor = /tmp/x" > $C/config.worktree; git config --worktree a.b c',
  'its own configuration as a worktree': 'echo "[core] fsmonitor = /tmp/x" > $E/config.worktree',
  'a hook': 'echo x > $C/hooks/pre-commit',
  'another directory of hooks': 'mv $C/hooks $C/hooks2; mkdir $C/hooks; echo x > $C/hooks/pre-commit',
  attributes: 'mkdir -p $C/info; echo "* filter=x" > $C/info/attributes',
  'ignored files': 'echo "*" >> $C/info/exclude',
  'the configuration of a submodule to come': 'mkdir -p $C/modules/sub; echo x > $C/modules/sub/config',
  'another worktree': 'echo x > $C/worktrees/other/commondir; rm -rf $C/worktrees/other',
  'a new worktree': 'mkdir $C/worktrees/evil',
  'where its own entry leads': 'echo /tmp/x > $E/commondir; rm -f $E/commondir; echo /tmp/x > $E/gitdir',
  'its own .git': 'echo "gitdir: /tmp/x" > .git; rm -f .git; mv .git .git2',
  'the whole of the common directory': 'mv $C $C.old; mkdir $C',
  'the repository': 'cd /; mv $R $R.old',
  alternates: 'echo /tmp/x >> $C/objects/info/alternates',
  "the operator's HEAD":
    'echo "ref: refs/heads/evil" > $C/HEAD; git symbolic-ref HEAD refs/heads/x; git checkout -q animus/abc',
  "the operator's index": 'echo > $C/index; rm -f $C/index',
  "the operator's checkout": 'echo evil > $R/a.txt; echo evil > $R/.gitattributes',
};

describe.skipIf(missing.namespace !== undefined)('a command in a worktree', { timeout: 180_000 }, () => {
  it("cannot change what the operator's git uses", async () => {
    const site = await setUp();
    const before = obeyed(site);
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const { content } = await site.run(attack);
      expect(obeyed(site), `${name}: ${content}`).toEqual(before);
    }
  });

  it('has no file tool that writes its .git', async () => {
    const { call } = await setUp();
    for (const path of ['.git', '.git/config'])
      expect(await call(writeFileTool, { path, content: 'gitdir: /tmp/x' })).toMatchObject({ isError: true });
  });

  it('can commit, branch, stash, rebase and pack as usual', async () => {
    const { run, repo } = await setUp();
    const output = await run(`set -e
echo one > one; git add one; git commit -qm one
git branch topic; git checkout -q topic; echo two > two; git add two; git commit -qm two
git checkout -q animus/abc; echo three > three; git add three; git commit -qm three
git rebase -q topic; git tag v1
echo dirty >> one; git stash -q; test -z "$(git status --porcelain)"; git stash pop -q; git checkout -q one
git pack-refs --all; git branch -D -q topic
git gc --auto
git reset -q --hard HEAD~1; git reset -q --hard ORIG_HEAD
git fsck --no-dangling; git log --format=%s`);
    expect(output.content).toContain('exit code 0');
    expect(output.content).toContain('three\ntwo\none\nfirst');
    expect(git(repo, 'log', '--format=%s', 'animus/abc')).toBe('three\ntwo\none\nfirst');
    expect(git(repo, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe('animus/abc\nmain\nother');
    expect(git(repo, 'status', '--porcelain')).toBe('');
    git(repo, 'fsck');
  });
});

async function setUp() {
  const site = await setUpWorktree({ isolation: 'namespace' });
  const { repo, spec, means, root } = site;
  git(repo, 'config', 'extensions.worktreeConfig', 'true');
  git(repo, 'worktree', 'add', '-q', '-b', 'other', join(root, 'other'));
  writeFileSync(join(repo, '.git', 'objects', 'info', 'alternates'), '');
  const { path, entry, repository } = await openWorktree(spec, means);
  const fileRules = repositoryRules(repository, entry, path);
  const { call } = await setUpBench({ workspace: path, isolation: 'namespace', fileRules });
  const names = `C=${repo}/.git E=${entry} R=${repo}`;
  const who = 'export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@a';
  const run = (command: string) => call(bashTool, { command: `${names}; ${who}; ${command}` });
  return { ...site, call, run };
}

/** The files that determine how the operator's git behaves: names, kinds and contents. */
function obeyed({ repo, spec }: WorktreeSite): unknown {
  const common = join(repo, '.git');
  const ignored = new Set(['objects', 'refs', 'logs', 'packed-refs', 'worktree']);
  const tree = (path: string): unknown => {
    if (!statSync(path).isDirectory()) return readFileSync(path, 'latin1');
    const names = readdirSync(path).filter((name) => !(path.startsWith(common) && ignored.has(name)));
    return Object.fromEntries(names.map((name) => [name, tree(join(path, name))]));
  };
  const entry = join(common, 'worktrees', 'worktree');
  const own = ['commondir', 'gitdir', 'config.worktree'].map((name) => {
    const file = join(entry, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  });
  const alternates = readFileSync(join(common, 'objects', 'info', 'alternates'), 'utf8');
  const dotGit = readFileSync(join(spec.directory, 'worktree', '.git'), 'utf8');
  return { repository: tree(repo), own, alternates, dotGit };
}
