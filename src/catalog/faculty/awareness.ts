/** `[faculty.awareness]`: what a focus learns about other work (docs/awareness.md). */
import type { z } from 'zod';
import { count, decimal, flag, table } from '../../core/toml/fields.ts';

/** What the digest of awareness of a faculty's foci contains. */
export interface AwarenessSettings {
  /** False: no digest in the first message, and no tool `refresh_awareness`. */
  readonly enabled: boolean;
  /** How far back completed work, findings and changed skills are shown. */
  readonly lookbackHours: number;
  /** Entries of each kind, at most. */
  readonly maxRunning: number;
  readonly maxRecentCompleted: number;
  readonly maxRecentFindings: number;
  /** Whether the items above and below a focus's own are shown, too. */
  readonly includeChildWork: boolean;
  /** Of the whole digest, estimated. */
  readonly maxTokens: number;
}

/** The keys of `[faculty.awareness]`. */
export const awarenessTable = () =>
  table({
    enabled: flag().default(true),
    lookback_hours: decimal(0.1, 720).default(24),
    max_running: count(0, 100).default(10),
    max_recent_completed: count(0, 100).default(5),
    max_recent_findings: count(0, 100).default(10),
    include_child_work: flag().default(false),
    max_tokens: count(200, 20_000).default(1000),
  });

/** The settings of a faculty file. */
export function readAwareness(written: z.output<ReturnType<typeof awarenessTable>>): AwarenessSettings {
  return {
    enabled: written.enabled,
    lookbackHours: written.lookback_hours,
    maxRunning: written.max_running,
    maxRecentCompleted: written.max_recent_completed,
    maxRecentFindings: written.max_recent_findings,
    includeChildWork: written.include_child_work,
    maxTokens: written.max_tokens,
  };
}
