/** A provider before and after a change of its configuration, and what its requests tell. */
import type { RecordedRequest } from './model-server/server.ts';

/** What of a provider is configured; by default, that with which all work begins. */
export interface Provider {
  readonly name?: string;
  readonly kind?: string;
  readonly url: string;
  readonly keyEnv?: string;
  readonly usd?: number;
}

/** The values of the variables. */
export const KEYS = { OWN_KEY: 'key-1', NEXT_KEY: 'key-2' };

export const DAEMON = '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\nhttp = "off"\n';

/** The table of animus.toml. */
export const tableOf = ({ name = 'own', kind = 'anthropic', url, keyEnv = 'OWN_KEY' }: Provider) =>
  `[providers.${name}]\nkind = "${kind}"\nbase_url = "${url}"\napi_key_env = "${keyEnv}"\n`;
/** A faculty file. */
export const faculty = (name: string, provider: string, more = '') => `
[faculty]
name = "${name}"
description = "Works"
[faculty.engage]
model = "${provider}/m"
system_prompt = "You work."
${more}
[faculty.awareness]
enabled = false
`;

/** The key that a request was sent with. */
export function keyOf({ headers }: RecordedRequest): string {
  return String(headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', ''));
}
