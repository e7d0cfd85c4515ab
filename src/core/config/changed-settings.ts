/** The settings that changed, and those of them that take effect at once. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';

/** Keys of animus.toml that a running daemon applies at once. Everything else takes effect at its next start. */
export const LIVE_SETTINGS: readonly string[] = [
  'daemon.max_concurrent',
  'daemon.shutdown_grace_seconds',
  'daemon.focus_host_grace_seconds',
  'daemon.focus_max_memory_mib',
  'daemon.focus_max_processes',
  'daemon.commit_email',
  'retention.resolved_days',
  'retention.pack_days',
  'retention.artifacts_days',
  'retention.worktree_days',
  'retention.held_worktree_days',
  'skills.propose',
  'skills.propose_threshold',
  'skills.propose_window_days',
  'skills.propose_interval_seconds',
  'web.allow',
  'webhooks.allow',
  'budget',
];

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

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
