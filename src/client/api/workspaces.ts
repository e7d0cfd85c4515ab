// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions } from '../options.ts';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly created_at: string;
}

export interface WorkspaceFile {
  readonly id: string;
  readonly path: string;
  /** Its content is generated when it is read. */
  readonly is_virtual: boolean;
  /** A conversation, or what came with a message of one. */
  readonly kind: 'chat' | 'attachment';
  /** Null for a virtual file. */
  readonly media_type: string | null;
  readonly bytes: number | null;
  readonly updated_at: string;
}

export interface ReadWorkspaceFileInput {
  /** In the workspace, such as chats/plans.chat. */
  readonly path: string;
}

export interface CreateWorkspaceInput {
  readonly name: string;
}

export interface ListWorkspacesInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface RenameWorkspaceInput {
  readonly name: string;
}

export interface DeleteWorkspaceOutput {
  readonly id: string;
  readonly deleted: true;
}

export interface ListWorkspaceFilesInput {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** At most this many. */
  readonly limit?: number | undefined;
}

/** The methods `client.workspaces`. */
export interface WorkspacesMethods {
  /**
   * The content of a file, by its path; supports If-None-Match. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/files/content`
   */
  readFile(id: string, input: ReadWorkspaceFileInput, options?: CallOptions): Promise<Response>;
  /**
   * Create a workspace of yours, or find the one of that name. Needs a token of scope `work`.
   *
   * `POST /workspaces`
   */
  create(input: CreateWorkspaceInput, options?: CallOptions): Promise<Workspace>;
  /**
   * Your workspaces and those of conversations in which you take part, newest first. Needs a token of scope `read`.
   *
   * `GET /workspaces`
   */
  list(input?: ListWorkspacesInput, options?: CallOptions): List<Workspace>;
  /**
   * One workspace. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}`
   */
  show(id: string, options?: CallOptions): Promise<Workspace>;
  /**
   * Rename a workspace of yours. Needs a token of scope `work`.
   *
   * `PATCH /workspaces/{id}`
   */
  rename(id: string, input: RenameWorkspaceInput, options?: CallOptions): Promise<Workspace>;
  /**
   * Delete a workspace of yours that has no conversations. Needs a token of scope `work`.
   *
   * `DELETE /workspaces/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<DeleteWorkspaceOutput>;
  /**
   * The files of a workspace, newest first. Needs a token of scope `read`.
   *
   * `GET /workspaces/{id}/files`
   */
  listFiles(id: string, input?: ListWorkspaceFilesInput, options?: CallOptions): List<WorkspaceFile>;
}
