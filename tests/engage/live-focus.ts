/** A focus on a real Postgres with a strict model server, run by the real loop, for tests of the requests. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { OutcomeSchema } from '../../src/catalog/faculty/outcome-schema.ts';
import { UNLEASED } from '../../src/core/lifecycle/lease.ts';
import { createJournal } from '../../src/engage/calls/journal.ts';
import { createSight } from '../../src/engage/calls/sight.ts';
import type { ContextBounds } from '../../src/engage/turn/loop-state.ts';
import type { EngageEnd } from '../../src/engage/verdict/engage-end.ts';
import type { LlmRequest } from '../../src/llm/client.ts';
import { createLlm } from '../../src/llm/llm.ts';
import { mediaTokens } from '../../src/llm/media/media-tokens.ts';
import { costUsd } from '../../src/llm/models/cost.ts';
import type { ModelOverride } from '../../src/llm/models/model-info.ts';
import { wordsInRequest } from '../../src/llm/wires.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { type FocusKey, startFocus } from '../../src/store/transcript/focus-row.ts';
import { addMessage } from '../../src/store/transcript/messages.ts';
import { claimWork } from '../../src/store/work/work.ts';
import { createSeenFiles } from '../../src/tools/files/seen-files.ts';
import { toolSpecs, toolset } from '../../src/tools/registry.ts';
import { createBackgroundCommands } from '../../src/tools/shell/background-commands.ts';
import { type Tool, worldTool } from '../../src/tools/tool.ts';
import { png } from '../support/media-files.ts';
import { type AnthropicAnswer, type AnthropicProgramme, type HttpAnswer } from '../support/model-server/anthropic.ts';
import { MODEL, PROVIDER, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { engage } from '../support/run-loop.ts';

const BASE_URLS = { anthropic: (url: string) => url, openai: (url: string) => `${url}/v1` };
const SYSTEM = 'You keep the books.';

/** Returns a result of `bytes` bytes that begins with `name`. */
const look = worldTool({
  name: 'look',
  description: 'Looks something up.',
  risk: 'read',
  idempotent: true,
  input: z.strictObject({ name: z.string(), bytes: z.int().default(2000) }),
  run: async ({ name, bytes }) => ({ content: `${name}: `.padEnd(bytes, 'lorem ipsum ') }),
});

/** Returns black PNGs, each a pixel higher than the one before. */
const photograph = worldTool({
  name: 'photograph',
  description: 'Takes a picture.',
  risk: 'read',
  idempotent: true,
  input: z.strictObject({ names: z.array(z.string()), size: z.int().default(20), artifact: z.uuid().optional() }),
  run: async ({ names, size, artifact }) => ({
    content: `${names.length} taken`,
    files: names.map((name, n) => ({
      name,
      mediaType: 'image/png',
      bytes: png(size, size + n),
      ...(artifact && { artifactId: artifact }),
    })),
  }),
});

const TOOLS: ReadonlyMap<string, Tool> = new Map([...toolset([]), ['look', look], ['photograph', photograph]]);

/** A focus that was started and can be run repeatedly, as after a crash. */
export interface LiveFocus {
  readonly key: FocusKey;
  readonly server: ModelServer;
  /** Bodies of the requests that were accepted, in order. */
  bodies(): Json[];
  /** Runs the loop from the recorded state until it ends, or until it has taken `drainAfterTurns` more turns. */
  run(drainAfterTurns?: number): Promise<EngageEnd>;
}

type Json = Record<string, unknown>;

export interface LiveFocusOptions {
  readonly bounds?: Partial<ContextBounds>;
  readonly maxTurns?: number;
  readonly info?: ModelOverride;
  readonly settings?: Partial<LlmRequest>;
  /** What the outcome must conform to; the model is held to it as far as `info` says it can be. */
  readonly outcomeSchema?: OutcomeSchema;
}

/** Starts a focus on a new work item; its model is a strict mock server that plays `programme`. */
export async function beginFocus(
  db: Database,
  programme: AnthropicProgramme | readonly (AnthropicAnswer | HttpAnswer)[],
  options: LiveFocusOptions = {},
): Promise<LiveFocus> {
  const server = await startModelServer(programme);
  const llm = createLlm({
    providers: {
      [PROVIDER]: {
        kind: PROVIDER,
        baseUrl: BASE_URLS[PROVIDER](server.url),
        apiKey: 'test-key',
        retry: { maxAttempts: 1 },
      },
    },
    defaultProvider: PROVIDER,
    models: options.info ? { [`${PROVIDER}/${MODEL.replace(/^openai\//, '')}`]: options.info } : {},
  });
  onTestFinished(async () => {
    await llm.stop();
    await server.close();
  });
  const key = await claimOne(db);
  await addMessage(db, key, { afterTurn: 0, kind: 'orient', content: '# Work\nKeep the books.' }, 10);
  return {
    key,
    server,
    bodies: () => server.requests.filter(({ refused }) => refused === null).map(({ json }) => json!),
    run: (drainAfterTurns = Infinity) => runLoop(db, key, llm, options, drainAfterTurns),
  };
}

async function claimOne(db: Database): Promise<FocusKey> {
  const faculty = `clerk-${randomUUID()}`;
  await db.query(`insert into animus.work_items (faculty, description) values ($1, 'Keep the books')`, [faculty]);
  const claimable = { [faculty]: { max: 1, max_attempts: 3, dedup_until: 'resolved' as const } };
  const [work] = await claimWork(db, randomUUID(), claimable, 1, 600);
  const row = await startFocus(db, work!, {
    host: 'here',
    directoryRoot: '/nowhere',
    facultySnapshot: {},
    systemPrompt: SYSTEM,
    tools: toolSpecs(TOOLS),
  });
  return { workItemId: work!.id, leaseToken: work!.leaseToken, focusId: row.id };
}

function runLoop(
  db: Database,
  key: FocusKey,
  llm: ReturnType<typeof createLlm>,
  { bounds, maxTurns = 100, settings, outcomeSchema }: LiveFocusOptions,
  drainAfterTurns: number,
): Promise<EngageEnd> {
  const resolved = llm.resolve(MODEL);
  const { client, provider, model, info } = resolved;
  const drain = new AbortController();
  let turns = 0;
  return engage({
    db,
    focus: key,
    model: {
      client,
      provider,
      model,
      contextWindow: info.contextWindow,
      settings: {
        maxTokens: 1000,
        ...(outcomeSchema && { outputSchema: { name: 'outcome', schema: outcomeSchema } }),
        ...settings,
      },
      timeouts: {},
      costUsd: (usage) => costUsd(info, usage) ?? 0,
    },
    systemPrompt: SYSTEM,
    toolSpecs: toolSpecs(TOOLS),
    toolset: TOOLS,
    gates: [],
    faculty: 'clerk',
    journal: createJournal(db, key),
    maxTurns,
    outcomeSchema: outcomeSchema ?? null,
    closingTurn: info.structuredOutputs === 'closing',
    maxParallelTools: 8,
    sight: createSight(
      {
        unseen(media) {
          const words = wordsInRequest(resolved, media);
          return { by: words === null ? [] : [{ model, words }], byAll: words !== null };
        },
        tokens: (media) => mediaTokens(media, model, info),
      },
      { files: 20, bytes: 20 * 1024 * 1024, tokens: info.contextWindow / 3 },
    ),
    bounds: {
      compactThreshold: 0.7,
      compactKeepRecent: 10,
      ledgerNudgeInterval: 0,
      truncateClosedBlocks: true,
      ...bounds,
    },
    signal: new AbortController().signal,
    drain: drain.signal,
    onEvent(event) {
      if (event.type !== 'turn') return;
      turns += 1;
      if (turns >= drainAfterTurns) drain.abort();
    },
    callScope: {
      ...key,
      faculty: 'clerk',
      workspace: '/nowhere',
      timeoutMs: 10_000,
      processes: null as never, // no tool of this focus starts a process
      background: createBackgroundCommands(),
      lease: UNLEASED,
      isolation: 'none',
      home: () => Promise.reject(new Error('no tool of this focus starts a process')),
      seenFiles: createSeenFiles(async () => []),
      makeDirectory: async () => {},
      fileRules: () => [],
    },
  });
}
