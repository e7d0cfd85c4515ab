/** The one list of the secrets of animus: from which variables they are read, and which of its processes needs them. */
import type { FixedConfig } from './live-settings.ts';

/** `daemon`: `animus serve` and the commands beside it. `api`: `animus http`. Both need a database login, each its own. */
export type SecretUser = 'daemon' | 'api';

/** A variable that holds a secret, or whose name with `_FILE` names a file with it. */
export interface SecretVariable {
  readonly name: string;
  readonly users: readonly SecretUser[];
  /** What it is for, as the end of a sentence: "… is for signing webhooks". */
  readonly purpose: string;
}

const DAEMON: readonly SecretUser[] = ['daemon'];
const BOTH: readonly SecretUser[] = ['daemon', 'api'];

/**
 * Every secret that this configuration reads, whether it is set or not. What faculties name themselves (`env` of MCP servers, `[hooks]
 * environment`) is not in it: those are secrets of others.
 */
export function secretVariables({ providers, web, webhooks, http }: FixedConfig): readonly SecretVariable[] {
  const ofProviders = [...providers.values()].flatMap((provider) => {
    if (provider.kind === 'scripted') return [];
    const keys = provider.apiKeyEnv === null ? [] : [provider.apiKeyEnv];
    return [...keys, ...provider.secretEnv].map((name) => of(name, DAEMON, `calling the provider ${provider.name}`));
  });
  const search = web.search?.apiKeyEnv ?? null;
  return unique([
    of('DATABASE_URL', BOTH, 'the database'),
    of('PGPASSWORD', BOTH, 'the database'),
    ...(http.databaseUrlEnv === null ? [] : [of(http.databaseUrlEnv, DAEMON, 'the database login of the API')]),
    ...ofProviders,
    of('ANTHROPIC_API_KEY', DAEMON, 'calling the provider anthropic'),
    of('OPENAI_API_KEY', DAEMON, 'calling the provider openai'),
    ...(search === null ? [] : [of(search, DAEMON, 'searching the web')]),
    // The daemon signs with it; where a webhook is added, its secret is derived from it and shown.
    of(webhooks.keyEnv, BOTH, 'adding and signing webhooks'),
    of(webhooks.oldKeyEnv, BOTH, 'webhooks whose secret was made with the key before'),
  ]);
}

function of(name: string, users: readonly SecretUser[], purpose: string): SecretVariable {
  return { name, users, purpose };
}

/** The first of each name: its purpose is the more precise one. */
function unique(variables: readonly SecretVariable[]): readonly SecretVariable[] {
  return variables.filter(({ name }, index) => variables.findIndex((other) => other.name === name) === index);
}
