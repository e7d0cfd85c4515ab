/** The examples of docs/client.md, each language on a daemon of its own, over a connection that loses answers and cuts streams. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { serveApi } from '../../src/http/api/serve-api.ts';
import { openHealthServer } from '../../src/http/health-server.ts';
import { openBadConnection } from '../client/bad-connection.ts';
import { pythonWithHttpx } from '../client/python.ts';
import { sharedCompileCache } from '../support/compile-cache.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { LAUNCHER } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';

const PAGE = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
const target = testDatabase();
const run = promisify(execFile);
const hasCurl = spawnSync('curl', ['--version']).status === 0;
const python = pythonWithHttpx();

const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!);
const [token, ...curl] = blocks('bash');

const ASSISTANT = `[faculty]
name = "assistant"
description = "Answers"
[faculty.engage]
model = "play/any"
system_prompt = "Answer people."
[faculty.awareness]
enabled = false
`;
const SCRIPT = `[[answer]]
turn = 1
when = { system_contains = "release notes" }
thinking = "What is new?"
[[answer.call]]
tool = "write_file"
input = { path = "NOTES.md", content = "Faster." }
[[answer]]
turn = 2
when = { system_contains = "release notes" }
text = "Written."
[[answer]]
when = { system_contains = "Answer people." }
text = "It has two rows below its head."
piece_delay_ms = 20
`;

interface Story {
  /** Where the example runs: `animus` is on its PATH, and URL and TOKEN are set. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Holds what the example printed to the story, and the database to one of each. */
  holds(printed: string): Promise<void>;
}

interface Counts {
  readonly items: number;
  readonly chats: number;
  readonly messages: number;
  readonly approvals: number;
}

async function counts(): Promise<Counts> {
  const [row] = await target.database.query<Counts>(
    `select (select count(*)::int from animus.work_items) as items, (select count(*)::int from animus.conversations) as chats,
            (select count(*)::int from animus.chat_messages where role = 'user') as messages,
            (select count(*)::int from animus.decisions where action = 'approve') as approvals`,
  );
  return row!;
}

async function beginStory(): Promise<Story> {
  const before = await counts();
  const port = await freePort();
  await startTestDaemon({
    databaseUrl: target.connectionString,
    files: {
      'faculties/releaser.toml': blocks('toml')[0]!.replace(/^model = .*$/m, 'model = "play/any"'),
      'faculties/assistant.toml': ASSISTANT,
    },
    script: SCRIPT,
    config: `[daemon]\nhttp = "127.0.0.1:${port}"\n[http]\napi = true`,
    http: { openHealth: openHealthServer, openApi: serveApi },
  });
  const { url, faults } = await openBadConnection(port);
  const cwd = mkdtempSync(join(tmpdir(), 'animus-examples-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(cwd, 'animus'), `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`);
  chmodSync(join(cwd, 'animus'), 0o755);
  const env = {
    PATH: `${cwd}:${process.env['PATH'] ?? ''}`,
    HOME: cwd,
    DATABASE_URL: target.connectionString,
    ...sharedCompileCache(),
    URL: url,
  };
  const { stdout } = await run('bash', ['-euc', `${token}\nprintf %s "$TOKEN"`], { cwd, env });
  return {
    cwd,
    env: { ...env, TOKEN: stdout },
    async holds(printed) {
      expect(printed).toMatch(/thought.*What is new\?/s);
      expect(printed).toMatch(/call.*NOTES\.md/s);
      expect(printed).toContain('work completed: Written.');
      expect(printed).toMatch(/^answer: It has two rows below its head\.$/m);
      expect(printed).toMatch(/^sales\.csv: 20 characters$/m);
      const after = await counts();
      expect({
        items: after.items - before.items,
        chats: after.chats - before.chats,
        messages: after.messages - before.messages,
        approvals: after.approvals - before.approvals,
      }).toEqual({ items: 2, chats: 1, messages: 1, approvals: 1 });
      // Submit, approve, workspace, conversation, message; the events of two items.
      expect(faults).toEqual({ lost: 5, cut: 2 });
    },
  };
}

test('TypeScript: it compiles and does what it says', async () => {
  const { cwd, env, holds } = await beginStory();
  const client = resolve('src/client/client.ts');
  writeFileSync(
    join(cwd, 'program.ts'),
    blocks('typescript').join('\n').replace("'animus/client'", JSON.stringify(client)),
  );
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--allowImportingTsExtensions',
  ];
  const compiled = run(resolve('node_modules/.bin/tsc'), [...options, '--types', 'node', 'program.ts'], { cwd });
  const [{ stdout }] = await Promise.all([
    run(process.execPath, ['program.ts'], { cwd, env }),
    compiled.catch((error: { stdout: string }) => expect.unreachable(error.stdout)),
  ]);
  await holds(stdout);
});

test.skipIf(!hasCurl)('curl: it does what it says', async () => {
  const { cwd, env, holds } = await beginStory();
  const { stdout } = await run('bash', ['-c', `set -euo pipefail\n${curl.join('\n')}`], { cwd, env });
  await holds(stdout);
});

test.skipIf(python === null)(
  'Python with httpx (ANIMUS_REQUIRE_PYTHON=1 installs it): it does what it says',
  async () => {
    const { cwd, env, holds } = await beginStory();
    writeFileSync(join(cwd, 'program.py'), blocks('python').join('\n'));
    const { stdout } = await run(python!, ['program.py'], { cwd, env });
    await holds(stdout);
  },
);
