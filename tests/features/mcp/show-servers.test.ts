import { expect, test } from 'vitest';
import { mcpReportJson } from '../../../src/features/mcp/show-servers.ts';

const tool = (description: string) => ({ name: 't', description, inputSchema: {}, definitionHash: description });
const lines = (letter: string) => Array.from({ length: 100 }, (_, n) => `${letter}${n}`).join('\n');

function differences(before: string, after: string): readonly string[] | null | undefined {
  const pin = { ...tool(before), server: 's', pinnedBy: 'x', pinnedAt: new Date(0), problem: null };
  const compared = { name: 't', state: 'changed', problem: null, pin, live: tool(after) } as const;
  return mcpReportJson({ faculty: 'f', server: 's', problem: null, pinned: false, tools: [compared] }).tools[0]
    ?.differences;
}

test('the difference of a changed tool shows lines that have moved, in their order', () => {
  const moved = differences('Ask first.\nThen delete.', 'Then delete.\nAsk first.');
  expect(moved).toEqual(['@@ line 1 @@', '-Ask first.', ' Then delete.', '+Ask first.', ' {}']);
});

test('the difference is whole, and shows what nobody sees', () => {
  expect(differences(lines('a'), lines('b'))).toHaveLength(202);
  expect(differences('a', 'a\u200b')).toContain('+a\\u{200b}');
  expect(differences('a\nb', 'a  \nb')).toContain('+a\\x20\\x20');
});
