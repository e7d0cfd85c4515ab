import type { SchemaKey } from '../../scripts/schema-keys.ts';
import { tableRows } from './markdown-table.ts';

/** The rows of a page's tables of keys: key, expects, default, meaning. */
export function documentedKeys(page: string): Omit<SchemaKey, 'about'>[] {
  return tableRows(page)
    .filter((cells) => cells.length === 4 && cells[0]?.startsWith('`'))
    .map(([key = '', expected = '', fallback = '']) => ({ key: bare(key), expected, fallback: bare(fallback) }));
}

function bare(code: string): string {
  return code.replaceAll('`', '');
}
