import { expect, test } from 'vitest';
import { mcpToolName } from '../../../src/tools/mcp/tool-name.ts';

test('a name of up to 64 plain characters stays, any other is cut and ends with a hash', () => {
  const longest = 'x'.repeat(64 - 'mcp_s_'.length);
  expect(mcpToolName('s', longest)).toBe(`mcp_s_${longest}`);
  expect(mcpToolName('s', `${longest}x`)).toMatch(/^mcp_s_x{47}_[0-9a-f]{10}$/);
  expect(mcpToolName('s', 'a.b')).toMatch(/^mcp_s_a_b_[0-9a-f]{10}$/);
  expect(mcpToolName('s', 'a.b')).not.toBe(mcpToolName('s', 'a/b'));
});
