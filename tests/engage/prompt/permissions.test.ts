import { expect, it } from 'vitest';
import type { PermissionRow } from '../../../src/core/permissions/permission-table.ts';
import type { Verdict } from '../../../src/core/permissions/verdict.ts';
import { permissionsText } from '../../../src/engage/prompt/permissions.ts';

const row = (tool: string, verdict: Verdict, patterns: Readonly<Record<string, Verdict>> = {}): PermissionRow => ({
  tool,
  risk: 'execute',
  verdict,
  rule: tool,
  at: '/etc/animus/faculties/f.toml:3',
  patterns: Object.entries(patterns).map(([rule, verdict]) => ({
    rule,
    verdict,
    at: '/etc/animus/faculties/f.toml:4',
  })),
});

it('the prompt says who can be asked, what needs an approval, and what is forbidden', () => {
  const rows = [
    row('read_file', 'auto'),
    row('bash', 'ask', { 'bash(git log*)': 'auto', 'bash(git push*)': 'forbid' }),
    row('write_file', 'auto', { 'write_file(path=ci/**)': 'forbid', 'write_file(path=docs/**)': 'ask' }),
    row('web_fetch', 'forbid'),
  ];
  const text = permissionsText(rows, false);
  expect(text).toContain('A person can be asked, with ask_human');
  expect(text).toContain(
    'need the approval of a person: bash (but not bash(git log*), bash(git push*)); write_file(path=docs/**). Make them',
  );
  expect(text).toContain('These calls are forbidden: bash(git push*); write_file(path=ci/**); web_fetch.');
  expect(text).not.toContain('.toml');
  expect(permissionsText(rows, true)).toContain('Nobody can be asked in this run');
});

it('the prompt has nothing about rules where all calls run, and does not grow without end', () => {
  expect(permissionsText([row('bash', 'auto')], false)).not.toMatch(/approval|forbidden/);
  const many = Array.from({ length: 500 }, (_, n) => row(`mcp_x_${n}`, 'ask'));
  expect(permissionsText(many, false)).toContain('; mcp_x_39; and 460 more.');
});
