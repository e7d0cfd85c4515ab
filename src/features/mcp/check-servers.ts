/** `animus faculty check --mcp|--pin`: compares the tools of MCP servers with what was pinned, and pins them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { McpServer } from '../../catalog/faculty/mcp-server.ts';
import type { Config } from '../../core/config/config.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { createFileGuard } from '../../daemon/guard/file-guard.ts';
import { mcpVariables } from '../../daemon/guard/mcp-variables.ts';
import {
  giveFocusDirectory,
  makeFocusDirectory,
  removeFocusDirectory,
} from '../../daemon/workspace/focus-directory.ts';
import { focusHome } from '../../daemon/workspace/focus-home.ts';
import { createProcessHost } from '../../process/host/supervised-host.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation } from '../../process/process-host.ts';
import type { Database } from '../../store/sql/database.ts';
import { pinMcpTools, readMcpPins } from '../../store/work/mcp-pins.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Invocation } from '../../terminal/command/command.ts';
import { version } from '../../terminal/command/version.ts';
import { type ComparedTool, compareTools, inspectServer } from '../../tools/mcp/inspect-server.ts';
import type { ServerPlace } from '../../tools/mcp/open-transport.ts';

/** One server of one faculty. */
export interface McpReport {
  readonly faculty: string;
  readonly server: string;
  /** Why the server could not be asked; null if it could. */
  readonly problem: string | null;
  readonly tools: readonly ComparedTool[];
  /** Whether its tools were pinned just now. */
  readonly pinned: boolean;
}

/** The isolation in which a faculty's servers start on this host. Null: they do not, and the sentence says why, after «it is started». */
export type IsolationOf = (
  faculty: Faculty,
  home: string,
) => Promise<{ readonly isolation: Isolation | null; readonly sentence: string }>;

/** Starts every server of the faculties, one after the other. With `pin`, pins all tools that can be used. */
export async function checkMcpServers(
  faculties: readonly Faculty[],
  directory: string,
  invocation: Invocation,
  db: Database,
  { pin, isolationOf }: { readonly pin: boolean; readonly isolationOf: IsolationOf },
): Promise<readonly McpReport[]> {
  const { context } = invocation;
  const config = await invocation.config();
  const reports: McpReport[] = [];
  for (const faculty of faculties) {
    const settings = { version: version(), variable: mcpVariables(config, context.env, context.cwd) };
    const isolated = await isolationOf(faculty, config.home);
    await inPlace(faculty, isolated, { faculties, directory, config, context }, async (place) => {
      for (const server of faculty.mcp ?? []) {
        const found = 'problem' in place ? place : await inspectServer(server, place, settings, context.signals.drain);
        reports.push(await reportOf(faculty, server, found, db, pin));
      }
    });
  }
  return reports;
}

async function reportOf(
  { name: faculty }: Faculty,
  server: McpServer,
  found: Awaited<ReturnType<typeof inspectServer>>,
  db: Database,
  pin: boolean,
): Promise<McpReport> {
  const of = { faculty, server: server.name };
  if ('problem' in found) return { ...of, problem: found.problem, tools: [], pinned: false };
  const tools = await compareTools(server, found.tools, await readMcpPins(db, faculty));
  const usable = tools.flatMap(({ live }) => live ?? []);
  const pinned = pin && tools.some(({ state, pin: old }) => state !== 'same' || old?.problem !== null);
  if (pinned) await pinMcpTools(db, faculty, server.name, usable);
  return { ...of, problem: null, tools, pinned };
}

/** A server gets none, and here they would be made in a directory that is removed. */
function withoutCaches(faculty: Faculty): Faculty {
  return { ...faculty, caches: [] };
}

interface Here extends Pick<Invocation, 'context'> {
  readonly faculties: readonly Faculty[];
  readonly directory: string;
  readonly config: Config;
}

/** As in a focus: in the isolation of the faculty, and in its workspace or an empty directory. */
async function inPlace(
  faculty: Faculty,
  { isolation, sentence }: Awaited<ReturnType<IsolationOf>>,
  { faculties, directory, config, context: { env, cwd } }: Here,
  work: (place: ServerPlace | { readonly problem: string }) => Promise<void>,
): Promise<void> {
  if (isolation === null) return work({ problem: `it is started ${sentence}` });
  const processes = createProcessHost();
  // As below ANIMUS_HOME: the home is beside the parent of the directory.
  const site = mkdtempSync(join(tmpdir(), 'animus-mcp-'));
  const empty = join(site, 'foci', randomUUID());
  const byName = new Map(faculties.map((each) => [each.name, each]));
  const guard = createFileGuard({
    config,
    env,
    cwd,
    facultiesDir: resolve(cwd, directory),
    faculties: () => byName,
    clock: systemClock,
    log: silentLog,
  });
  try {
    await makeFocusDirectory(empty);
    const place = faculty.workspace ?? faculty.repo;
    if (runsAsOwner(isolation)) await giveFocusDirectory(empty, place);
    const workspace = place ?? empty;
    const home = focusHome({
      directory: empty,
      faculty: withoutCaches(faculty),
      isolation,
      goesOn: false,
      log: silentLog,
    });
    const fileRules = guard.rulesOf({ directory: empty, faculty })();
    await work({
      faculty: faculty.name,
      workItemId: `check-${faculty.name}`,
      workspace,
      home: home.open,
      processes,
      isolation,
      fileRules,
    });
  } finally {
    guard.close();
    await processes.stop();
    await removeFocusDirectory(empty);
    rmSync(site, { recursive: true, force: true });
  }
}
