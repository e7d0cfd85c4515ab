import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MCP_TOOLS } from '../../../src/http/mcp/tools.ts';
import { tableRows } from '../../support/markdown-table.ts';

const PAGE = readFileSync(new URL('../../../docs/mcp-server.md', import.meta.url), 'utf8');

test('the page lists every tool with its scope and route, and no other', () => {
  const rows = tableRows(PAGE).filter(([, scope = '']) => /^`(read|work|decide)`$/.test(scope));
  const tools = MCP_TOOLS.map(({ name, scope, route }) => [
    `\`${name}\``,
    `\`${scope}\``,
    route === null ? 'none' : `\`${route}\``,
  ]);
  expect(rows.toSorted()).toEqual(tools.toSorted());
});

test('only tools that read are annotated as such', () => {
  for (const { name, scope, hints, route } of MCP_TOOLS) {
    expect(hints.readOnlyHint, name).toBe(scope === 'read');
    if (hints.readOnlyHint && route !== null) expect(route, name).toMatch(/^GET /);
  }
});
