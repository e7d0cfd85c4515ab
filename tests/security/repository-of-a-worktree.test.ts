import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreeRules } from '../../src/daemon/focus/scope/focus-worktree.ts';
import type { FileRule } from '../../src/process/file-rules.ts';
import { examineIsolation } from '../../src/process/isolation.ts';
import { bashTool } from '../../src/tools/shell.ts';
import { close, commit, git, open, setUpWorktree, type WorktreeSite } from '../support/worktree.ts';
import { setUpBench } from '../tools/tool-context.ts';

const { missing } = await examineIsolation();

/** Ways to make the operator's next git command run the agent's code, or lose something; `$C` is the git directory, `$R` the checkout. */
const ATTACKS: Readonly<Record<string, string>> = {
  'a key of the configuration': 'git -C $R config core.fsmonitor /tmp/x',
  'the file of the configuration': 'echo "[core] fsmonitor = /tmp/x" >> $C/config',
  'a link in place of the configuration': 'ln -sf /tmp/x $C/config',
  'configuration removed and written again': 'rm -f $C/config; echo > $C/config',
  'configuration of worktrees': 'echo "[core] fsmonitor = /tmp/x" > $C/config.worktree',
  'a directory that git would use instead': 'echo /tmp/x > $C/commondir',
  'a hook': 'echo x > $C/hooks/pre-commit',
  'another directory of hooks': 'mv $C/hooks $C/hooks2; mkdir $C/hooks; echo x > $C/hooks/pre-commit',
  attributes: 'mkdir -p $C/info; echo "* filter=x" > $C/info/attributes',
  'a worktree of the operator': 'git -C $R worktree prune; rm -rf $C/worktrees/other',
  'a new worktree': 'git -C $R worktree add -f ../evil; mkdir $C/worktrees/evil',
  'the whole of the git directory': 'mv $C $C.old; mkdir $C',
  'the repository': 'cd /; mv $R $R.old',
  alternates: 'echo /tmp/x >> $C/objects/info/alternates',
  objects: 'rm -rf $C/objects/??; git -C $R gc --prune=now',
  branches:
    'git -C $R update-ref refs/heads/main $(git commit-tree -m x HEAD^{tree}); git -C $R branch -D other; git push -f $R HEAD:refs/heads/other',
  'a stash': 'echo x > $R/a.txt; git -C $R stash; git -C $R stash drop',
  tags: 'git -C $R tag evil',
  "the operator's HEAD and index": 'echo "ref: refs/heads/evil" > $C/HEAD; echo > $C/index; rm -f $C/index',
  "the operator's checkout": 'echo evil > $R/a.txt; echo evil > $R/.gitattributes',
  "another item's worktree": 'ls $W; echo x > $W/010101010101/a.txt; rm -rf $W/010101010101',
};

describe.skipIf(missing.namespace !== undefined)('a command in a worktree', { timeout: 180_000 }, () => {
  it("cannot change anything of the operator's repository, its worktrees, or other items", async () => {
    const site = await setUp();
    const before = everything(site);
    for (const [name, attack] of Object.entries(ATTACKS)) {
      const { content } = await site.run(attack);
      expect(everything(site), `${name}: ${content}`).toEqual(before);
    }
  });

  it('can configure, commit, branch, stash, rebase, pack and check out submodules as usual', async () => {
    const { run, repo, branch, library, end } = await setUp();
    const output = await run(`set -e
git config user.signingkey x; git config --unset user.signingkey
echo one > one; git add one; git commit -qm one
git branch topic; git checkout -q topic; echo two > two; git add two; git commit -qm two
git checkout -q ${branch}; echo three > three; git add three; git commit -qm three
git rebase -q topic; git tag v1
echo dirty >> one; git stash -q; test -z "$(git status --porcelain)"; git stash pop -q; git checkout -q one
git pack-refs --all; git branch -D -q topic
git gc -q
git reset -q --hard HEAD~1; git reset -q --hard ORIG_HEAD
git worktree add -q second; git worktree remove second
git -c protocol.file.allow=always submodule --quiet add ${library} lib; git commit -qm lib
git fsck --no-dangling; git log --format=%s`);
    expect(output.content).toContain('exit code 0');
    expect(output.content).toContain('lib\nthree\ntwo\none\nfirst');
    await end();
    expect(git(repo, 'log', '--format=%s', branch)).toBe('lib\nthree\ntwo\none\nfirst');
    expect(git(repo, 'for-each-ref', '--format=%(refname:short)', 'refs/heads')).toBe(`${branch}\nmain\nother`);
    expect(git(repo, 'status', '--porcelain')).toBe('');
    git(repo, 'fsck');
  });
});

async function setUp() {
  const site = await setUpWorktree({ isolation: 'namespace' });
  const { repo, spec, means, root } = site;
  git(repo, 'worktree', 'add', '-q', '-b', 'other', join(root, 'other'));
  writeFileSync(join(repo, '.git', 'objects', 'info', 'alternates'), '');
  git(root, 'init', '-q', 'library');
  commit(join(root, 'library'), 'library');
  const worktree = await open(spec(), means);
  const worktrees = join(root, 'worktrees');
  mkdirSync(join(worktrees, '010101010101'));
  writeFileSync(join(worktrees, '010101010101', 'a.txt'), 'of another item');
  const own = worktreeRules(worktree);
  const fileRules: readonly FileRule[] = [{ path: worktrees, access: 'hidden' }, ...own];
  const { call } = await setUpBench({ workspace: worktree.path, isolation: 'namespace', fileRules });
  const names = `C=${repo}/.git R=${repo} W=${worktrees}`;
  const run = (command: string) => call(bashTool, { command: `${names}; ${command}` });
  const end = () => close(worktree, means);
  return { ...site, run, end, branch: worktree.branch, library: join(root, 'library') };
}

/** All files of the operator's, and those of another item: names, kinds and contents. */
function everything({ repo, root }: WorktreeSite): unknown {
  const tree = (path: string): unknown =>
    statSync(path).isDirectory()
      ? Object.fromEntries(readdirSync(path).map((name) => [name, tree(join(path, name))]))
      : readFileSync(path, 'latin1');
  return [repo, join(root, 'other'), join(root, 'worktrees', '010101010101')].map(tree);
}
