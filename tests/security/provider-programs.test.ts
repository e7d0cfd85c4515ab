/** The promise: an agent cannot change the programs and certificates that the daemon uses to log in to a provider. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { at, bash, hasNamespaces, startSite } from './scripted-focus.ts';

const target = testDatabase();
const FILES = {
  'login/token.sh': '#!/bin/sh\nexec node "$(dirname "$0")/part.js"\n',
  'login/part.js': 'console.log("key")\n',
  'other/token.py': 'print("key")\n',
  'tls/own-ca.pem': '-----BEGIN CERTIFICATE-----\n',
};
const CONFIG = `[providers.first]
kind = "openai"
base_url = "http://127.0.0.1:9/v1"
credentials = { command = ["login/token.sh"] }
[providers.second]
kind = "openai"
base_url = "http://127.0.0.1:9/v1"
credentials = { command = ["python3", "other/token.py"] }
ca_file = "tls/own-ca.pem"
`;
const files = Object.keys(FILES);

test.each([
  ['file tools', files.map((path) => ['write_file', { path, content: 'evil' }] as const)],
  [
    'commands',
    hasNamespaces
      ? [
          bash(
            `for f in ${files.join(' ')}; do echo evil >> $f; rm -f $f; mv $f x; done; mv login l; mv other o; echo end`,
          ),
        ]
      : [],
  ],
])('by %s', async (_, calls) => {
  const site = await startSite(target, { files: FILES, config: CONFIG, calls });
  const { outputs } = await site.run();
  expect(outputs).toHaveLength(calls.length);
  expect(files.map((name) => readFileSync(at(site, name), 'utf8'))).toEqual(Object.values(FILES));
});
