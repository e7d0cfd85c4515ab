import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratch, underRules, withSecrets } from './commands.ts';
import { ATTEMPTS } from './mount-attempts.ts';
import { hasNamespaces } from './scripted-focus.ts';

describe.skipIf(!hasNamespaces)('no command reads or removes hidden files', () => {
  test.each(ATTEMPTS)('by %s', async (_, script) => {
    const { root, secret, run } = withSecrets();
    const { stdout, problem } = await run(`exec 2>&1; ${script}; echo it-ended`);
    expect(problem).toBeNull();
    expect(stdout.text).not.toContain(secret);
    expect(stdout.text).toContain('it-ended');
    const open = await underRules(root, [])('cat keys/key home/db/data home/pass');
    expect(open.stdout.text).toBe(secret.repeat(3));
  });

  test('not even below its own directory, whose siblings it cannot see', async () => {
    const root = scratch();
    for (const name of ['own', 'other']) mkdirSync(join(root, 'home/foci', name), { recursive: true });
    writeFileSync(join(root, 'home/foci/other/file'), 'geheim');
    const rules = [
      { path: join(root, 'home'), access: 'hidden' },
      { path: join(root, 'home/foci/own'), access: 'all' },
    ] as const;
    const { stdout } = await underRules(
      join(root, 'home/foci/own'),
      rules,
    )('ls -a ..; cat ../other/file; touch made ../made; mv ../own ../other; mv . ../x; pwd; ls');
    expect(stdout.text).toBe(`.\n..\nown\n${root}/home/foci/own\nmade\n`);
    expect(readdirSync(join(root, 'home/foci'))).toEqual(['other', 'own']);
  });

  test('a second name that existed before is detected', async () => {
    const root = scratch();
    writeFileSync(join(root, 'key'), 'geheim');
    linkSync(join(root, 'key'), join(root, 'other'));
    const { knowFiles } = await import('../../src/daemon/guard/known-files.ts');
    const known = knowFiles([join(root, 'key')]);
    expect(() => known.realPaths()).toThrow('2 names (hard links)');
    known.close();
  });
});
