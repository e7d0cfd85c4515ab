// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export interface ChainsVerdict {
  readonly intact: boolean;
  readonly decisions: number;
  readonly chains: number;
  /** Decisions whose note was erased. */
  readonly erased: number;
  readonly faults: readonly {
    readonly fault: 'changed' | 'missing' | 'reordered' | 'replaced' | 'unchained';
    readonly id: string;
    readonly detail: string;
    readonly work_item_id?: string | null | undefined;
    readonly target?: string | null | undefined;
    readonly seq?: number | undefined;
  }[];
}

export interface ExportAuditInput {
  /** From this time on. */
  readonly since?: string | undefined;
  /** Before this time. */
  readonly until?: string | undefined;
  /** Only the newest decision of every chain, without the times. */
  readonly heads?: string | undefined;
}

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
  check(options?: CallOptions): Promise<ChainsVerdict>;
}
