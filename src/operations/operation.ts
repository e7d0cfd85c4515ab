/**
 * An operation declares an act once: its name, who may do it, what it takes and answers, and what it does. From it follow the route of the API with
 * its place in the OpenAPI document, the method of the client, and the tool of the MCP server. The command of a terminal is made from it, too, with
 * what a terminal alone has beside it (`src/terminal/command/operation-command.ts`).
 */
import type { z } from 'zod';
import type { FixedConfig } from '../core/config/config.ts';
import type { ErrorCode } from '../core/errors/error-table.ts';
import type { ActingPerson, Scope } from '../core/work/people.ts';
import type { SearchVector } from '../daemon/embeddings/search-embedding.ts';
import type { ListedModel } from '../llm/models/list-models.ts';
import type { Queryable } from '../store/sql/database.ts';
import type { Views } from '../store/views/views-of-login.ts';
import type { Fields, InputOf } from './fields.ts';
import type { McpOffer } from './mcp-offer.ts';
import type { Schemas } from './schemas.ts';

/** What an act gets before its transaction, of the process that does it. */
export interface Outside {
  /** Read on the first call. Errors: `config.*`. */
  readonly config: () => Promise<FixedConfig>;
  /** The models that its process knows. Errors: `config.*`. */
  readonly models: () => Promise<readonly ListedModel[]>;
  /** Aborted when nobody waits for the act any more. */
  readonly signal: AbortSignal;
  /** W3C traceparent of what has asked for it; null: none. */
  readonly traceparent: string | null;
  /** The text of a search as a vector, which is charged to who acts, or why there is none. Only servers keep a model open for it. */
  readonly searchVector?: (text: string) => Promise<SearchVector>;
}

/** What it gets inside: everything it changes is committed together, or not at all. */
export interface Acting<Prepared> extends Outside {
  /** Acts for the person of the request, or for the login of the terminal: the database decides what they may. */
  readonly tx: Queryable;
  readonly prepared: Prepared;
  /** The person of the request; null: the login of a terminal acts. */
  readonly visitor: ActingPerson | null;
  /** Warns of faculties that nobody serves: what was asked is accepted, but with a misspelt name it waits forever. To be spread into the answer. */
  readonly unserved: (faculties: readonly string[], asked: Unserved) => Promise<{ readonly warning?: string }>;
  /** Which views show work to the actor: `animus.visible_…`, or those of a login that only submits: `animus.own_…`. */
  readonly views: () => Promise<Views>;
}

/** What waits for a faculty. */
export interface Unserved {
  /** What is so until there is such a faculty, as a sentence without its end, such as "the work waits". */
  readonly until: string;
  /** Whether it only counts that there is such a faculty, served or not, as far as one can know; default false. */
  readonly named?: boolean;
  /** The faculties that running daemons serve, if the act has read them; default: they are read. */
  readonly served?: readonly string[] | null;
}

/** The act as a route of the API. */
export interface HttpPlace {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, with parameters in braces: `/work/{id}`. What else the act takes is in the query of GET and DELETE, otherwise in the body. */
  readonly path: `/${string}`;
  /** Of success; default 200. */
  readonly status?: 200 | 201 | 202;
  /** Its answer contains a secret, so that what is kept for a repetition is encrypted. Default: false. */
  readonly secret?: boolean;
  /**
   * It begins or ends the session of a browser, and its answer sets or removes the cookie. One that begins is for everybody: its fields `token` or `link` say who
   * sends it; what `run` returns has the secret of the session as `session`, which only the cookie shows. It honours no Idempotency-Key. Default: neither.
   */
  readonly session?: 'begins' | 'ends';
  /** The key of its answer that names the work item for which a client may wait (`Prefer: wait`). Its answer has the keys of `submittedItem`. Default: none. */
  readonly awaits?: 'id' | 'work_item_id';
  /** A client that accepts an event stream gets the events of that item, after the answer itself. Default: false. */
  readonly streams?: boolean;
  /** The name of the type of its body in the document; default: it has none. */
  readonly body?: string;
  /** The largest body, in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number;
  /** `run` sends one statement and no other, so a request is one round trip without `begin` and `commit`. Default: false. GET needs no such word. */
  readonly oneStatement?: boolean;
}

/** What every act says of itself. */
export interface Described {
  /** The `operationId`: names the method of the client. */
  readonly name: string;
  /** The group in the document. */
  readonly tag: string;
  /** One line. */
  readonly summary: string;
  /** What a token must be good for. */
  readonly scope: Scope;
  /** Errors of its own, beside those that every request has. */
  readonly errors?: readonly ErrorCode[];
}

interface Declared extends Described {
  readonly http: HttpPlace;
  /** The tool of the MCP server; default: there is none. */
  readonly mcp?: McpOffer;
}

/** `Result` may say more than `output`: HTTP leaves it out, the terminal may show it. */
export interface Operation<Input = never, Result = unknown> extends Declared {
  readonly input: Fields;
  readonly output: (schemas: Schemas) => z.ZodType;
  /** What is wrong with the fields together, in the words of the API; null: nothing. Those in the path are not there over HTTP. */
  readonly check?: (input: Partial<Input>) => string | null;
  /** What it has to ask of others, outside of its transaction and before it. */
  readonly prepare?: (outside: Outside, input: Input) => Promise<unknown>;
  readonly run: (acting: Acting<never>, input: Input) => Promise<Result>;
}

/** Declares an operation; its fields and its output give the types of `run`. */
export function operation<
  const All extends Fields,
  Output extends z.ZodType,
  Result extends z.input<Output>,
  Prepared = undefined,
>(
  declared: Declared & {
    readonly input: All;
    readonly output: (schemas: Schemas) => Output;
    readonly check?: (input: Partial<InputOf<All>>) => string | null;
    readonly prepare?: (outside: Outside, input: InputOf<All>) => Promise<Prepared>;
    readonly run: (acting: Acting<Prepared>, input: InputOf<All>) => Promise<Result>;
  },
): Operation<InputOf<All>, Result> {
  return declared;
}
