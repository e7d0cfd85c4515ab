/** Which settings a focus keeps from the faculty it began with, and which it does not. */
import { z } from 'zod';
import type { EngageSettings, Faculty } from '../../catalog/faculty.ts';

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
    reasoningEffort: z.enum(['minimal', 'low', 'medium', 'high']).nullable(),
    stop: z.array(z.string()),
    outcomeSchema: z.record(z.string(), z.unknown()).nullable(),
    compactThreshold: z.number(),
    compactKeepRecent: z.number(),
    ledgerNudgeInterval: z.number(),
    truncateClosedBlocks: z.boolean(),
  } satisfies Partial<Record<keyof EngageSettings, z.ZodType>>)
  .partial();

/**
 * The loaded faculty with the request settings of the recorded one. Everything that grants power is the loaded one's:
 * isolation, hooks, workspace, repository, tools that run, limits. Whoever can write to the database, or got there
 * through a fault, gains nothing by a row. A record that cannot be read counts as none; so does one of another mode.
 */
export function asBegun(loaded: Faculty, recorded: unknown): Faculty {
  const { engage } =
    z.object({ engage: z.looseObject({ mode: z.string().optional() }) }).safeParse(recorded).data ?? {};
  const settings = requestSettings.safeParse(engage);
  if (!settings.success || (engage?.mode ?? 'builtin') !== loaded.engage.mode) return loaded;
  const kept = Object.entries(settings.data).filter(([, value]) => value !== undefined);
  return { ...loaded, engage: { ...loaded.engage, ...(Object.fromEntries(kept) as Partial<EngageSettings>) } };
}
