import { describe, expect, it } from 'vitest';
import {
  grantMatches,
  type Permissions,
  type PermittedCall,
  permissionOf,
} from '../../../src/core/permissions/permissions.ts';
import { parseRuleKey } from '../../../src/core/permissions/rule-key.ts';
import type { Verdict } from '../../../src/core/permissions/verdict.ts';

function rulesOf(table: Readonly<Record<string, Verdict>>, risk: Permissions['risk'] = {}): Permissions {
  const rules = Object.entries(table).map(([key, verdict], index) => {
    const parsed = parseRuleKey(key);
    if ('problem' in parsed) throw new Error(`${key}: ${parsed.problem}`);
    return { ...parsed, key, verdict, at: `f.toml:${index + 1}` };
  });
  return { rules, risk, approvalDeadlineSeconds: 86_400 };
}

const TOOLS = {
  bash: { name: 'bash', risk: 'execute', origin: 'faculty', kinds: { command: 'command' } },
  write_file: { name: 'write_file', risk: 'write', origin: 'faculty', kinds: { path: 'path' } },
  apply_patch: { name: 'apply_patch', risk: 'write', origin: 'faculty', kinds: { path: 'path' } },
  grep: { name: 'grep', risk: 'read', origin: 'faculty', kinds: { path: 'tree' } },
  web_fetch: { name: 'web_fetch', risk: 'network', origin: 'faculty', kinds: { url: 'url' } },
  buy: { name: 'buy', risk: 'spend', origin: 'faculty', kinds: {} },
  ledger_append: { name: 'ledger_append', risk: 'write', origin: 'engine', kinds: {} },
  mcp_git_issue: { name: 'mcp_git_issue', risk: 'read', origin: 'server', kinds: {} },
} as const;

function call(name: keyof typeof TOOLS, input: unknown = {}, more: Partial<PermittedCall> = {}): PermittedCall {
  return { tool: TOOLS[name], input, workspace: '/w', unprotected: false, ...more };
}

it('the rule that is told is that of the risk, or its default', () => {
  expect(permissionOf(rulesOf({}, { write: 'ask' }), call('write_file'))).toMatchObject({ rule: 'risk.write' });
  expect(permissionOf(rulesOf({}), call('write_file'))).toMatchObject({ rule: 'default: risk write' });
});

describe('without rules', () => {
  it.each([
    ['write_file', 'auto'],
    ['bash', 'auto'],
    ['web_fetch', 'auto'],
    ['buy', 'ask'],
    ['ledger_append', 'auto'],
    ['mcp_git_issue', 'ask'],
  ] as const)('%s: %s', (name, verdict) => {
    expect(permissionOf(rulesOf({}), call(name)).verdict).toBe(verdict);
  });

  it('bash without isolation asks', () => {
    expect(permissionOf(rulesOf({}), call('bash', { command: 'ls' }, { unprotected: true }))).toMatchObject({
      verdict: 'ask',
      rule: 'default: commands without isolation',
    });
  });
});

describe('the most specific level decides', () => {
  it.each([
    [{ '*': 'forbid' }, call('write_file'), 'forbid'],
    [{ '*': 'forbid', write_file: 'auto' }, call('write_file'), 'auto'],
    [{ '*': 'forbid' }, call('ledger_append'), 'auto'],
    [{ ledger_append: 'forbid' }, call('ledger_append'), 'forbid'],
    [{ '*': 'auto' }, call('mcp_git_issue'), 'auto'],
    [{ 'mcp_git_*': 'auto', '*': 'forbid' }, call('mcp_git_issue'), 'auto'],
    [{ 'mcp_git_*': 'auto', mcp_git_issue: 'ask' }, call('mcp_git_issue'), 'ask'],
    [{ write_file: 'ask', 'write_file(path=docs/**)': 'auto' }, call('write_file', { path: 'docs/a' }), 'auto'],
    [{ write_file: 'ask', 'write_file(path=docs/**)': 'auto' }, call('write_file', { path: 'src/a' }), 'ask'],
    [{ 'bash(git log*)': 'auto', 'bash(*)': 'ask' }, call('bash', { command: 'git log' }), 'ask'],
    [{ 'bash(git *)': 'auto', 'bash(git push*)': 'forbid' }, call('bash', { command: 'git push' }), 'forbid'],
    [{ 'bash(git *)': 'auto', bash: 'ask' }, call('bash', { command: 'git log' }), 'auto'],
    [{ 'bash(git *)': 'auto', bash: 'ask' }, call('bash', { command: 'git log; ls' }), 'ask'],
    [{ 'bash(git push*)': 'forbid', bash: 'auto' }, call('bash', { command: '$x' }), 'ask'],
    [{ 'bash(git push*)': 'forbid', bash: 'auto' }, call('bash', { command: 'ls; sh -c "git push"' }), 'forbid'],
    [{ 'bash(*)': 'auto', bash: 'ask' }, call('bash', { command: 'ls; ls' }), 'ask'],
    [{ 'bash(*)': 'auto', bash: 'ask' }, call('bash', { command: 'ls -l' }), 'auto'],
    [{ 'bash(*)': 'forbid' }, call('bash', { command: '> f' }), 'forbid'],
    [{ 'grep(path=secrets/**)': 'forbid' }, call('grep', { pattern: 'x' }), 'ask'],
    [{ 'grep(path=secrets/**)': 'forbid' }, call('grep', { pattern: 'x', path: 'src' }), 'auto'],
    [{ 'grep(path=secrets/**)': 'forbid' }, call('grep', { pattern: 'x', path: 'secrets' }), 'forbid'],
    [
      { 'web_fetch(url=https://a.test/**)': 'auto', web_fetch: 'ask' },
      call('web_fetch', { url: 'https://a.test/' }),
      'auto',
    ],
  ] as const)('%j', (table, one, expected) => {
    expect(permissionOf(rulesOf(table as Record<string, Verdict>), one).verdict).toBe(expected);
  });

  it('says which rule it was, and why where that is not certain', () => {
    const rules = rulesOf({ bash: 'auto', 'bash(git push*)': 'forbid' });
    expect(permissionOf(rules, call('bash', { command: 'git push' }))).toEqual({
      verdict: 'forbid',
      rule: 'bash(git push*)',
      at: 'f.toml:2',
      unclear: null,
    });
    expect(permissionOf(rules, call('bash', { command: '$x' }))).toMatchObject({
      verdict: 'ask',
      unclear: 'the name of a command is only known when it runs',
    });
  });
});

describe('defaults by risk', () => {
  it('count where no rule does', () => {
    expect(permissionOf(rulesOf({}, { network: 'ask' }), call('web_fetch')).verdict).toBe('ask');
    expect(permissionOf(rulesOf({ '*': 'auto' }, { network: 'ask' }), call('web_fetch')).verdict).toBe('auto');
    expect(permissionOf(rulesOf({}, { spend: 'auto' }), call('buy')).verdict).toBe('auto');
    expect(permissionOf(rulesOf({}, { write: 'forbid' }), call('ledger_append')).verdict).toBe('auto');
  });

  it('grant nothing to tools of servers, but may forbid them', () => {
    expect(permissionOf(rulesOf({}, { read: 'auto' }), call('mcp_git_issue')).verdict).toBe('ask');
    expect(permissionOf(rulesOf({}, { read: 'forbid' }), call('mcp_git_issue')).verdict).toBe('forbid');
  });
});

describe('fields', () => {
  const one = rulesOf({ 'mcp_git_issue(owner=acme, repo=web-*)': 'auto' });
  it.each([
    [{ owner: 'acme', repo: 'web-1' }, 'auto'],
    [{ owner: 'acme', repo: 'api' }, 'ask'],
    [{ owner: 'Acme', repo: 'web-1' }, 'ask'],
    [{ owner: ['acme', 'evil'], repo: 'web-1' }, 'ask'],
    [{ owner: ['acme'], repo: 'web-1' }, 'auto'],
    [{ owner: { toString: 'acme' }, repo: 'web-1' }, 'ask'],
    [{ repo: 'web-1' }, 'ask'],
    [{}, 'ask'],
    [null, 'ask'],
  ])('%j: %s', (input, verdict) => {
    expect(permissionOf(one, call('mcp_git_issue', input)).verdict).toBe(verdict);
  });

  it('that forbid take any spelling and any element', () => {
    const rules = rulesOf({ mcp_git_issue: 'auto', 'mcp_git_issue(labels=secret)': 'forbid' });
    for (const labels of ['secret', 'SECRET', 'ｓecret', ['a', 'Secret']])
      expect(permissionOf(rules, call('mcp_git_issue', { labels })).verdict).toBe('forbid');
    expect(permissionOf(rules, call('mcp_git_issue', { labels: { a: 'secret' } })).verdict).toBe('ask');
    expect(permissionOf(rules, call('mcp_git_issue', { __proto__: { labels: 'secret' } })).verdict).toBe('auto');
  });

  it('where a link leads counts, too', () => {
    const rules = rulesOf({
      write_file: 'ask',
      'write_file(path=docs/**)': 'auto',
      'write_file(path=.github/**)': 'forbid',
    });
    const to = (real: string) => ({ realPaths: new Map([['docs/link', real]]) });
    const verdict = (real: string) => permissionOf(rules, call('write_file', { path: 'docs/link' }, to(real))).verdict;
    expect(verdict('/w/docs/other')).toBe('auto');
    expect(verdict('/w/src/a')).toBe('ask');
    expect(verdict('/w/.github/a')).toBe('forbid');
  });

  it('all paths of a patch count', () => {
    const rules = rulesOf({
      apply_patch: 'ask',
      'apply_patch(path=docs/**)': 'auto',
      'apply_patch(path=ci/**)': 'forbid',
    });
    const verdict = (path: readonly string[] | null) =>
      permissionOf(rules, call('apply_patch', { patch: '' }, { values: { path } })).verdict;
    expect([
      verdict(['docs/a', 'docs/b']),
      verdict(['docs/a', 'src/b']),
      verdict(['docs/a', 'ci/b']),
      verdict(null),
    ]).toEqual(['auto', 'ask', 'forbid', 'ask']);
  });
});

describe('a grant', () => {
  it.each([
    ['bash', 'git push', true],
    ['bash(git push *)', 'git push origin', true],
    ['bash(git push *)', 'git push origin; ls', false],
    ['bash(git push *)', 'git pull', false],
    ['bash(*)', 'ls; ls', false],
    ['*', 'git push', false],
    ['ba*', 'git push', false],
    ['write_file', 'git push', false],
    ['bash(', 'git push', false],
  ])('%j for %j: %s', (pattern, command, expected) => {
    expect(grantMatches(parseRuleKey(pattern), call('bash', { command }))).toBe(expected);
  });
});
