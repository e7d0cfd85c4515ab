/** `[webhooks]` of animus.toml: what signs webhooks, and what they may reach. */
import type { z } from 'zod';
import { type Problem, problemAt } from '../errors/problem.ts';
import type { Secret } from '../secrets/secret.ts';
import { matching, table, webTargets } from '../toml/fields.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import type { EnvironmentReader } from './environment.ts';

export interface WebhooksConfig {
  /** New secrets are derived from it; null: none can be made. */
  readonly key: Secret | null;
  /** The key before, from which secrets are still derived that have not been replaced; null: there is none. */
  readonly oldKey: Secret | null;
  /** The variables that hold the two. */
  readonly keyEnv: string;
  readonly oldKeyEnv: string;
  /** What webhooks may reach beside the public internet, also without TLS (`parseWebTarget`); default none. */
  readonly allow: readonly string[];
}

/** A shorter one could be guessed from a signed request. */
const MIN_KEY = 32;

const variable = () => matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable');

/** The keys of the table. */
export const webhooksTable = table({
  key_env: variable().default('ANIMUS_WEBHOOK_KEY'),
  old_key_env: variable().default('ANIMUS_WEBHOOK_OLD_KEY'),
  allow: webTargets().default([]),
});

/** The table with its key; null if the document has a problem. A key that is too short is a problem. */
export function webhooksOf(
  document: StrictDocument<{ readonly webhooks: z.output<typeof webhooksTable> }>,
  env: EnvironmentReader,
  problems: Problem[],
): WebhooksConfig | null {
  if (document.sound === null) return null;
  const { webhooks } = document.sound;
  const keyOf = (setting: 'key_env' | 'old_key_env') => {
    const key = env.secret(webhooks[setting]);
    if (key !== null && key.reveal().length < MIN_KEY) {
      const detail = `${webhooks[setting]} is too short for a key; it needs ${MIN_KEY} characters or more, made by: openssl rand -hex 32`;
      problems.push(problemAt('config.conflict', document.placeOf('webhooks', setting), { detail }));
    }
    return key;
  };
  return Object.freeze({
    key: keyOf('key_env'),
    oldKey: keyOf('old_key_env'),
    keyEnv: webhooks.key_env,
    oldKeyEnv: webhooks.old_key_env,
    allow: Object.freeze(webhooks.allow),
  });
}

/** The keys that are set, the present one first. */
export function webhookKeys({ key, oldKey }: Pick<WebhooksConfig, 'key' | 'oldKey'>): readonly Secret[] {
  return [key, oldKey].filter((one) => one !== null);
}
