import { chmodSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { skillText } from '../../support/skill-tree.ts';
import { projectDirectory } from '../project-directory.ts';

const GOOD =
  '[faculty]\nname = "engineer"\ndescription = "Fixes"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = "p"\n';

const { animus, path, write } = projectDirectory();

test('check reports every problem and exits 2; list shows the valid faculties', async () => {
  write({ 'faculties/a.toml': GOOD, 'faculties/b.toml': '[faculty]\nname = "b"\nmodle = "x"\n' });
  const checked = await animus('faculty', 'check');
  expect(checked.code).toBe(2);
  expect(checked.stdout).toMatch(
    /^ok {7}engineer {2}.*a\.toml\nremark .*\nproblem {2}.*b\.toml:1: faculty\.engage: .*\nproblem {2}.*b\.toml:3: faculty\.modle: unknown key/,
  );
  const listed = await animus('faculty', 'list');
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/engineer +m +- +0 +Fixes/) });
  expect(listed.stderr).toContain('2 problems');
  const json = JSON.parse((await animus('faculty', 'check', '--json')).stdout);
  expect(json).toMatchObject({
    ok: false,
    faculties: ['engineer'],
    problems: [{ line: 1 }, { line: 3, key: 'faculty.modle' }],
  });
});

test('check says how much a faculty claims ahead', async () => {
  write({ 'faculties/a.toml': GOOD.replace('[faculty.engage]', 'prefetch = 200\n[faculty.engage]') });
  expect((await animus('faculty', 'check')).stdout).toContain('claims up to 200 items ahead of its free slots');
});

test('check remarks on child faculties that do not exist', async () => {
  write({ 'faculties/a.toml': `${GOOD}[faculty.children]\nfaculties = ["engineer", "enginer"]\n` });
  const { code, stdout } = await animus('faculty', 'check', 'engineer');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^remark .*a\.toml:8: faculty\.children\.faculties: no usable faculty is named enginer \(did you mean engineer\?\)/m,
  );
  expect(stdout).not.toContain('named engineer,');
});

test('check remarks on offered skills that do not exist', async () => {
  write({
    'faculties/a.toml': `${GOOD}[faculty.skills]\noffered = ["code-review", "code-reviw"]\n`,
    'skills/code-review/SKILL.md': '---\nname: code-review\ndescription: Reviews.\n---\nDo.\n',
  });
  const { code, stdout } = await animus('faculty', 'check');
  expect(code).toBe(0);
  expect(stdout.match(/^remark .*skills.*$/gm)).toEqual([
    expect.stringMatching(
      /a\.toml:8: faculty\.skills\.offered: no usable skill is named code-reviw \(did you mean code-review\?\)/,
    ),
  ]);
});

test('check and show list the hooks of the loop, those of the directory last', async () => {
  const hooks = 'before_tool_call = [{ command = "./judge.sh", tools = ["bash"], on_error = "allow" }]';
  write({
    'faculties/a.toml': `${GOOD}[faculty.hooks]\n${hooks}\n`,
    'animus.toml': '[hooks]\ndirectory = "hooks"\n',
  });
  for (const name of ['faculties/judge.sh', 'hooks/before_tool_call/10-all']) {
    write({ [name]: '#!/bin/sh\n' });
    chmodSync(path(name), 0o755);
  }
  const checked = await animus('faculty', 'check');
  expect(checked.stdout).toContain('before_tool_call: judge.sh (bash), 10-all');
  expect(checked.stdout).toContain('bash and hooks run ');
  const shown = await animus('faculty', 'show', 'engineer');
  expect(shown.stdout).toMatch(/judge\.sh +before_tool_call +bash +30 +allow/);
  expect(shown.stdout).toMatch(/10-all +before_tool_call +all +30 +block/);
  const json = JSON.parse((await animus('faculty', 'show', 'engineer', '--json')).stdout);
  expect(json.hooks).toMatchObject([
    { event: 'before_tool_call', name: 'judge.sh', tools: ['bash'], on_error: 'allow' },
    { event: 'before_tool_call', name: '10-all', tools: null, timeout_seconds: 30 },
  ]);
});

test('check and show say how code runs, and that it runs without asking, also where commands are not isolated', async () => {
  const code = 'code_execution = true\ncode_execution_memory = 256\nbash_isolation = "none"\ntools = ["bash"]\n';
  write({ 'faculties/a.toml': `${GOOD}${code}`, 'animus.toml': '[sandbox]\nimage = "mine:1"\n' });
  const sentence =
    'execute_code runs in a container of mine:1 without a network, with at most 256 MiB, 1 CPU and 5 min';
  expect((await animus('faculty', 'check')).stdout).toContain(sentence);
  const { stdout } = await animus('faculty', 'show', 'engineer');
  expect(stdout).toContain(sentence);
  expect(stdout).toMatch(/execute_code +auto +execute +default: risk execute/);
  expect(stdout).toMatch(/bash +ask +execute +default: commands without isolation/);
  const json = JSON.parse((await animus('faculty', 'show', 'engineer', '--json')).stdout);
  expect(json.code).toMatchObject({ image: 'mine:1', memory_mib: 256, reads_workspace: false });
});

test('show lists the skills of the faculty, and when each is activated', async () => {
  const metadata = (lines: string) => ({ front: `metadata:\n${lines}` });
  write({
    'faculties/a.toml': GOOD,
    'skills/plain/SKILL.md': skillText('plain'),
    'skills/ship/SKILL.md': skillText('ship', metadata('  animus.keywords: release, ship it\n  animus.command: ship')),
    'skills/law/SKILL.md': skillText('law', metadata('  animus.faculties: lawyer\n  animus.auto: "true"')),
  });
  const { stdout } = await animus('faculty', 'show', 'engineer');
  expect(stdout).toMatch(/ship +on release, ship it +\/ship\n *plain +when the model or the item asks for it/);
  expect(stdout).not.toContain('law');
  expect(stdout).toMatch(/activate_skill +auto +read/);
  const json = JSON.parse((await animus('faculty', 'show', 'engineer', '--json')).stdout);
  expect(json.skills).toMatchObject([
    { name: 'ship', auto: true, command: 'ship' },
    { name: 'plain', auto: false },
  ]);
});

test('show and check know the tools for skills, as the faculty may write them', async () => {
  const rules = '[faculty.permissions]\ncreate_skill = "forbid"\nactivate_skill = "ask"\n';
  write({ 'faculties/a.toml': `${GOOD}${rules}` });
  expect((await animus('faculty', 'show', 'engineer')).stdout).toMatch(/create_skill +forbid[^]*update_skill +auto/);
  expect((await animus('faculty', 'check')).stdout).not.toContain('has no effect');
  write({ 'faculties/a.toml': `${GOOD}[faculty.consolidate]\nskill_creation = false\n${rules}` });
  expect((await animus('faculty', 'show', 'engineer')).stdout).not.toContain('update_skill');
  expect((await animus('faculty', 'check')).stdout).toContain('has no effect: create_skill');
});

test('check of an unknown name names the nearest', async () => {
  write({ 'faculties/a.toml': GOOD });
  expect(await animus('faculty', 'check', 'engineer')).toMatchObject({ code: 0 });
  expect(await animus('faculty', 'check', 'enginer')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('did you mean engineer?'),
  });
});

test('show prints each value and its origin, the resolved model, and where commands run', async () => {
  const tools = `${GOOD}tools = ["bash"]\nmax_turns = 7\nfallback_models = ["gw/big"]\n`;
  const provider = '[providers.gw]\nkind = "openai"\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "GW_KEY"\n';
  write({
    'faculties/a.toml': tools,
    'animus.toml': `${provider}[models."gw/big"]\ncontext_window = 999000\n`,
  });
  const { code, stdout } = await animus('faculty', 'show', 'engineer');
  expect(code).toBe(0);
  expect(stdout).toContain(path('faculties/a.toml'));
  expect(stdout).toMatch(/engage\.max_turns +7 +line 8/);
  expect(stdout).toMatch(/recover\.max_attempts +3 +default/);
  expect(stdout).toMatch(/gw\/big +999,000 +.*animus\.toml:5 +http:\/\/127\.0\.0\.1:1\/v1 +GW_KEY is not set/);
  expect(stdout).toMatch(/anthropic\/m +128,000 +nowhere +https:\/\/api\.anthropic\.com/);
  expect(stdout).toMatch(/^bash and hooks run /m);
  const json = JSON.parse(
    (await animus('faculty', 'show', 'engineer', '--json', { env: { GW_KEY: 'SECRET' } })).stdout,
  );
  expect(json.values).toContainEqual({
    key: 'engage.max_turns',
    value: 7,
    origin: `${path('faculties/a.toml')}:8`,
  });
  expect(json).toMatchObject({
    system_prompt: 'p',
    models: [{ written: 'm' }, { api_key_set: true, known_from: expect.any(String) }],
  });
  expect(JSON.stringify(json)).not.toContain('SECRET');
});

test('show and check say that bash runs in a container, and what it reaches', async () => {
  const rules = `tools = ["bash"]
bash_isolation = "none"
[faculty.bash]
isolation = "container"
image = "python:3.13-slim"
network = ["pypi.org", "*.example.com:8443"]
`;
  write({ 'faculties/a.toml': GOOD + rules });
  const shown = (await animus('faculty', 'show', 'engineer')).stdout;
  expect(shown.replace(/\s+/g, ' ')).toContain(
    'bash runs in a container of the image python:3.13-slim, which reaches only pypi.org, *.example.com:8443; animus sandbox status shows',
  );
  expect(shown).toMatch(/^hooks run as the user of the daemon/m);
  expect(shown).toMatch(/bash\.cpus +2 +default/);
  // Without the container it would ask.
  expect(shown).toMatch(/bash +auto +execute +default: risk execute/);
  expect((await animus('faculty', 'check')).stdout).toContain('bash runs in a container of the image python:3.13-slim');
  const json = JSON.parse((await animus('faculty', 'show', 'engineer', '--json')).stdout);
  expect(json.bash).toMatchObject({ isolation: 'none', container: expect.stringContaining('pypi.org') });
});

test('show prints what it may do, and check what its rules overlook', async () => {
  const rules = `tools = ["bash", "web_fetch", "write_file"]
bash_isolation = "none"
[faculty.children]
faculties = ["engineer"]
[faculty.permissions]
bash = "auto"
"bash(git push*)" = "ask"
"write_file(path=ci/**)" = "forbid"
read_file = "ask"
"*" = "auto"
[faculty.mcp.github]
command = "github"
tools = ["*"]
`;
  write({ 'faculties/a.toml': GOOD + rules });
  const { stdout } = await animus('faculty', 'show', 'engineer');
  expect(stdout).toMatch(/spawn_child_work +auto +write +default: a tool of the engine/);
  expect(stdout).toMatch(/ledger_append +auto +write +default: a tool of the engine/);
  expect(stdout).toMatch(/bash +auto +execute +bash, line 12\n {2}bash\(git push\*\) +ask +line 13\n/);
  expect(stdout).toMatch(/write_file +auto +write +\*, line 16\n {2}write_file\(path=ci\/\*\*\) +forbid +line 14\n/);
  const shown = JSON.parse((await animus('faculty', 'show', 'engineer', '--json')).stdout);
  expect(shown.permissions.approval_deadline_seconds).toBe(86_400);
  expect(shown.permissions.tools.find(({ tool }: { tool: string }) => tool === 'bash')).toMatchObject({
    verdict: 'auto',
    patterns: [{ rule: 'bash(git push*)', verdict: 'ask' }],
  });
  const { remarks, ok } = JSON.parse((await animus('faculty', 'check', '--json')).stdout);
  expect([
    ok,
    remarks.map(({ line, message }: { line: number; message: string }) => [
      line,
      message.replace(/^.*": |^.*tools: /, ''),
    ]),
  ]).toEqual([
    true,
    [
      [5, expect.stringContaining('expected a model')],
      [7, expect.stringMatching(/^web_fetch and bash run without a person, and commands are not isolated/)],
      [14, 'bash runs without a person and can reach the same files'],
      [15, "has no effect: read_file is not one of the faculty's tools"],
      [16, 'every tool of the MCP servers also runs without a person (github)'],
    ],
  ]);
});

test('show of an unknown faculty names the nearest, and says if files have problems', async () => {
  write({ 'faculties/a.toml': GOOD, 'faculties/b.toml': '[faculty' });
  expect(await animus('faculty', 'show', 'enginer')).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/no faculty named enginer \(did you mean engineer\?\); .* see: animus faculty check/),
  });
});

test('serve without any faculty file reports it before it starts anything', async () => {
  mkdirSync(path('faculties'));
  expect(await animus('serve')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no faculty files (*.toml)'),
  });
});
