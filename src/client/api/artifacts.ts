// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions } from '../options.ts';

export interface Artifact {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly created_at: string;
}

export interface ListArtifactsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

/** The methods `client.artifacts`. */
export interface ArtifactsMethods {
  /**
   * The files of an item, oldest first. Needs a token of scope `read`.
   *
   * `GET /work/{id}/artifacts`
   */
  list(id: string, input?: ListArtifactsInput, options?: CallOptions): List<Artifact>;
  /**
   * The bytes of a file; supports Range. Needs a token of scope `read`.
   *
   * `GET /artifacts/{id}`
   */
  read(id: string, options?: CallOptions): Promise<Response>;
}
