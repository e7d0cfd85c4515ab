/** The rights of roles, as docs/sql-api.md tells them. */
import { readFileSync } from 'node:fs';
import { ROLES } from '../../../src/store/migrations/roles.ts';
import { tableRows } from '../../support/markdown-table.ts';

const PAGE = readFileSync(new URL('../../../docs/sql-api.md', import.meta.url), 'utf8');
const SECTION = PAGE.split('## Roles\n')[1]!.split('\n## ')[0]!;
/** What the bold words of the table stand for. */
const GROUPS = new Map(
  [...SECTION.matchAll(/^- \*\*(.+?)\*\*: (.+(?:\n {2}.+)*)/gm)].map(([, group, names]) => [group, names]),
);
/** Names of what a role may use, from the page's table: functions, tables, views. */
export const TOLD = tableRows(SECTION)
  .slice(1)
  .map(([what, ...marks]) => ({
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
