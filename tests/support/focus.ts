/** A focus on a real database, ready to engage: claimed, started, with a scripted model. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import { UNLEASED } from '../../src/core/lifecycle/lease.ts';
import { createJournal } from '../../src/engage/calls/journal.ts';
import type { FocusEventBody } from '../../src/engage/events/events.ts';
import { parseScript } from '../../src/llm/scripted/script.ts';
import { scriptedClient } from '../../src/llm/scripted/scripted-client.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type FocusKey, startFocus } from '../../src/store/transcript/focus-row.ts';
import { addMessage } from '../../src/store/transcript/messages.ts';
import { claimWork } from '../../src/store/work/work.ts';
import { createSeenFiles } from '../../src/tools/files/seen-files.ts';
import { LEDGER_TOOLS } from '../../src/tools/ledger.ts';
import { toolSpecs } from '../../src/tools/registry.ts';
import { createBackgroundCommands } from '../../src/tools/shell/background-commands.ts';
import { type Tool, type ToolOutput, worldTool } from '../../src/tools/tool.ts';
import type { LoopParts } from './run-loop.ts';

export interface TestFocus {
  readonly key: FocusKey;
  readonly daemonId: string;
  readonly events: FocusEventBody[];
  /** The input of `engage`. Each call creates a new journal, as another process would. */
  means(overrides?: Partial<LoopParts>): LoopParts;
}

/** Inserts a work item of a new faculty (or of the named one), claims it and starts its focus, with an orient message as the first one. */
export async function startTestFocus(
  db: Database,
  options: {
    readonly script: string;
    /** Foci of the same faculty may be started at once: each claims some item of it. */
    readonly faculty?: string;
    readonly tools?: readonly Tool[];
    readonly leaseSeconds?: number;
    /** The first message. */
    readonly orient?: string;
  },
): Promise<TestFocus> {
  const faculty = options.faculty ?? `f_${randomUUID().slice(0, 8)}`;
  const daemonId = randomUUID();
  await db.query(`insert into animus.work_items (faculty, description) values ($1, 'do it')`, [faculty]);
  const claimable = { [faculty]: { max: 1000, max_attempts: 3, dedup_until: 'resolved' as const } };
  const [work] = await claimWork(db, daemonId, claimable, 1, options.leaseSeconds ?? 60);
  const tools = new Map([...LEDGER_TOOLS, ...(options.tools ?? [])].map((tool) => [tool.name, tool]));
  const row = await startFocus(db, work!, {
    host: 'test',
    directoryRoot: '/tmp',
    facultySnapshot: {},
    systemPrompt: 'You are tested.',
    tools: toolSpecs(tools),
  });
  const key: FocusKey = { workItemId: work!.id, leaseToken: work!.leaseToken, focusId: row.id };
  await addMessage(db, key, { afterTurn: 0, kind: 'orient', content: options.orient ?? 'Do it.' }, 3);
  const events: FocusEventBody[] = [];
  return {
    key,
    daemonId,
    events,
    means: (overrides = {}) => ({
      db,
      focus: key,
      model: {
        client: scriptedClient('scripted', parseScript(options.script, 'test.toml'), systemClock),
        provider: 'scripted',
        model: 'test',
        settings: { maxTokens: 1000 },
        timeouts: {},
        contextWindow: 200_000,
        costUsd: () => 0.01,
      },
      systemPrompt: 'You are tested.',
      toolSpecs: row.tools,
      gates: [],
      toolset: tools,
      journal: createJournal(db, key),
      faculty,
      maxTurns: 20,
      outcomeSchema: null,
      bounds: {
        compactThreshold: 0.7,
        compactKeepRecent: 10,
        ledgerNudgeInterval: 0,
        truncateClosedBlocks: true,
      },
      maxParallelTools: 8,
      signal: new AbortController().signal,
      drain: new AbortController().signal,
      onEvent: (event) => events.push(event),
      callScope: {
        ...key,
        faculty,
        workspace: '/tmp',
        timeoutMs: 60_000,
        processes: createProcessHost(), // starts no process before the first run
        background: createBackgroundCommands(),
        lease: UNLEASED,
        isolation: 'none',
        home: async () => ({ directory: '/tmp', caches: {} }),
        seenFiles: createSeenFiles(async () => []),
        makeDirectory: async () => {},
        fileRules: () => [],
      },
      ...overrides,
    }),
  };
}

/** A world tool named `name` that calls `act` with its free-form input. */
export function testTool(
  name: string,
  act: (input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutput>,
  idempotent = false,
): Tool {
  return worldTool({
    name,
    description: name,
    risk: 'read',
    idempotent,
    input: z.looseObject({}),
    run: (input, context) => act(input, context.signal),
  });
}
