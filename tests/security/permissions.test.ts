/** Promise: what a faculty forbids does not run, what it asks about waits for a person, and each refusal is in the audit. */
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../cli/run-cli.ts';
import { testDatabase } from '../support/database.ts';
import { at, bash, type Call, startSite } from './scripted-focus.ts';

const target = testDatabase();

const RULES = `[faculty.permissions]
"bash(touch *)" = "forbid"
"bash(true*)" = "auto"
"write_file(path=ci/**)" = "forbid"
"edit_file(path=ci/**)" = "forbid"
"apply_patch(path=ci/**)" = "forbid"
"read_file(path=ci/**)" = "forbid"
list_dir = "forbid"
`;

const patch = (path: string) =>
  [
    'apply_patch',
    { patch: `*** Begin Patch\n*** Add File: docs/a\n+x\n*** Add File: ${path}\n+x\n*** End Patch` },
  ] as const;

const FORBIDDEN: readonly (readonly [string, Call])[] = [
  ['bash(touch *)', bash('touch ran')],
  ['bash(touch *)', bash("true; t\\ou''ch ran")],
  ['bash(touch *)', bash('true $(touch ran)')],
  ['bash(touch *)', bash(`sh -c 'eval "touch ran"'`)],
  ['bash(touch *)', bash('env A=b nice touch ran')],
  ['bash(touch *)', bash('cat <<E\n`touch ran`\nE')],
  ['write_file(path=ci/**)', ['write_file', { path: 'ci/a', content: 'x' }]],
  ['write_file(path=ci/**)', ['write_file', { path: 'docs/../ci//a', content: 'x' }]],
  ['write_file(path=ci/**)', ['write_file', { path: 'link/a', content: 'x' }]],
  ['edit_file(path=ci/**)', ['edit_file', { path: './ci/here', old_string: 'x', new_string: 'y' }]],
  ['apply_patch(path=ci/**)', patch('ci/a')],
  ['apply_patch(path=ci/**)', patch('link/a')],
  ['read_file(path=ci/**)', ['read_file', { path: 'link/here' }]],
  ['list_dir', ['list_dir', {}]],
];

describe('a hostile run', () => {
  test('gets nowhere past its rules, and each refusal is in the audit', async () => {
    const site = await startSite(target, {
      calls: [...FORBIDDEN.map(([, call]) => call), bash('true')],
      engage: 'bash_isolation = "none"',
      files: { 'ci/here': 'x\n' },
      tables: RULES,
    });
    mkdirSync(at(site, 'docs'));
    symlinkSync('ci', at(site, 'link'));
    const { outputs, state } = await site.run();
    expect(state).toBe('completed');
    for (const [index, [rule]] of FORBIDDEN.entries())
      expect(outputs[index]).toContain(`forbids this call (rule ${JSON.stringify(rule)}). It did not run.`);
    expect(outputs.at(-1)).toContain('exit code 0');
    expect(outputs.join()).not.toContain('.toml');
    expect(readdirSync(at(site, 'ci'))).toEqual(['here']);
    expect([existsSync(at(site, 'ran')), existsSync(at(site, 'docs/a'))]).toEqual([false, false]);

    const options = { env: { DATABASE_URL: target.connectionString } };
    const { stdout } = await run(['audit', 'export'], options);
    const lines = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      lines.map(({ action, refused_by, faculty, tool, rule }) => ({ action, refused_by, faculty, tool, rule })),
    ).toEqual(
      FORBIDDEN.map(([rule, [tool]]) => ({
        action: 'refuse',
        refused_by: 'permission',
        faculty: site.faculty,
        tool,
        rule,
      })),
    );
    expect(await run(['audit', 'verify'], options)).toMatchObject({ code: 0 });
  });

  test('waits for a person where nobody can see what would run, and the denial is in the audit', async () => {
    const site = await startSite(target, {
      calls: [bash('x=touch; $x ran')],
      engage: 'bash_isolation = "none"',
      tables: RULES,
    });
    const id = await site.submit();
    await site.until(id, 'waiting');
    const [wait] = await site.db.query<{ request: { reason: string } }>(
      'select request from animus.waits where work_item_id = $1',
      [id],
    );
    expect(wait?.request.reason).toBe(
      'rule "bash(touch *)" may apply: the name of a command is only known when it runs',
    );
    await site.db.query(`select animus.deny($1, p_note => 'no')`, [id]);
    const { outputs } = await site.until(id, 'completed');
    expect(outputs[0]).toContain('denied this call');
    expect(existsSync(at(site, 'ran'))).toBe(false);
    const refused = await site.db.query(
      'select tool, refused_by, rule from animus.refused_calls where work_item_id = $1',
      [id],
    );
    expect(refused).toEqual([{ tool: 'bash', refused_by: 'person', rule: wait?.request.reason }]);
  });

  test('does not get around a rule for URLs by a redirect of an allowed site', async () => {
    let fetched = 0;
    const other = createServer((_, response) => {
      fetched += 1;
      response.writeHead(200, { 'content-type': 'text/plain' }).end('of another site');
    });
    const allowed = createServer((request, response) => {
      const to = new URL(request.url!, 'http://x').searchParams.get('to');
      if (to === null) response.writeHead(200, { 'content-type': 'text/plain' }).end('of this site');
      else response.writeHead(302, { location: to }).end();
    });
    const [here, there] = [await listening(allowed), await listening(other)];
    const to = (url: string): Call => ['web_fetch', { url: `http://127.0.0.1:${here}/?to=${encodeURIComponent(url)}` }];
    const site = await startSite(target, {
      calls: [to('/here'), to(`http://localhost:${there}/`), to('/secret')],
      tools: ['web_fetch'],
      config: `[web]\nallow = ["127.0.0.1", "localhost"]\n`,
      tables: `[faculty.permissions]
        web_fetch = "ask"
        "web_fetch(url=http://127.0.0.1:${here}/**)" = "auto"
        "web_fetch(url=http://127.0.0.1:${here}/secret)" = "forbid"\n`,
    });
    const { outputs } = await site.run();
    expect(outputs[0]).toContain('of this site');
    expect(outputs[1]).toContain('may not be fetched unasked; call the tool with that URL if you need it');
    expect(outputs[2]).toContain('the rules of this work forbid');
    expect(fetched).toBe(0);
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((listen) => void server.listen(0, () => listen()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
