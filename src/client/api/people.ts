// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions } from '../options.ts';

export interface Person {
  /** `*` is everybody who is not listed. */
  readonly name: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly created_at: string;
  readonly disabled_at: string | null;
  readonly created_by: string;
  /** That are accepted. */
  readonly tokens: number;
}

export interface Token {
  readonly id: string;
  /** A token of a program, or the session of a browser. */
  readonly kind: 'token' | 'session';
  readonly person: string;
  readonly label: string;
  /** The most that it may do; null: what its person may. */
  readonly role: 'submitter' | 'reader' | 'operator' | null;
  readonly scopes: readonly ('read' | 'work' | 'decide')[];
  readonly state: 'valid' | 'expired' | 'revoked' | 'disabled';
  readonly created_by: string;
  /** The token that made it: both are revoked together. */
  readonly created_with: string | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** At most a minute too early. */
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
}

export interface Session {
  /** As in GET /tokens. */
  readonly id: string;
  readonly person: string;
  /** As in `submitted_by` and `decided_by`. */
  readonly actor: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly scopes: readonly ('read' | 'work' | 'decide')[];
  readonly expires_at: string;
  /** To be sent with every change, as the header X-Animus-CSRF. */
  readonly csrf: string;
}

export interface ShowMeOutput {
  readonly person: string;
  /** As in `submitted_by` and `decided_by`. */
  readonly actor: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly scopes: readonly ('read' | 'work' | 'decide')[];
  /** Null: a token of an OIDC issuer. */
  readonly token_id: string | null;
  readonly expires_at: string | null;
}

export interface ListPeopleOutput {
  readonly items: readonly Person[];
}

export interface SetPersonInput {
  /** Only a login of the database makes operators. */
  readonly role?: 'submitter' | 'reader' | undefined;
  /** A disabled person is refused, with all their tokens; without a role, only for people who are listed. */
  readonly disabled?: boolean | undefined;
}

export interface SetPersonOutput {
  /** `*` is everybody who is not listed. */
  readonly name: string;
  readonly role: 'submitter' | 'reader' | 'operator';
  readonly created_at: string;
  readonly disabled_at: string | null;
}

export interface ListTokensInput {
  /** Only those of this person. */
  readonly person?: string | undefined;
  /** Also those that are no longer accepted. */
  readonly all?: string | undefined;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface CreateTokenInput {
  /** Default: yourself. */
  readonly person?: string | undefined;
  /** What it is for. */
  readonly label?: string | undefined;
  /** The most that it may do. */
  readonly role?: 'submitter' | 'reader' | 'operator' | undefined;
  /** Default: those of your token. */
  readonly scopes?: readonly ('read' | 'work' | 'decide')[] | undefined;
  /** Default: when your token expires, and no later. */
  readonly expires_at?: string | undefined;
}

export interface CreateTokenOutput {
  readonly id: string;
  readonly person: string;
  /** This person was not listed before. */
  readonly person_added: boolean;
  /** Shown once: only its hash is kept. */
  readonly token: string;
}

export interface RevokeTokenOutput {
  readonly id: string;
  readonly person: string;
}

export interface CreateSessionInput {
  /** A token of animus or of the OIDC issuer; the session has at most its rights, and ends with it. */
  readonly token?: string | undefined;
  /** The secret of a login link, which works once. */
  readonly link?: string | undefined;
  /** What it is for, such as the name of the browser. */
  readonly label?: string | undefined;
}

export interface EndSessionOutput {
  readonly id: string;
  readonly person: string;
}

/** The methods `client.people`. */
export interface PeopleMethods {
  /**
   * The person of the token, with its role and scopes. Needs a token of scope `read`.
   *
   * `GET /me`
   */
  showMe(options?: CallOptions): Promise<ShowMeOutput>;
  /**
   * The listed people, with their roles; for operators. Needs a token of scope `decide`.
   *
   * `GET /people`
   */
  list(options?: CallOptions): Promise<ListPeopleOutput>;
  /**
   * Add, disable or enable a person, or change their role; for operators, about people who are not operators. Needs a token of scope `decide`.
   *
   * `PUT /people/{name}`
   */
  set(name: string, input?: SetPersonInput, options?: CallOptions): Promise<SetPersonOutput>;
  /**
   * Your tokens and sessions, newest first; operators see those of all people. Needs a token of scope `read`.
   *
   * `GET /tokens`
   */
  listTokens(input?: ListTokensInput, options?: CallOptions): List<Token>;
  /**
   * Make a token with at most the rights of yours; operators also for people who are not operators. Needs a token of scope `work`.
   *
   * `POST /tokens`
   */
  createToken(input?: CreateTokenInput, options?: CallOptions): Promise<CreateTokenOutput>;
  /**
   * Revoke a token or a session, and those that were made with it; operators also those of people who are not operators. Needs a token of scope `work`.
   *
   * `DELETE /tokens/{id}`
   */
  revokeToken(id: string, options?: CallOptions): Promise<RevokeTokenOutput>;
  /**
   * Log a browser in, with a token or a login link: the answer sets the cookie of its session. Needs no token: the body says who sends it.
   *
   * `POST /sessions`
   */
  createSession(input?: CreateSessionInput, options?: CallOptions): Promise<Session>;
  /**
   * The session of this browser, and what its page sends with changes. Needs a token of scope `read`.
   *
   * `GET /session`
   */
  showSession(options?: CallOptions): Promise<Session>;
  /**
   * Log this browser out: its session ends, with all tokens that were made with it. Needs a token of scope `read`.
   *
   * `DELETE /session`
   */
  endSession(options?: CallOptions): Promise<EndSessionOutput>;
}
