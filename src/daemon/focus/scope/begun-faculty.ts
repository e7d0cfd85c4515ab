/** Which settings a focus keeps from the faculty it began with, and which it does not. */
import { z } from 'zod';
import type { EngageSettings, Faculty } from '../../../catalog/faculty/faculty.ts';
import { CACHE_TTLS, EFFORTS, SERVICE_TIERS } from '../../../core/config/model-words.ts';

/**
 * What the requests of a focus are made of, beside its prompt and its list of tools: they have to stay the same, byte for
 * byte, when it is resumed. Missing in what an earlier animus recorded.
 */
const requestSettings = z
  .object({
    model: z.string(),
    fallbackModels: z.array(z.string()),
    maxTokens: z.number(),
    temperature: z.number().nullable(),
    thinkingBudgetTokens: z.number().nullable(),
    effort: z.enum(EFFORTS).nullable(),
    serviceTier: z.enum(SERVICE_TIERS).nullable(),
    cacheTtl: z.enum(CACHE_TTLS).nullable(),
    stop: z.array(z.string()),
    batch: z.boolean(),
    outcomeSchema: z.record(z.string(), z.unknown()).nullable(),
    structuredOutputs: z.boolean(),
    strictTools: z.boolean(),
    compactThreshold: z.number(),
    compactKeepRecent: z.number(),
    ledgerNudgeInterval: z.number(),
    truncateClosedBlocks: z.boolean(),
  } satisfies Partial<Record<keyof EngageSettings, z.ZodType>>)
  .partial();

/** What an earlier animus recorded, under today's names; it sent neither schemas of outcomes nor strict tools. */
function inTodaysWords(engage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('effort' in engage) return engage;
  const { reasoningEffort: effort, ...same } = engage;
  return { ...same, effort, serviceTier: null, cacheTtl: null, structuredOutputs: false, strictTools: false };
}

/**
 * The loaded faculty with the request settings of the recorded one. Everything that grants power is the loaded one's:
 * isolation, hooks, workspace, repository, tools that run, limits. Whoever can write to the database, or got there
 * through a fault, gains nothing by a row. A record that cannot be read counts as none; so does one of another mode.
 */
export function asBegun(loaded: Faculty, recorded: unknown): Faculty {
  const { engage } =
    z.object({ engage: z.looseObject({ mode: z.string().optional() }) }).safeParse(recorded).data ?? {};
  const settings = requestSettings.safeParse(engage && inTodaysWords(engage));
  if (!settings.success || (engage?.mode ?? 'builtin') !== loaded.engage.mode) return loaded;
  const kept = Object.entries(settings.data).filter(([, value]) => value !== undefined);
  return { ...loaded, engage: { ...loaded.engage, ...(Object.fromEntries(kept) as Partial<EngageSettings>) } };
}
