import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../src/process/find-program.ts';
import { scratch, underRules } from './commands.ts';
import { hasNamespaces } from './scripted-focus.ts';

const has = (program: string) => findProgram(program, process.env['PATH'] ?? '', '/') !== null;

/** `store` and `work` are on two sides of pinned directories, as a package store and a project are. */
const WORKFLOWS: readonly (readonly [string, string])[] = [
  [
    'git',
    'cd work; git init -q a; cd a; git config user.email a@b; git config user.name a; echo 1 > f; git add f; git commit -qm 1; git gc -q; git clone -q . ../b; git clone -q . ../../store/c; git worktree add -q ../w; mv ../w ../../store/w; git worktree repair ../../store/w 2>/dev/null; git -C ../../store/w status --short; git mv f g; git commit -qm 2; git log --oneline | wc -l',
  ],
  [
    'npm',
    'mkdir -p work/p/dep work/p/app; cd work/p; for d in dep app; do echo "{\\"name\\": \\"$d\\", \\"version\\": \\"1.0.0\\"}" > $d/package.json; done; npm --silent --offline --no-audit --cache ../../store/npm pack ./dep >/dev/null; cd app; npm --silent --offline --no-audit --cache ../../../store/npm install ../dep-1.0.0.tgz; ls node_modules; echo ok',
  ],
  [
    'cargo',
    `export RUSTUP_HOME=${join(homedir(), '.rustup')}; cd work; cargo -q init --vcs none --name hello hello && cd hello && CARGO_TARGET_DIR=../../store/target cargo -q --offline run && CARGO_INCREMENTAL=1 cargo -q --offline build && ls ../../store/target/debug/hello`,
  ],
];

describe.skipIf(!hasNamespaces)('ordinary tools work across pinned directories', () => {
  test.each(WORKFLOWS.filter(([program]) => has(program)))('%s', async (program, script) => {
    const { stdout, stderr, exitCode } = await setUp()(`set -e; ${script}`);
    expect(stderr.text).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout.text).toMatch({ git: /^2\n$/, npm: /dep\nok/, cargo: /Hello, world!/ }[program]!);
  });

  test('a move copies; a hard link, as pnpm makes them from its store, fails across them and works within one', async () => {
    const { stdout, stderr } = await setUp()(
      'echo 1 > store/f; mv store/f work/f && cat work/f; ln work/f work/g && echo within; ln work/f store/g; cp -l work/f store/h || cp work/f store/h; cat store/h; sed -i s/1/2/ work/f; cat work/f',
    );
    expect(stdout.text).toBe('1\nwithin\n1\n2\n');
    expect(stderr.text).toContain('Invalid cross-device link');
  });
});

/** The project contains a key, and so does the store, so that everything around both is pinned. */
function setUp() {
  const root = scratch();
  for (const place of ['store', 'work']) {
    mkdirSync(join(root, place));
    writeFileSync(join(root, place, 'key'), 'geheim');
  }
  return underRules(
    root,
    ['store', 'work'].map((place) => ({ path: join(root, place, 'key'), access: 'hidden' })),
  );
}
