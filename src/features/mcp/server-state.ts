/** What `animus faculty check` says about MCP servers. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import type { McpPin } from '../../store/work/mcp-pins.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import type { IsolationOf } from './check-servers.ts';

/** Shown with each faculty, and in the document. */
export interface McpState {
  readonly ok: boolean;
  readonly document: unknown;
  show(faculty: string): void;
}

export interface McpOptions {
  readonly mcp?: boolean;
  readonly pin?: boolean;
  readonly isolationOf: IsolationOf;
}

/**
 * Without options only the pins are read, and only if a faculty has servers; a database that cannot be reached is a remark. With `mcp` or `pin`
 * the servers are started: a tool that differs (and was not pinned now) makes the check fail.
 */
export async function mcpStateOf(
  faculties: readonly Faculty[],
  directory: string,
  invocation: Invocation,
  { mcp, pin, isolationOf }: McpOptions,
): Promise<McpState> {
  const { output } = invocation;
  const own = faculties.filter(({ mcp = [] }) => mcp.length > 0);
  if (own.length === 0) return { ok: true, document: [], show: () => {} };
  const { withDatabase } = await import('../../terminal/command/database.ts');
  if (mcp === true || pin === true) {
    const { checkMcpServers } = await import('./check-servers.ts');
    const { mcpReportJson, showMcpReport } = await import('./show-servers.ts');
    const reports = await withDatabase(invocation, (db) =>
      checkMcpServers(own, directory, invocation, db, { pin: pin === true, isolationOf }),
    );
    return {
      ok: reports.every(
        ({ problem, tools, pinned }) =>
          problem === null && tools.every((tool) => tool.problem === null && (pinned || tool.state === 'same')),
      ),
      document: reports.map(mcpReportJson),
      show: (name) =>
        reports.filter(({ faculty }) => faculty === name).forEach((report) => showMcpReport(report, output)),
    };
  }
  const remarks = await pinRemarksOf(own, invocation);
  return {
    ok: true,
    document: remarks.map(([faculty, remark]) => ({ faculty, remark })),
    show: (name) => {
      for (const [faculty, remark] of remarks) if (faculty === name) output.block(`remark   ${remark}`);
    },
  };
}

async function pinRemarksOf(
  faculties: readonly Faculty[],
  invocation: Invocation,
): Promise<readonly (readonly [string, string])[]> {
  const { withDatabase } = await import('../../terminal/command/database.ts');
  const { readMcpPins } = await import('../../store/work/mcp-pins.ts');
  const { pinRemarks } = await import('../../tools/mcp/selected-pins.ts');
  const remarksOf = (faculty: Faculty, pins: readonly McpPin[]) =>
    pinRemarks(faculty, pins).map((remark) => [faculty.name, remark] as const);
  const { databaseUrl, home } = await invocation.reach();
  // A check does not create a database.
  if (databaseUrl === null && !existsSync(join(home, 'db'))) return faculties.flatMap((one) => remarksOf(one, []));
  try {
    return await withDatabase(invocation, async (db) => {
      const remarks: (readonly [string, string])[] = [];
      for (const faculty of faculties) {
        remarks.push(...remarksOf(faculty, await readMcpPins(db, faculty.name)));
      }
      return remarks;
    });
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    return faculties.map(
      ({ name }) => [name, `the pins of its MCP servers were not checked: ${error.message}`] as const,
    );
  }
}
