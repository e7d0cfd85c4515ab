/** The words for what a model may be asked to do, shared by configuration files and model clients. */

/** How much a model thinks, from the least to the most. Not every model takes every level. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The levels of `reasoning_effort`, the earlier name of `effort`. */
export const EARLIER_EFFORTS = ['minimal', 'low', 'medium', 'high'] as const satisfies readonly Effort[];

/**
 * The class of service. `auto`: the provider's choice. `standard`: at the usual price only. `flex`: cheaper and slower.
 * `priority`: faster and more expensive.
 */
export const SERVICE_TIERS = ['auto', 'standard', 'flex', 'priority'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** How long a provider keeps cached prefixes. */
export const CACHE_TTLS = ['5m', '1h', '24h'] as const;
export type CacheTtl = (typeof CACHE_TTLS)[number];

/**
 * Whether a model can guarantee that its answers conform to a schema. `with_tools`: in every request. `closing`: only in a request without
 * tool calls, because the schema would block them. `none`: not at all, or not known.
 */
export const STRUCTURED_OUTPUTS = ['with_tools', 'closing', 'none'] as const;
export type StructuredOutputs = (typeof STRUCTURED_OUTPUTS)[number];
