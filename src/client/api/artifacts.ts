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

export interface Diff {
  readonly work_item_id: string;
  /** In the repository of the item. */
  readonly branch: string;
  /** The commit that it started from. */
  readonly start: string;
  /** The last commit of the branch. */
  readonly tip: string;
  /** A commit with what was left uncommitted; null: nothing was. */
  readonly rest: string | null;
  /** At most 1000, in the order of git; empty if the patch is too large to be stored. */
  readonly files: readonly {
    readonly path: string;
    /** Lines; null: not text. */
    readonly added: number | null;
    readonly removed: number | null;
  }[];
  readonly more_files: number;
  /** Of the whole patch. */
  readonly patch_bytes: number;
  /** Whether it is stored: up to 4 MiB are. */
  readonly has_patch: boolean;
  /** What was lost of it; null: nothing. */
  readonly lost: string | null;
}

export interface ListArtifactsInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

/** The methods `client.artifacts`. */
export interface ArtifactsMethods {
  /**
   * The bytes of a file; supports Range. Needs a token of scope `read`.
   *
   * `GET /artifacts/{id}`
   */
  read(id: string, options?: CallOptions): Promise<Response>;
  /**
   * What an item has changed in its worktree, as a patch for git apply; supports Range. Needs a token of scope `read`.
   *
   * `GET /work/{id}/patch`
   */
  readPatch(id: string, options?: CallOptions): Promise<Response>;
  /**
   * The files of an item, oldest first; `changes.patch` is what it has changed in its worktree. Needs a token of scope `read`.
   *
   * `GET /work/{id}/artifacts`
   */
  list(id: string, input?: ListArtifactsInput, options?: CallOptions): List<Artifact>;
  /**
   * What an item has changed in its worktree, file by file. Needs a token of scope `read`.
   *
   * `GET /work/{id}/diff`
   */
  readDiff(id: string, options?: CallOptions): Promise<Diff>;
}
