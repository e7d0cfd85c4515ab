/** `[faculty.awareness]`: what a focus learns about other work (docs/awareness.md). */
import { count, decimal, flag, table } from '../../core/toml/fields.ts';
import { type Settings, settingsOf } from '../../core/toml/keys.ts';

const KEYS = {
  // False: no digest in the first message, and no tool `refresh_awareness`.
  enabled: flag().default(true),
  // How far back completed work, findings and changed skills are shown.
  lookback_hours: decimal(0.1, 720).default(24),
  // Entries of each kind, at most.
  max_running: count(0, 100).default(10),
  max_recent_completed: count(0, 100).default(5),
  max_recent_findings: count(0, 100).default(10),
  // Whether the items above and below a focus's own are also shown.
  include_child_work: flag().default(false),
  // Of the whole digest, estimated.
  max_tokens: count(200, 20_000).default(1000),
};

/** The keys of `[faculty.awareness]`. */
export const awarenessTable = () => table(KEYS);

/** What the digest of awareness of a faculty's foci contains. */
export type AwarenessSettings = Settings<typeof KEYS>;

/** The settings of a faculty file. */
export function readAwareness(written: object): AwarenessSettings {
  return settingsOf(awarenessTable(), written);
}
