import type { CacheTtl, Effort, ServiceTier } from './model-words.ts';

/** How a model thinks; `ModelInfo` in src/llm/models says what each word means. */
export const THINKING = ['none', 'budget', 'adaptive', 'bound', 'always'] as const;

/** What animus.toml says about the abilities of a model; a key that it does not set is undefined. */
export interface ModelAbilities {
  /** A model of the catalogue whose values it has, prices included. */
  readonly like: string | undefined;
  readonly images: boolean | undefined;
  readonly documents: boolean | undefined;
  readonly thinking: (typeof THINKING)[number] | undefined;
  readonly effort: boolean | undefined;
  readonly efforts: readonly Effort[] | undefined;
  readonly effortWithTools: boolean | undefined;
  readonly parallelTools: boolean | undefined;
  readonly userAfterTools: boolean | undefined;
  readonly temperature: boolean | undefined;
  readonly strictTools: boolean | undefined;
  readonly serviceTiers: readonly ServiceTier[] | undefined;
  readonly cacheTtls: readonly CacheTtl[] | undefined;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly options: Readonly<Record<string, unknown>> | undefined;
}
