/** The settings that a running daemon applies when animus.toml changes, and the configuration that holds then. Pure. */
import { snakeCase } from './changed-settings.ts';
import type { Config, DaemonConfig, SkillsConfig, WebConfig } from './config.ts';
import type { WebhooksConfig } from './webhooks-config.ts';

/** Keys of animus.toml that a running daemon applies at once. Everything else takes effect at its next start. */
export const LIVE_SETTINGS = [
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
  'retention.directories_days',
  'skills.propose',
  'skills.propose_threshold',
  'skills.propose_window_days',
  'skills.propose_interval_seconds',
  'web.allow',
  'webhooks.allow',
  'budget',
] as const;
export type LiveSetting = (typeof LIVE_SETTINGS)[number];

/**
 * What a daemon may keep from its start: the configuration without the live settings. Whoever gets this type cannot use a live setting as it was at
 * the start; they are read from the settings of now, each time.
 */
export interface FixedConfig extends Omit<Config, 'daemon' | 'retention' | 'skills' | 'web' | 'webhooks' | 'budget'> {
  readonly daemon: Omit<
    DaemonConfig,
    | 'maxConcurrent'
    | 'shutdownGraceSeconds'
    | 'focusHostGraceSeconds'
    | 'focusMaxMemoryMib'
    | 'focusMaxProcesses'
    | 'commitEmail'
  >;
  readonly skills: Pick<SkillsConfig, 'staleDays' | 'directories'>;
  readonly web: Omit<WebConfig, 'allow'>;
  readonly webhooks: Omit<WebhooksConfig, 'allow'>;
}

/** Whether a key, or the one above it, is a live setting. */
export function isLive(key: string): boolean {
  return LIVE_SETTINGS.some((live) => key === live || key.startsWith(`${live}.`));
}

/** The configuration that holds after a reload: the live settings of the newest file, and all others as they were at the start. */
export function withLiveSettings(initial: Config, newest: Config): Config {
  const origins = new Map([...initial.origins].filter(([key]) => !isLive(key)));
  for (const [key, origin] of newest.origins) if (isLive(key)) origins.set(key, origin);
  return Object.freeze({
    ...initial,
    daemon: live('daemon', initial.daemon, newest.daemon),
    retention: live('retention', initial.retention, newest.retention),
    skills: live('skills', initial.skills, newest.skills),
    web: live('web', initial.web, newest.web),
    webhooks: live('webhooks', initial.webhooks, newest.webhooks),
    budget: newest.budget,
    origins,
  });
}

function live<Table extends object>(name: string, initial: Table, newest: Table): Table {
  const taken = Object.entries(newest).filter(([key]) => isLive(`${name}.${snakeCase(key)}`));
  return Object.freeze({ ...initial, ...Object.fromEntries(taken) });
}
