/** A route of the API: its schemas check what comes in and what goes out, and the OpenAPI document is made from them. */
import { z } from 'zod';
import type { FixedConfig } from '../../core/config/config.ts';
import type { ErrorCode } from '../../core/errors/error-table.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Scope } from '../../core/work/people.ts';
import type { SearchEmbeddings } from '../../daemon/embeddings/search-embedding.ts';
import type { ListedModel } from '../../llm/models/list-models.ts';
import type { Database, Queryable } from '../../store/sql/database.ts';
import type { Log } from '../../telemetry/log.ts';
import type { LiveEvents } from '../events/live-events.ts';
import type { Visitor } from '../login/visitor.ts';

type Shape = z.ZodObject;
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What routes get of the process that serves them. */
export interface ApiServices {
  /** Its login may act for people: use it by `asVisitor` and `readingAs` only. */
  readonly db: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly version: string;
  /** The streams of events. */
  readonly live: LiveEvents;
  /** The models of the configuration. Default: those of the catalogue. */
  readonly models?: () => readonly ListedModel[];
  readonly config: FixedConfig;
  /** The model of `[embeddings]`, for searches by meaning; default: none. */
  readonly embeddings?: SearchEmbeddings | null;
}

/** A request whose sender and form have been checked. */
export interface Visit {
  readonly visitor: Visitor;
  readonly services: ApiServices;
  /** W3C traceparent of the request's span, else of the client; null: none. */
  readonly traceparent: string | null;
  /** Aborted when the client leaves or the server ends. */
  readonly signal: AbortSignal;
}

/** A request inside its transaction: everything it changes is committed together, or not at all. */
export interface Transacted extends Visit {
  /** Acts for the visitor. */
  readonly tx: Queryable;
  /** What the route's `prepare` has returned. */
  readonly prepared: unknown;
}

/** The parts of a request, each parsed by its schema. A part without a schema is empty. */
export interface Input<Path extends Shape = Shape, Query extends Shape = Shape> {
  readonly path: z.output<Path>;
  readonly query: z.output<Query>;
  readonly body: unknown;
}

interface Described {
  /** The `operationId`: names the function of generated clients. */
  readonly id: string;
  readonly method: Method;
  /** Below `/api/v1`, with parameters in braces: `/work/{id}`. */
  readonly path: `/${string}`;
  /** The group in the document. */
  readonly tag: string;
  /** One line. */
  readonly summary: string;
  /** The scope that the token must have. */
  readonly scope: Scope;
  /** Errors of its own, beside those that every route has. */
  readonly errors?: readonly ErrorCode[];
  /** The largest body, in bytes; default 1 MiB. */
  readonly maxBodyBytes?: number;
}

/** A route that answers with one JSON document. */
export interface JsonRoute extends Described {
  readonly kind: 'json';
  /** Its answer contains a secret, so that what is kept for a repetition is encrypted. Default: false. */
  readonly secret?: boolean;
  /** As `HttpPlace.session`. */
  readonly session?: 'begins' | 'ends' | undefined;
  /** The key of its answer that names the work item for which a client may wait (`Prefer: wait`). Its answer has the keys of `submittedItem`. Default: none. */
  readonly awaits?: 'id' | 'work_item_id' | undefined;
  /** A client that accepts an event stream gets the events of the item that `awaits` names, after the answer itself. Default: false. */
  readonly streams?: boolean | undefined;
  /** `run` sends one statement and no other. Default: false. */
  readonly oneStatement?: boolean | undefined;
  /** Of success; default 200. */
  readonly status: 200 | 201 | 202;
  readonly input: Parts;
  readonly output: z.ZodType;
  /** What the route has to ask of others, outside of its transaction and before it. The token may have been revoked: what costs money first asks by `asVisitor`. */
  readonly prepare?: ((visit: Visit, input: Input) => Promise<unknown>) | undefined;
  readonly run: (visit: Transacted, input: Input) => Promise<unknown>;
}

/** A route that answers with a stream: it opens transactions itself, by `asVisitor` or `readingAs`. */
export interface StreamRoute extends Described {
  readonly kind: 'stream';
  readonly input: Parts;
  /** The media types of its answer. */
  readonly media: readonly string[];
  readonly described?: StreamDescription;
  /** `request` is for its headers. */
  readonly respond: (visit: Visit, input: Input, request: Request) => Promise<Response>;
}

/** What the OpenAPI document says of a stream, beside its media types. */
export interface StreamDescription {
  /** What each item of a stream is: the `data` of an event, a line of JSON Lines. */
  readonly items?: z.ZodType;
  /** What an answer in JSON is. */
  readonly body?: z.ZodType;
  /** Request headers that it heeds, and what they do. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What it answers beside 200, and when; without a body, but for 206. */
  readonly answers?: Readonly<Record<number, string>>;
}

export type Route = JsonRoute | StreamRoute;

interface Parts {
  readonly path: Shape;
  readonly query: Shape;
  /** Null: it takes no body. */
  readonly body: z.ZodType | null;
}

const NOTHING = z.strictObject({});
type Nothing = typeof NOTHING;

interface TypedStream<Path extends Shape, Query extends Shape> extends Omit<StreamRoute, 'kind' | 'input' | 'respond'> {
  readonly params?: Path;
  readonly query?: Query;
  readonly respond: (visit: Visit, input: Input<Path, Query>, request: Request) => Promise<Response>;
}

/** Makes a route that answers with a stream. */
export function streamRoute<Path extends Shape = Nothing, Query extends Shape = Nothing>({
  params,
  query,
  ...route
}: TypedStream<Path, Query>): StreamRoute {
  return { ...route, kind: 'stream', input: { path: params ?? NOTHING, query: query ?? NOTHING, body: null } };
}
