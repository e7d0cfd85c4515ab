// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export interface ExportAuditInput {
  /** From this time on. */
  readonly since?: string | undefined;
  /** Before this time. */
  readonly until?: string | undefined;
  /** Only the newest decision of every chain, without the times. */
  readonly heads?: string | undefined;
}

export type CheckAuditOutput = string;

/** The methods `client.audit`. */
export interface AuditMethods {
  /**
   * Decisions and refused calls, oldest first, one per line; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /audit`
   */
  export(input?: ExportAuditInput, options?: CallOptions): Promise<Response>;
  /**
   * Check the chain of the decisions of each work item; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /audit/check`
   */
  check(options?: CallOptions): Promise<CheckAuditOutput>;
}
