import { beforeEach, describe, expect, test } from 'vitest';
import { type McpTool, pinMcpTools, readMcpPins, reportMcpTool } from '../../../src/store/work/mcp-pins.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
beforeEach(() => target.database.query('truncate animus.mcp_pins'));

const tool = (name: string, hash = 'a'): McpTool => ({
  name,
  description: `does ${name}`,
  inputSchema: { type: 'object', properties: { z: {}, a: {} } },
  definitionHash: hash.repeat(64),
});

describe('the pins of MCP tools', () => {
  test('are exactly the tools that were pinned last, with who and when, and each pinning is a decision', async () => {
    const db = target.database;
    await pinMcpTools(db, 'f', 's', [tool('one'), tool('two')]);
    await pinMcpTools(db, 'f', 'other', [tool('one')]);
    const [before] = await readMcpPins(db, 'f');
    await pinMcpTools(db, 'f', 's', [tool('two', 'b'), tool('three')]);
    const pins = await readMcpPins(db, 'f');
    expect(pins.map(({ server, name, definitionHash }) => [server, name, definitionHash[0]])).toEqual([
      ['other', 'one', 'a'],
      ['s', 'three', 'a'],
      ['s', 'two', 'b'],
    ]);
    expect(pins[0]).toMatchObject({ ...tool('one'), pinnedBy: expect.any(String), problem: null });
    expect(Object.keys(before!.inputSchema['properties'] as object)).toEqual(['z', 'a']);
    expect(await readMcpPins(db, 'g')).toEqual([]);
    const decisions = await db.query(`select target, note from animus.decisions where action = 'pin' order by id`);
    expect(decisions.at(-1)).toEqual({ target: 'f', note: 'f: tools of MCP server s: three, two' });
    expect(decisions).toHaveLength(3);
  });

  test('keep who pinned a tool that was pinned again as it was', async () => {
    const db = target.database;
    await pinMcpTools(db, 'f', 's', [tool('one')]);
    await db.query(`update animus.mcp_pins set pinned_by = 'somebody'`);
    await pinMcpTools(db, 'f', 's', [tool('one')]);
    expect(await readMcpPins(db, 'f')).toMatchObject([{ pinnedBy: 'somebody' }]);
  });

  test('show a problem until they are pinned again; a report about an earlier pin changes nothing', async () => {
    const db = target.database;
    await pinMcpTools(db, 'f', 's', [tool('one')]);
    const [pin] = await readMcpPins(db, 'f');
    await reportMcpTool(db, 'f', pin!, 'it has changed \0');
    expect(await readMcpPins(db, 'f')).toMatchObject([{ problem: 'it has changed \uFFFD' }]);
    await pinMcpTools(db, 'f', 's', [tool('one', 'b')]);
    expect(await readMcpPins(db, 'f')).toMatchObject([{ problem: null }]);
    await reportMcpTool(db, 'f', pin!, 'late');
    expect(await readMcpPins(db, 'f')).toMatchObject([{ problem: null }]);
  });
});
