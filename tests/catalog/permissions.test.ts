import { describe, expect, it } from 'vitest';
import { readFaculty } from '../../src/catalog/read-faculty.ts';
import { toolTable } from '../../src/tools/known-tools.ts';
import { FACULTY_TOOL_NAMES, toolset } from '../../src/tools/registry.ts';

const HEAD = `[faculty]
name = "clerk"
[faculty.engage]
model = "m"
system_prompt = "p"
tools = ["bash", "web_fetch", "write_file"]
`;

function read(permissions: string) {
  const references = { toolNames: FACULTY_TOOL_NAMES, tools: toolTable().known };
  return readFaculty('/f/clerk.toml', HEAD + permissions, references);
}

it('takes tools in the list that every faculty has', () => {
  const text = HEAD.replace('tools = ["bash"', 'tools = ["ask_human", "ledger_append", "bash"');
  const { faculty, problems } = readFaculty('/f/clerk.toml', text, {
    toolNames: FACULTY_TOOL_NAMES,
    tools: toolTable().known,
  });
  expect(problems).toEqual([]);
  const offered = [...toolset(faculty!.engage.tools).keys()];
  expect(new Set(offered)).toEqual(new Set(toolset(['bash', 'web_fetch', 'write_file']).keys()));
  expect(offered).toHaveLength(new Set(offered).size);
});

describe('[faculty.permissions]', () => {
  it('is read with the place of each rule', () => {
    const { faculty, problems } = read(`[faculty.permissions]
bash = "auto"
"bash(git push*)" = "ask"
"web_fetch(url=https://Example.org/**)" = "auto"
"mcp_github_*" = "forbid"
"*" = "ask"
approval_deadline_seconds = 60
[faculty.permissions.risk]
network = "ask"
[faculty.mcp.github]
command = "github"
tools = ["*"]
`);
    expect(problems).toEqual([]);
    expect(faculty?.permissions).toEqual({
      rules: [
        { key: 'bash', tool: 'bash', patterns: null, verdict: 'auto', at: '/f/clerk.toml:8' },
        {
          key: 'bash(git push*)',
          tool: 'bash',
          verdict: 'ask',
          at: '/f/clerk.toml:9',
          patterns: [{ field: null, pattern: 'git push*' }],
        },
        {
          key: 'web_fetch(url=https://Example.org/**)',
          tool: 'web_fetch',
          verdict: 'auto',
          at: '/f/clerk.toml:10',
          patterns: [{ field: 'url', pattern: 'https://Example.org/**' }],
        },
        { key: 'mcp_github_*', tool: 'mcp_github_*', patterns: null, verdict: 'forbid', at: '/f/clerk.toml:11' },
        { key: '*', tool: '*', patterns: null, verdict: 'ask', at: '/f/clerk.toml:12' },
      ],
      risk: { network: 'ask' },
      approvalDeadlineSeconds: 60,
    });
  });

  it('has defaults', () => {
    expect(read('').faculty?.permissions).toEqual({ rules: [], risk: {}, approvalDeadlineSeconds: 86_400 });
  });

  const WRONG: readonly (readonly [string, string])[] = [
    ['bsh = "auto"', 'no tool named "bsh" (did you mean bash?)'],
    ['bash = "allow"', 'expected "auto" or "ask" or "forbid"'],
    ['bash = true', 'expected "auto" or "ask" or "forbid"'],
    ['"bash(git push" = "ask"', 'expected a tool, tool(pattern)'],
    ['"bash()" = "ask"', 'the parentheses are empty; write bash for every call'],
    ['"web_fetch(https://example.org/**)" = "auto"', 'names a field of its input: "web_fetch(url=…)"'],
    ['"web_fetch(ulr=https://example.org/**)" = "auto"', 'has no field named "ulr" (did you mean url?)'],
    ['"write_file(path=docs/../src/**)" = "auto"', 'can never match a call: paths are compared without "." and ".."'],
    ['"write_file(path=docs/)" = "auto"', 'without a "/" at the end'],
    ['"write_file(path=~/x)" = "auto"', '"~" is not expanded'],
    ['"web_fetch(url=example.org)" = "auto"', 'expected https://HOST/PATH'],
    ['"web_fetch(url=https://me@example.org/)" = "auto"', 'a user name or a password is never allowed'],
    ['"web_fetch(url=https://ex*mple.org/)" = "auto"', 'is not a host'],
    ['"web_fetch(url=https://example.org/?q=*)" = "auto"', 'what follows "?" or "#" is not compared'],
    ['"bash(git log; git push)" = "auto"', 'is allowed only as a whole, and only if it is one command, so ";"'],
    ['"bash(git log | *)" = "forbid"', 'is compared with one command at a time, so "|"'],
    ['"bash(git  log)" = "ask"', 'single spaces between their words'],
    [`"bash(git commit -m 'x')" = "ask"`, 'without quotes'],
    ['"mcp_*(path=x)" = "ask"', 'a pattern needs the name of one tool before it'],
    ['"mcp_gthub_*" = "ask"', 'the faculty has no server [faculty.mcp.gthub]'],
    ['"mcp_github_issue(owner=x)" = "ask"', 'the faculty has no server [faculty.mcp.github]'],
    ['"gti_*" = "ask"', 'no tool has a name that begins with "gti_"'],
    [
      '"bash(git *)" = "forbid"\n"bash(git log*)" = "auto"',
      'never decides: "bash(git *)" = "forbid" matches the same calls',
    ],
    ['"bash(git log)" = "auto"\n"bash(git log )" = "ask"', 'single spaces'],
    ['"write_file(path=**)" = "ask"\n"write_file(path=docs/**)" = "auto"', 'never decides: "write_file(path=**)"'],
    [
      '"web_fetch(url=https://EXAMPLE.org/**)" = "ask"\n"web_fetch(url=https://example.org/**)" = "auto"',
      'never decides: "web_fetch(url=https://EXAMPLE.org/**)"',
    ],
    ['"write_file(*)" = "ask"\nwrite_file = "forbid"', 'never decides: "write_file(*)" = "ask"'],
    ['approval_deadline_seconds = 0', 'expected seconds from 1 to 31536000'],
    ['[faculty.permissions.risk]\nnetwrok = "ask"', '(did you mean network?)'],
    ['[faculty.permissions.risk]\nnetwork = "never"', 'expected "auto" or "ask" or "forbid"'],
  ];

  it.each(WRONG)('refuses %j', (toml, message) => {
    const { faculty, problems } = read(`[faculty.permissions]\n${toml}\n`);
    expect(faculty).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
    expect(problems[0]?.line).toBe(HEAD.split('\n').length + toml.split('\n').length);
  });

  it.each(['write_*', 'mc*'])('takes %s, with which a name begins', (name) => {
    expect(read(`[faculty.permissions]\n"${name}" = "ask"\n`).problems).toEqual([]);
  });

  it('reports all problems at once', () => {
    const { problems } = read('[faculty.permissions]\nbsh = "auto"\n"bash(" = "ask"\n"write_file(path=a/)" = "auto"\n');
    expect(problems.map(({ line }) => line)).toEqual([8, 9, 10]);
  });
});
