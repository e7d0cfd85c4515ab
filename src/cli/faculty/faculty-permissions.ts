/** What a faculty may do, as `animus faculty show` prints it, and what `animus faculty check` remarks about it. */
import { basename, dirname } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { MCP_PREFIX } from '../../catalog/faculty/mcp-server.ts';
import type { Problem } from '../../core/errors/problem.ts';
import { starAllows } from '../../core/permissions/command/star-allows.ts';
import { type PermissionRow, permissionTable } from '../../core/permissions/permission-table.ts';
import type { PermittedTool } from '../../core/permissions/permissions.ts';
import type { RiskClass, Verdict } from '../../core/permissions/verdict.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part, Style } from '../../terminal/view/part.ts';
import { duration } from '../../terminal/view/quantities.ts';
import { awarenessTools } from '../../tools/awareness/awareness-source.ts';
import { childTools } from '../../tools/children/child-source.ts';
import { mcpToolName } from '../../tools/mcp/tool-name.ts';
import { CODE_TOOL, permittedTool, toolset } from '../../tools/registry.ts';
import { SKILL_TOOLS } from '../../tools/skills/skill-source.ts';
import { skillWritingTools } from '../../tools/skills/writing/writing-source.ts';
import { type BashIsolation, isUnprotected } from './bash-isolation.ts';
import { remarkAt } from './faculty-remarks.ts';

/**
 * What the faculty may do on this host: the tools that it has, and tools of servers that its rules name. Empty for a command in place of a model.
 * `hasSkills`: there are skills for it.
 */
export function permissionsOf(
  faculty: Faculty,
  bash: BashIsolation | null,
  hasSkills = false,
): readonly PermissionRow[] {
  const { engage, permissions, mcp = [] } = faculty;
  if (permissions === undefined || engage.mode !== 'builtin') return [];
  const code = engage.codeExecution ? [CODE_TOOL] : [];
  const children = faculty.children ? childTools(faculty.children) : [];
  const skills = [...(hasSkills ? SKILL_TOOLS : []), ...skillWritingTools(faculty)];
  const chosen = [...code, ...children, ...awarenessTools(faculty), ...skills];
  const own = [...toolset(engage.tools, undefined, chosen).values()].map(permittedTool);
  const listed = mcp.flatMap(({ name, tools, risk }) =>
    (tools === '*' ? ['*'] : tools).map(
      (tool) => [tool === '*' ? `${MCP_PREFIX}${name}_*` : mcpToolName(name, tool), risk] as const,
    ),
  );
  const ruled = permissions.rules
    .map(({ tool }) => [tool, 'network'] as const)
    .filter(([tool]) => tool.startsWith(MCP_PREFIX));
  // What the faculty says about a tool comes last, so that it counts.
  const servers = [...new Map<string, RiskClass>([...ruled, ...listed])].map(
    ([name, risk]): PermittedTool => ({ name, risk, origin: 'server', kinds: {} }),
  );
  return permissionTable(permissions, [...own, ...servers], isUnprotected(bash));
}

/** Prints a line per tool, and below it one per rule about its input. */
export function showPermissions(output: Output, { file, permissions }: Faculty, rows: readonly PermissionRow[]): void {
  if (rows.length === 0 || permissions === undefined) return;
  const from = (at: string | null) => (at === null ? '' : at.replace(`${dirname(file)}/${basename(file)}:`, 'line '));
  const by = ({ rule, at }: PermissionRow) => (at === null ? styled(rule, 'dim') : `${rule}, ${from(at)}`);
  output.line();
  output.table(
    [
      { title: 'MAY CALL', shrink: true },
      { title: 'VERDICT' },
      { title: 'RISK', optional: true },
      { title: 'BY', shrink: true },
    ],
    rows.flatMap((row) => [
      [row.tool, labelOf(row.verdict), row.risk, by(row)],
      ...row.patterns.map(({ rule, verdict, at }) => [`  ${rule}`, labelOf(verdict), '', from(at)]),
    ]),
  );
  if (rows.some(({ verdict, patterns }) => verdict === 'ask' || patterns.some((one) => one.verdict === 'ask'))) {
    const time = duration(permissions.approvalDeadlineSeconds * 1000);
    output.note(`a person has ${time} to decide about a call that asks; then it is denied`);
    if (permissions.fourEyes) output.note('four eyes: those who submitted the work or wrote to it cannot approve');
  }
}

const STYLES: Readonly<Record<Verdict, Style>> = { auto: 'green', ask: 'yellow', forbid: 'red' };

function labelOf(verdict: Verdict): Part {
  return styled(verdict, STYLES[verdict]);
}

const WEB = ['web_fetch', 'web_search'];
const FILES = ['read_file', 'write_file', 'edit_file', 'apply_patch', 'list_dir', 'glob', 'grep'];

/** Rules that allow more than they seem to, or nothing. */
export function permissionRemarks(faculty: Faculty, bash: BashIsolation | null): readonly Problem[] {
  // Skills may be added after the rules.
  const rows = permissionsOf(faculty, bash, true);
  const rules = faculty.permissions?.rules ?? [];
  const isAuto = (name: string) => rows.some(({ tool, verdict }) => tool === name && verdict === 'auto');
  const remarks: Problem[] = [];
  const servers = (faculty.mcp ?? []).map(({ name }) => name).join(', ');
  const remark = (detail: string, at: string | null | undefined, key: string) =>
    remarks.push(remarkAt(faculty, detail, at, key));
  const web = WEB.filter(isAuto);
  if (isUnprotected(bash) && isAuto('bash') && web.length > 0)
    remark(
      `${web.join(' and ')} and bash run without a person, and commands are not isolated: a page that the agent reads can make it run commands as the daemon's user`,
      faculty.origins['engage.tools'],
      'engage.tools',
    );
  for (const { tool, key, at, verdict, patterns } of rules) {
    const path = `permissions.${JSON.stringify(key)}`;
    if (tool === '*' && verdict === 'auto' && servers !== '')
      remark(`every tool of the MCP servers also runs without a person (${servers})`, at, path);
    const more = tool === 'bash' && verdict === 'auto' ? (patterns ?? []).map((one) => starAllows(one.pattern)) : [];
    const example = more.find((one) => one !== null);
    if (example)
      remark(`the star also allows ${JSON.stringify(example)}; write out in full the commands that you mean`, at, path);
    if (FILES.includes(tool) && patterns !== null && verdict !== 'auto' && isAuto('bash'))
      remark('bash runs without a person and can reach the same files', at, path);
    const isOwn = tool.endsWith('*') || tool.startsWith('mcp_') || rows.some((row) => row.tool === tool);
    if (!isOwn && rows.length > 0) remark(`has no effect: ${tool} is not one of the faculty's tools`, at, path);
  }
  return remarks;
}
