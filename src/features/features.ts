/** The parts of animus beside the engine, in the order in which documents and help name them. A command loads its own only. */
import type { Feature } from './feature.ts';

interface Listed {
  /** The name of its commands: `animus NAME …`. */
  readonly command: string;
  readonly load: () => Promise<Feature>;
}

export const FEATURES: readonly Listed[] = [
  { command: 'webhook', load: async () => (await import('./webhooks/feature.ts')).webhooks },
];

/** All of them, for what serves them, checks them or shows them. */
export function loadFeatures(): Promise<Feature[]> {
  return Promise.all(FEATURES.map(({ load }) => load()));
}
