import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { testApi } from '../../support/api.ts';
import { tableRows } from '../../support/markdown-table.ts';
import { createPerson } from '../../support/people.ts';

const PAGE = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');
const { start, owner } = testApi();
const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('the page lists every route with its scope, and no other', () => {
  const rows = tableRows(PAGE).filter(([route = '']) => /^`[A-Z]+ \//.test(route));
  expect(rows).toEqual(
    API_ROUTES.map(({ method, path, scope, summary }) => [`\`${method} ${path}\``, `\`${scope}\``, summary]),
  );
});

test.skipIf(!hasCurl)('its examples run', async () => {
  const { url, tokenOf } = await start();
  await createPerson(owner(), 'olga', 'operator');
  const blocks = [...PAGE.matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, text]) => text);
  expect(blocks.length).toBeGreaterThan(3);
  const cwd = mkdtempSync(join(tmpdir(), 'animus-curl-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const { PATH } = process.env;
  const env = { PATH, URL: `${url}/api/v1`, TOKEN: await tokenOf('olga') };
  const script = `set -euo pipefail\n${blocks.join('\n')}`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd, env });
  expect(stdout).toContain('"merged_into":null');
  expect(stdout).toMatch(/^1,2$|1,2\{/m);
  expect(stdout).toContain('"resumed":true');
  const [counted] = await owner().query('select count(*)::int as items from animus.work_items');
  expect(counted).toEqual({ items: 3 });
});

test('each command is in the table of commands, with routes that exist', async () => {
  const help = JSON.parse(readFileSync(new URL('../../../src/help.json', import.meta.url), 'utf8')) as Record<
    string,
    unknown
  >;
  const names = Object.keys(help).filter((name) => name !== '');
  const isGroup = (name: string) => names.some((other) => other.startsWith(`${name} `));
  // `spend` and `models` do something themselves, too.
  const commands = names.filter((name) => !isGroup(name) || ['spend', 'models'].includes(name));
  const rows = tableRows(section(PAGE, 'Commands and routes')).slice(1);
  const listed = rows.flatMap(([command = '']) => ticked(command));
  expect(listed.toSorted()).toEqual(commands.toSorted());
  const known = new Set(API_ROUTES.map(({ method, path }) => `${method} ${path}`));
  const named = rows.flatMap(([, routes = '']) => ticked(routes).filter((text) => /^[A-Z]+ \//.test(text)));
  expect(named.filter((route) => !known.has(route) && !/^GET \/(healthz|readyz)$/.test(route))).toEqual([]);
});

function ticked(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);
}

function section(page: string, title: string): string {
  return page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';
}
