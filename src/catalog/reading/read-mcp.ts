/** Reads the MCP servers of a faculty, and finds settings that contradict each other. */
import { showValue } from '../../core/errors/problem.ts';
import type { FacultyDocument } from '../faculty/faculty-schema.ts';
import type { McpServer } from '../faculty/mcp-server.ts';
import { modeOf, writtenMode } from '../faculty/modes.ts';
import { conflict, type FacultyCheck, given } from './faculty-check.ts';
import { hookProblem, programAt } from './faculty-hooks.ts';

type Written = NonNullable<FacultyDocument['faculty']['mcp']>[string];

/** The servers in the order written; those with problems are left out. */
export function readMcpServers(check: FacultyCheck): readonly McpServer[] {
  const servers = Object.entries(check.document.sound?.faculty.mcp ?? {});
  const mode = writtenMode(check.document.written('faculty', 'engage', 'mode'));
  if (servers.length > 0 && modeOf(mode).needs !== 'model') {
    conflict(check, ['mcp'], `mode "${mode}" has no model that could call tools; remove the servers`);
  }
  return servers.map(([name, written]) => {
    checkServer(check, name, written);
    return serverOf(check, name, written);
  });
}

function serverOf({ directory }: FacultyCheck, name: string, written: Written): McpServer {
  const { command, args, url, env, headers, tools, idempotent, risk, start_timeout_seconds } = written;
  return {
    name,
    command: command === undefined ? null : programAt(directory, command),
    args,
    url: url ?? null,
    environment: env,
    headers,
    tools: tools.includes('*') ? '*' : tools,
    idempotent,
    risk: risk ?? (url === undefined ? 'execute' : 'network'),
    startTimeoutSeconds: start_timeout_seconds,
  };
}

function checkServer(check: FacultyCheck, name: string, written: Written): void {
  const { command, url, tools, idempotent } = written;
  const at = (...keys: readonly string[]): readonly string[] => ['mcp', name, ...keys];
  if ((command === undefined) === (url === undefined)) {
    conflict(check, at(), 'needs either command, a program to start, or url, the address of a running server');
  }
  const only = (keys: readonly (keyof Written)[], reason: string): void => {
    for (const key of keys) {
      if (given(check, ...at(key)) !== undefined) conflict(check, at(key), reason);
    }
  };
  if (command === undefined) only(['args', 'env'], 'is only for a server with a command');
  if (url === undefined) only(['headers'], 'is only for a server with a url');
  const problem = command === undefined ? null : hookProblem(command, programAt(check.directory, command));
  if (problem !== null) conflict(check, at('command'), problem);
  if (tools.includes('*') && tools.length > 1)
    conflict(check, at('tools'), 'has "*", which means all; remove the others');
  for (const [index, tool] of tools.entries()) {
    if (tools.indexOf(tool) !== index) conflict(check, at('tools'), `${showValue(tool)} is listed twice`);
  }
  for (const tool of idempotent) {
    if (!tools.includes('*') && !tools.includes(tool)) {
      conflict(check, at('idempotent'), `${showValue(tool)} is not in tools`);
    }
  }
}
