/** A browser that is logged in: what it sends with the requests of a page of the server. */
import { hashAccessToken, newAccessToken } from '../../src/core/secrets/access-token.ts';
import type { PersonRole } from '../../src/core/work/people.ts';
import { createLoginLink } from '../../src/features/people/store.ts';
import type { Queryable } from '../../src/store/sql/database.ts';
import type { Answer, TestApi } from './api.ts';

export interface Browser {
  /** `animus_session=…`. */
  readonly cookie: string;
  readonly csrf: string;
  /** The id of the session. */
  readonly id: string;
  /** Sends a request with the cookie; `headers` replace those of a page of the server, null leaves one out. */
  call(method: string, path: string, options?: BrowserRequest): Promise<Answer>;
}

interface BrowserRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** Makes a login link and returns its secret. `database` is the schema's owner. */
export async function loginLink(database: Queryable, person: string, role: PersonRole = 'submitter'): Promise<string> {
  const secret = newAccessToken('link').reveal();
  await createLoginLink(database, { person, hash: hashAccessToken(secret, 'link')!, role });
  return secret;
}

/** The request with which a page logs in. */
export async function beginSession(
  api: TestApi,
  body: object,
  headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
): Promise<Answer> {
  return api.call(null, 'POST', '/sessions', { body, headers });
}

/** Logs in with `{ link }` or `{ token }`. */
export async function logIn(api: TestApi, body: object): Promise<Browser> {
  const answer = await beginSession(api, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return browserOf(api, answer);
}

/** The browser that has got this answer to its login. */
export function browserOf(api: TestApi, { headers: answered, body: session }: Answer): Browser {
  const cookie = answered.get('set-cookie')!.split(';', 1)[0]!;
  return {
    cookie,
    csrf: session.csrf,
    id: session.id,
    call(method, path, { body, headers = {} } = {}) {
      const usual = {
        cookie,
        'sec-fetch-site': 'same-origin',
        ...(method !== 'GET' && { 'x-animus-csrf': session.csrf }),
        ...headers,
      };
      const sent = Object.fromEntries(
        Object.entries(usual).flatMap(([name, value]) => (value === null ? [] : [[name, value as string]])),
      );
      return api.call(null, method, path, { headers: sent, ...(body !== undefined && { body }) });
    },
  };
}
