/** The prices of vendors' models, from a public table: the ones that come with animus, or newer ones that a person has fetched. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../core/errors/errors.ts';
import { readRegularFile } from '../../core/files/regular-file.ts';

const price = z.number().min(0).max(10_000);

/** A price that is missing is that of plain input. */
const pricesSchema = z.strictObject({
  input: price,
  output: price.optional(),
  cacheRead: price.optional(),
  cacheWrite: price.optional(),
});

const ratesSchema = pricesSchema.extend({ long: pricesSchema.extend({ aboveTokens: z.int().min(1000) }).optional() });

const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

const modelSchema = z.strictObject({
  /** Other names that mean it. */
  names: z.array(z.string()).optional(),
  contextWindow: z.int().min(256).max(100_000_000).optional(),
  rates: ratesSchema,
  changes: z
    .array(ratesSchema.extend({ from: z.iso.date().optional(), daily: z.tuple([time, time]).optional() }))
    .optional(),
});

const fileSchema = z.strictObject({
  /** `package` of the npm registry, the version and the day it was published, and the day on which that was the newest version. */
  source: z.strictObject({ package: z.string(), version: z.string(), published: z.iso.date(), checked: z.iso.date() }),
  unit: z.literal('USD per million tokens'),
  /** By the name of the vendor's provider, then by model. */
  vendors: z.record(z.string(), z.record(z.string(), modelSchema)),
});

export type PriceFile = z.output<typeof fileSchema>;
export type PricedModel = z.output<typeof modelSchema>;
export type FileRates = z.output<typeof ratesSchema>;

/** Of a fetched file. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Where `animus models update` puts its file. */
export function fetchedPrices(home: string): string {
  return join(home, 'models', 'prices.json');
}

/** The prices that are used. */
export interface UsedPrices {
  readonly file: PriceFile;
  /** The fetched file that was read; null: those that come with animus. */
  readonly fetched: string | null;
  /** Why a fetched file is not used; null: it is, or there is none. */
  readonly problem: string | null;
}

/**
 * The newer of the prices that come with animus and those that were fetched into `home` (null: none were). A fetched file that cannot be read is
 * not used, and the answer says why.
 */
export function usedPrices(home: string | null): UsedPrices {
  const shipped = JSON.parse(readFileSync(new URL('./prices.json', import.meta.url), 'utf8')) as PriceFile;
  const path = home === null ? null : fetchedPrices(home);
  if (path === null || !existsSync(path)) return { file: shipped, fetched: null, problem: null };
  try {
    const file = parsePrices(readRegularFile(path, { maxBytes: MOST_BYTES }).toString('utf8'));
    const older = file.source.published < shipped.source.published;
    return older ? { file: shipped, fetched: null, problem: null } : { file, fetched: path, problem: null };
  } catch (error) {
    return { file: shipped, fetched: null, problem: `${path}: ${messageOf(error)}` };
  }
}

/** Throws an error that says what is wrong. */
export function parsePrices(text: string): PriceFile {
  const parsed = fileSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.')}: ${issue?.message}`);
}
