/** Shows the tools of MCP servers beside what was pinned. */
import { structuredPatch } from 'diff';
import { harmless, visibleLines } from '../../core/text/harmless.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import type { ComparedTool } from '../../tools/mcp/inspect-server.ts';
import type { McpReport } from './check-servers.ts';

const INDENT = ' '.repeat(9);
/** Lines around a change. */
const CONTEXT = 3;
/** More take seconds to find. */
const MAX_EDITS = 1000;

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
    for (const line of differences(tool)) output.block(line, `${INDENT}    `);
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
      differences: state === 'changed' ? differences({ pin, live }).map((line) => line.trimEnd()) : null,
    })),
  };
}

/** The whole change as a unified diff, in its order; of a new tool, all its lines. */
function differences({ pin, live }: Pick<ComparedTool, 'pin' | 'live'>): readonly string[] {
  if (live === null) return [];
  const [before, after] = [linesOf(pin), linesOf(live)];
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS } as const;
  const patch = structuredPatch('', '', before.join(''), after.join(''), '', '', options);
  // Texts that have little in common.
  if (patch === undefined) return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  const lines = patch.hunks.flatMap((hunk) => [`@@ line ${hunk.newStart} @@`, ...hunk.lines]);
  return lines.length > 0 ? lines : [UNSEEN];
}

const UNSEEN =
  '(parts that models do not see: its title, its output schema, or what is left out of its description and input schema)';

/** Each with its end. Characters that nobody sees, and spaces at the end of a line, are shown as escapes. */
function linesOf(tool: ComparedTool['live']): readonly string[] {
  if (tool === null) return [];
  const schema = JSON.stringify(tool.inputSchema, null, 2);
  return [...visibleLines(tool.description), ...visibleLines(schema)].map((line) => {
    const seen = line.trimEnd();
    return `${seen}${'\\x20'.repeat(line.length - seen.length)}\n`;
  });
}
