/** `[webhooks]`: what signs webhooks, and what they may reach. */
import { reportConflict, section, type ValueOf } from '../../core/config/source/section.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { variableName, webTargets } from '../../core/toml/fields.ts';
import { key, liveKey } from '../../core/toml/keys.ts';

/** A shorter one could be guessed from a signed request. */
const MIN_KEY = 32;

export const webhookSection = section(
  'webhooks',
  // biome-ignore format: a key per line
  {
    key_env: key(variableName().default('ANIMUS_WEBHOOK_KEY'), 'the variable with the key from which the secrets of [webhooks](webhooks.md) are derived, 32 characters or more; `NAME_FILE` names a file with it. Not set: webhooks cannot be added, and this daemon sends none'),
    old_key_env: key(variableName().default('ANIMUS_WEBHOOK_OLD_KEY'), 'the variable with the previous key, while [it is being replaced](webhooks.md#change-a-secret-or-the-key)'),
    allow: liveKey(webTargets().default([]), 'what [webhooks](webhooks.md#addresses) may reach besides the public internet, as in `web.allow`'),
  },
  {
    /** New secrets are derived from `key`; from `oldKey` those that have not been replaced. Each is null if it is not set. */
    read(settings, place) {
      const keyOf = (setting: 'key_env' | 'old_key_env', variable: string) => {
        // A file that is not TOML may name another variable.
        if (place.document.sound === null) return null;
        const secret = place.env.secret(variable);
        if (secret !== null && secret.reveal().length < MIN_KEY) {
          const detail = `${variable} is too short for a key; it needs ${MIN_KEY} characters or more, made by: openssl rand -hex 32`;
          reportConflict(place, ['webhooks', setting], detail);
        }
        return secret;
      };
      const { keyEnv, oldKeyEnv } = settings;
      return { ...settings, key: keyOf('key_env', keyEnv), oldKey: keyOf('old_key_env', oldKeyEnv) };
    },
    shown: ({ key: present, oldKey }) => ({
      key_env: present && String(present),
      old_key_env: oldKey && String(oldKey),
    }),
    // The daemon signs with it; where a webhook is added, its secret is derived from it and shown.
    secrets: ({ keyEnv, oldKeyEnv }) => [
      { name: keyEnv, users: ['daemon', 'api'], purpose: 'adding and signing webhooks' },
      { name: oldKeyEnv, users: ['daemon', 'api'], purpose: 'webhooks whose secret was made with the previous key' },
    ],
  },
);

export type WebhookSettings = ValueOf<typeof webhookSection>;

/** The keys that are set, the present one first. */
export function webhookKeys(settings: Pick<WebhookSettings, 'key' | 'oldKey'>): readonly Secret[] {
  return [settings.key, settings.oldKey].filter((one) => one !== null);
}
