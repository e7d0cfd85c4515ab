import type { ModelAbilities } from './model-abilities.ts';
import type { ModelKeys } from './model-keys.ts';

/** The abilities as written. */
export function modelAbilities(written: ModelKeys): ModelAbilities {
  const headers = Object.entries(written.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return Object.freeze({
    like: written.like,
    images: written.images,
    documents: written.documents,
    thinking: written.thinking,
    effort: written.effort,
    efforts: written.efforts && Object.freeze(written.efforts),
    effortWithTools: written.effort_with_tools,
    parallelTools: written.parallel_tools,
    userAfterTools: written.user_after_tools,
    temperature: written.temperature,
    strictTools: written.strict_tools,
    serviceTiers: written.service_tiers && Object.freeze(written.service_tiers),
    cacheTtls: written.cache_ttls && Object.freeze(written.cache_ttls),
    headers: written.headers && Object.freeze(Object.fromEntries(headers) as Record<string, string>),
    options: written.options && Object.freeze(written.options),
  });
}
