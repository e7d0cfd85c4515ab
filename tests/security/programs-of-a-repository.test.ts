import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { close, commit, git, open, setUpWorktree, type WorktreeSite } from '../support/worktree.ts';

interface Trap {
  /** Before the operator's last commit. */
  prepare?(site: WorktreeSite): void;
  /** The operator's configuration from then on. */
  configure?(site: WorktreeSite, trap: string): void;
  /** What the agent does in its worktree. */
  act?(path: string, trap: string): void;
}

test.each<[string, Trap]>([
  [
    'filters that attributes name, required ones too',
    {
      prepare: ({ repo }) => writeFileSync(join(repo, '.gitattributes'), '* filter=x=y\n'),
      configure: ({ repo }, trap) => {
        for (const key of ['clean', 'smudge', 'process']) git(repo, 'config', `filter.x=y.${key}`, trap);
        git(repo, 'config', 'filter.x=y.required', 'true');
      },
    },
  ],
  [
    'external diffs and textconv',
    {
      prepare: ({ repo }) => writeFileSync(join(repo, '.gitattributes'), '* diff=d\n'),
      configure: ({ repo }, trap) => {
        for (const key of ['diff.external', 'diff.d.textconv', 'diff.d.command']) git(repo, 'config', key, trap);
      },
    },
  ],
  [
    'hooks of the repository, by path and by configuration',
    {
      configure: ({ repo, root }, trap) => {
        mkdirSync(join(root, 'hooks'));
        for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
          writeFileSync(join(root, 'hooks', hook), `#!/bin/sh\nexec ${trap}\n`, { mode: 0o755 });
        git(repo, 'config', 'core.hooksPath', join(root, 'hooks'));
        git(repo, 'config', 'hook.mine.command', trap);
        git(repo, 'config', 'hook.mine.event', 'reference-transaction');
      },
    },
  ],
  [
    'what a repository nested in the worktree names, where the index has a submodule',
    {
      prepare: ({ repo, root }) => {
        git(root, 'init', '-q', 'other');
        writeFileSync(join(root, 'other', 'f'), 'f');
        git(join(root, 'other'), 'add', 'f');
        commit(join(root, 'other'), 'first');
        const id = git(join(root, 'other'), 'rev-parse', 'HEAD');
        git(repo, 'update-index', '--add', '--cacheinfo', `160000,${id},sub`);
      },
      act: (path, trap) => {
        const sub = join(path, 'sub');
        cpSync(join(path, '..', '..', 'other'), sub, { recursive: true });
        git(sub, 'config', 'filter.f.clean', trap);
        git(sub, 'config', 'core.fsmonitor', trap);
        writeFileSync(join(sub, '.gitattributes'), '* filter=f\n');
        writeFileSync(join(sub, 'f'), 'g');
      },
    },
  ],
])("the daemon's git does not run %s", { timeout: 120_000 }, async (_, { prepare, configure, act }) => {
  const site = await setUpWorktree();
  const { spec, means, repo, root } = site;
  const trap = join(root, 'trap.sh');
  prepare?.(site);
  git(repo, 'add', '-A', ':!sub');
  commit(repo, 'second');
  configure?.(site, trap);
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${root}/sprung\n`, { mode: 0o755 });
  const worktree = await open(spec(), means);
  writeFileSync(join(worktree.path, 'a.txt'), 'changed\n');
  act?.(worktree.path, trap);
  const { files, holds } = await close(worktree, means, { commit: true });
  // A filter that is not run cannot say what git would store.
  expect(files).toContain('a.txt');
  expect(holds.includes('filtered')).toBe(existsSync(join(repo, '.gitattributes')) && !_.includes('diff'));
  expect(existsSync(join(root, 'sprung'))).toBe(false);
});
