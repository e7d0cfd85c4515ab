import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { at, bash, hasNamespaces, startSite } from './scripted-focus.ts';

const target = testDatabase();

test.skipIf(!hasNamespaces)('no command can move ANIMUS_HOME away so that the next one could read it', async () => {
  const site = await startSite(target, {
    calls: [
      bash('mv home x; mv home/foci y; cp -a home z; mkdir sub; mv home sub/home'),
      bash('cat x/* z/* sub/home/* home/*; ls x y z sub home; find . -name embedded.json'),
      bash(
        'cd ..; mv "$OLDPWD" moved-site; cat moved-site/home/embedded.json "$OLDPWD/home/embedded.json"; mv "$OLDPWD/../$(basename "$OLDPWD")" q',
      ),
      bash('exec 9< home; ls /proc/self/fd/9/ ; cd home/..; ls home; cat home/../home/embedded.json'),
    ],
  });
  mkdirSync(at(site, 'home'), { recursive: true });
  writeFileSync(at(site, 'home/embedded.json'), '{"password": "hunter2"}');

  const { outputs, state } = await site.run();

  expect(state).toBe('completed');
  expect(outputs.join('\n')).not.toContain('hunter2');
  expect(outputs[0]).toContain('Device or resource busy');
  expect(outputs[1]).not.toMatch(/embedded\.json$/m);
  expect(existsSync(at(site, 'home/embedded.json'))).toBe(true);
});
