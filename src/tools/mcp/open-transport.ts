/** Opens the transport to an MCP server: starts its process, or connects to its URL. */
import { tmpdir } from 'node:os';
import type * as Sdk from '@modelcontextprotocol/client';
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import type { ProcessEnd } from '../../process/process-host.ts';
import type { ToolContext } from '../tool.ts';
import { httpTransport } from './http-transport.ts';
import type { McpSettings } from './mcp-settings.ts';
import { type EndingTransport, stdioTransport } from './stdio-transport.ts';

/** Where a server's process runs. */
export type ServerPlace = Pick<
  ToolContext,
  'faculty' | 'workItemId' | 'workspace' | 'home' | 'processes' | 'isolation' | 'fileRules'
>;

/** A transport that was opened. */
export interface OpenedTransport {
  readonly transport: EndingTransport;
  /** Of a process: how it ended. */
  readonly exited: Promise<ProcessEnd> | null;
  /** Replaces the secrets that the server was given. */
  mask(text: string): string;
}

/** `signal` ends a process. A variable that is not set is a problem. */
export async function openTransport(
  sdk: typeof Sdk,
  server: McpServer,
  place: ServerPlace,
  settings: Pick<McpSettings, 'variable'>,
  signal: AbortSignal,
): Promise<OpenedTransport | { readonly problem: string }> {
  const names = [...server.environment, ...Object.values(server.headers)];
  const values = new Map(names.map((name) => [name, settings.variable(name)]));
  const unset = names.find((name) => values.get(name) === null);
  if (unset !== undefined)
    return { problem: `the variable ${unset} of the daemon is not set, or is one of its own secrets` };
  const valueOf = (name: string): string => values.get(name)!.reveal();
  const mask = masker(names.map(valueOf));
  if (server.url !== null) {
    const headers = Object.entries(server.headers).map(([header, name]) => [header, valueOf(name)] as const);
    return { transport: httpTransport(sdk, server.url, Object.fromEntries(headers)), exited: null, mask };
  }
  const { directory: home } = await place.home();
  const process = place.processes.launch(
    {
      owner: place.workItemId,
      command: server.command!,
      args: server.args,
      cwd: place.workspace,
      env: {
        ...baseEnvironment(place.workItemId, home),
        ...Object.fromEntries(server.environment.map((name) => [name, valueOf(name)])),
      },
      stdin: 'pipe',
      isolation: place.isolation,
      fileRules: place.fileRules,
    },
    signal,
  );
  return { transport: stdioTransport(process, sdk.parseJSONRPCMessage), exited: process.exited, mask };
}

/** As a command of `bash` has it, but without shared caches: what an agent put there must not run with the secrets of a server. */
function baseEnvironment(workItemId: string, home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: tmpdir(),
    ANIMUS_WORK_ID: workItemId,
  };
}

/** A shorter value would be found in ordinary words. */
const MIN_MASKED_CHARS = 6;

function masker(secrets: readonly string[]): (text: string) => string {
  const long = secrets.filter((secret) => secret.length >= MIN_MASKED_CHARS);
  return (text) => long.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
