/** Which settings a focus keeps from the faculty it began with, and which it does not. */
import { z } from 'zod';
import type { EngageSettings, Faculty } from '../../../catalog/faculty/faculty.ts';
import { CACHE_TTLS, EFFORTS, SERVICE_TIERS } from '../../../core/config/providers/model-words.ts';

/**
 * What the requests of a focus are made of, beside its prompt and its list of tools: they have to stay the same, byte for
 * byte, when it is resumed. Missing in what an earlier animus recorded.
 */
const requestSettings = z
  .object({
    model: z.string(),
    fallbackModels: z.array(z.string()),
    providers: z.record(
      z.string(),
      z.object({
        name: z.string(),
        kind: z.string(),
        address: z.string(),
        credential: z.string(),
        routing: z.string(),
      }),
    ),
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

const modelNames = requestSettings.pick({ model: true, fallbackModels: true, providers: true });

/** Of these, what belongs to the model: a focus that goes on with another one takes the settings that were written for it. */
export function modelSettings({ engage }: Faculty) {
  const { model, fallbackModels, providers = {}, maxTokens, temperature, thinkingBudgetTokens, effort } = engage;
  const { serviceTier, cacheTtl, stop, batch, structuredOutputs, strictTools } = engage;
  const options = { maxTokens, temperature, thinkingBudgetTokens, effort, serviceTier, cacheTtl, stop, batch };
  return { model, fallbackModels, providers, ...options, structuredOutputs, strictTools };
}

/** What an earlier animus recorded, under today's names; it sent neither schemas of outcomes nor strict tools. */
function inTodaysWords(engage: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if ('effort' in engage) return engage;
  const { reasoningEffort: effort, ...same } = engage;
  return { ...same, effort, serviceTier: null, cacheTtl: null, structuredOutputs: false, strictTools: false };
}

/**
 * The loaded faculty with the request settings of the recorded one. Everything that grants power is the loaded one's:
 * isolation, hooks, workspace, repository, tools that run, limits. Anyone who can write to the database, or got there
 * through a fault, gains nothing by a row. Of a record that cannot be read, the models count, if they can be read; one of another mode counts as none.
 */
export function asBegun(loaded: Faculty, recorded: unknown): Faculty {
  const { engage } =
    z.object({ engage: z.looseObject({ mode: z.string().optional() }) }).safeParse(recorded).data ?? {};
  if ((engage?.mode ?? 'builtin') !== loaded.engage.mode) return loaded;
  const written = engage && inTodaysWords(engage);
  // A later animus may have words that this one does not know. The models say to whom the words of the focus went.
  const settings = requestSettings.safeParse(written).data ?? modelNames.safeParse(written).data;
  if (settings === undefined) return loaded;
  const kept = Object.entries(settings).filter(([, value]) => value !== undefined);
  return { ...loaded, engage: { ...loaded.engage, ...(Object.fromEntries(kept) as Partial<EngageSettings>) } };
}
