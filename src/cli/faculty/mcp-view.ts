/** Shows the tools of MCP servers beside what was pinned. */
import { harmless } from '../../core/text/harmless.ts';
import type { ComparedTool } from '../../tools/mcp/inspect-server.ts';
import { type Output, styled } from '../view/output.ts';
import { counted } from '../view/quantities.ts';
import type { McpReport } from './mcp-check.ts';

const INDENT = ' '.repeat(9);
/** Of the difference of one tool. */
const MAX_LINES = 40;

/** Prints one server. What differs is shown line by line. */
export function showMcpReport({ server, problem, tools, pinned }: McpReport, output: Output): void {
  const title = `mcp ${server}: `;
  if (problem !== null) return output.block(`${title}cannot be used: ${harmless(problem)}`, INDENT);
  const same = tools.filter(({ state }) => state === 'same').length;
  output.block(`${title}${counted(same, 'tool')} as pinned${same === tools.length ? '' : ', others:'}`, INDENT);
  for (const tool of tools.filter(({ state }) => state !== 'same')) {
    output.line(
      INDENT,
      '  ',
      styled(tool.state.padEnd(9), tool.problem === null ? 'yellow' : 'red'),
      harmless(tool.name),
    );
    if (tool.problem !== null) output.block(harmless(tool.problem), `${INDENT}    `);
    for (const line of differences(tool)) output.line(INDENT, '    ', harmless(line));
  }
  if (pinned) output.block(`${title}pinned`, INDENT);
}

/** As a document for programs. */
export function mcpReportJson({ faculty, server, problem, tools, pinned }: McpReport) {
  return {
    faculty,
    server,
    problem,
    pinned,
    tools: tools.map(({ name, state, problem: of, pin, live }) => ({
      name,
      state,
      problem: of,
      pinned_at: pin?.pinnedAt ?? null,
      pinned_by: pin?.pinnedBy ?? null,
      description: live?.description ?? null,
      input_schema: live?.inputSchema ?? null,
    })),
  };
}

/** Lines of the pinned definition that are gone (-), and lines that are new (+). */
function differences({ pin, live }: Pick<ComparedTool, 'pin' | 'live'>): readonly string[] {
  if (live === null) return [];
  const [before, after] = [linesOf(pin), linesOf(live)];
  const lines = [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
  if (lines.length === 0) return ['(a part of its definition that models do not see)'];
  return lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more lines`];
}

function linesOf(tool: ComparedTool['live']): readonly string[] {
  if (tool === null) return [];
  return [...tool.description.split('\n'), ...JSON.stringify(tool.inputSchema, null, 2).split('\n')];
}
