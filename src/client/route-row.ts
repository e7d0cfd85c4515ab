/** How a method of the client becomes a request. */
export interface RouteRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the root of the API, with parameters in braces. */
  readonly path: string;
  /** How the answer is read: one JSON document, a list of pages, the bytes as they come, events, or the bytes of events. */
  readonly kind: 'json' | 'list' | 'stream' | 'events' | 'raw';
  /** The method takes an input after the parameters of the path. */
  readonly input?: true;
  /** What of the input is not in `query` is the body, in JSON. */
  readonly body?: true;
  /** Names of the input that are sent in the query. */
  readonly query?: readonly string[];
}
