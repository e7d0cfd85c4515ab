/** The settings that changed. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';

/** The keys, as written in animus.toml, whose effective values differ: `daemon.max_concurrent`, `providers.gateway`, … */
export function changedSettings(before: Config, after: Config): string[] {
  const changed: string[] = [];
  for (const table of [
    'daemon',
    'http',
    'retention',
    'hooks',
    'skills',
    'batch',
    'web',
    'webhooks',
    'sandbox',
  ] as const) {
    for (const [key, value] of Object.entries(after[table])) {
      const old = (before[table] as unknown as Record<string, unknown>)[key];
      if (!isDeepStrictEqual(value, old)) changed.push(`${table}.${snakeCase(key)}`);
    }
  }
  if (!isDeepStrictEqual(before.budget, after.budget)) changed.push('budget');
  if (!isDeepStrictEqual(before.embeddings, after.embeddings)) changed.push('embeddings');
  for (const table of ['providers', 'models'] as const) {
    for (const name of new Set([...before[table].keys(), ...after[table].keys()])) {
      if (!isDeepStrictEqual(before[table].get(name), after[table].get(name))) changed.push(`${table}.${name}`);
    }
  }
  return changed;
}

/** `maxConcurrent` as it is written: `max_concurrent`. */
export function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
