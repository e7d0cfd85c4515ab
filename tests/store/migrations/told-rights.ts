/** The rights of roles, as docs/sql-api.md tells them below `## Roles`, and the pages of parts for their own functions below `## Rights`. */
import { globSync, readFileSync } from 'node:fs';
import { ROLES } from '../../../src/store/migrations/roles.ts';
import { tableRows } from '../../support/markdown-table.ts';

const PAGES = globSync('docs/*.md').map((path) =>
  readFileSync(path, 'utf8').split(path === 'docs/sql-api.md' ? '## Roles\n' : '## Rights\n'),
);
const SECTIONS = PAGES.flatMap(([, section]) => section?.split('\n## ')[0] ?? []);
/** What the bold words of the table stand for. */
const GROUPS = new Map(
  SECTIONS.flatMap((section) => [...section.matchAll(/^- \*\*(.+?)\*\*: (.+(?:\n {2}.+)*)/gm)]).map(
    ([, group, names]) => [group, names],
  ),
);
/** Names of what a role may use, from the page's table: functions, tables, views. */
export const TOLD = SECTIONS.flatMap((section) => tableRows(section).slice(1)).map(([what, ...marks]) => ({
  kind: /^(call|insert into|read|write)/.exec(what!)![1]!,
  names: [...wholeCell(what!).matchAll(/`(\w+)`/g)].map(([, name]) => name!),
  roles: ROLES.filter((_, column) => marks[column] === 'yes'),
}));

/** A cell, with the names that its bold words stand for. */
function wholeCell(cell: string): string {
  const [, group] = /\*\*(.+)\*\*/.exec(cell) ?? [];
  if (group === undefined) return cell;
  const names = GROUPS.get(group);
  if (names === undefined) throw new Error(`the page does not say what ${group} stands for`);
  return names;
}
