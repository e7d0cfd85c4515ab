/** Daemons whose configuration has providers that come and go. */
import { onTestFinished } from 'vitest';
import { makeSite, type Site } from './daemon-process.ts';
import type { ModelServer } from './model-server/server.ts';

const CONFIG =
  '[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\nhttp = "off"\n[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\nsubmit_timeout_seconds = 2\n';
const FACULTY = (model: string, more = '') => `
[faculty]
name = "worker"
description = "Works"
[faculty.engage]
model = "${model}"
system_prompt = "You keep a secret: marzipan."
tools = ["wait_until"]
${more}
[faculty.awareness]
enabled = false
`;
/** A provider of kind anthropic whose key is in OWN_KEY. */
export const PROVIDER = (name: string, url: string) =>
  `[providers.${name}]\nkind = "anthropic"\nbase_url = "${url}"\napi_key_env = "OWN_KEY"\n`;
/** A price of 1 USD for a million tokens. */
export const PRICE = (model: string) => `[models."${model}"]\nusd_per_million = { input = 1, output = 1 }\n`;

/** A site with these provider tables and a faculty `worker` of the model. */
export function providerSite(
  databaseUrl: string,
  config: string,
  faculty: { readonly model: string; readonly more?: string; readonly limit?: string },
  stranger: ModelServer | null = null,
): Site {
  const site = makeSite({
    modelUrl: stranger?.url ?? null,
    databaseUrl,
    config: CONFIG + config,
    faculties: { worker: FACULTY(faculty.model, faculty.more) + (faculty.limit ?? '') },
  });
  return { ...site, env: { ...site.env, OWN_KEY: 'the-key' } };
}

/** The server, which is closed when the test has finished. */
export async function opened<T extends ModelServer>(opening: Promise<T>): Promise<T> {
  const server = await opening;
  onTestFinished(() => server.close());
  return server;
}
