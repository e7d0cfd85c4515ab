import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { tableRows } from '../../support/markdown-table.ts';

/** docs/http.md, and those of parts that say it themselves. */
const PAGES = globSync('docs/*.md').map((path) => readFileSync(path, 'utf8'));

test('the pages list every route with its scope, and no other', () => {
  const rows = PAGES.flatMap(tableRows).filter(
    ([route = '', scope = '']) => /^`[A-Z]+ \//.test(route) && /^`(read|work|decide)`$/.test(scope),
  );
  const routes = API_ROUTES.map(({ method, path, scope, summary }) => [
    `\`${method} ${path}\``,
    `\`${scope}\``,
    summary,
  ]);
  // The pages have an order of their own.
  expect(rows.toSorted()).toEqual(routes.toSorted());
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
  const rows = PAGES.flatMap((page) => tableRows(section(page, 'Commands and routes')).slice(1));
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
