// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export type AuditLine = AuditRow | RefusedCall | Decision;

export interface AuditRow {
  readonly id: string;
  /** Its place in the chain of its item or target. */
  readonly seq: number;
  readonly created_at: string;
  readonly decided_by: string;
  readonly action: string;
  readonly note: string;
  readonly work_item_id: string | null;
  /** What it is about, if not a work item. */
  readonly target: string | null;
  readonly call_id: string | null;
  /** Null after the note was erased. */
  readonly salt: string | null;
  /** SHA-256, hexadecimal. */
  readonly note_digest: string;
  readonly work_digest: string | null;
  readonly subject_digest: string | null;
  readonly previous_hash: string | null;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
  readonly erased: boolean;
  readonly faculty: string | null;
  readonly submitted_by: string | null;
  readonly submitted_at: string | null;
  readonly focus_id: string | null;
  readonly turn: number | null;
  readonly tool: string | null;
  /** The request that it decides. */
  readonly ask_id: string | null;
  /** What kind of request that is. */
  readonly subject: string | null;
  /** With which a person decided. */
  readonly token_id: string | null;
}

export interface RefusedCall {
  readonly action: 'refuse';
  readonly created_at: string;
  readonly work_item_id: string;
  readonly faculty: string;
  readonly submitted_by: string;
  readonly focus_id: string;
  readonly turn: number;
  readonly call_id: string;
  readonly tool: string;
  readonly refused_by: 'person' | 'deadline' | 'nobody' | 'permission' | 'hook' | 'engine' | 'tool';
  /** The key of the rule, the name of the hook or the boundary, or why a person was asked. */
  readonly rule: string | null;
  readonly decided_by: string | null;
}

export interface Decision {
  readonly id: string;
  /** Its place in the chain of its item or target. */
  readonly seq: number;
  readonly created_at: string;
  readonly decided_by: string;
  readonly action: string;
  readonly note: string;
  readonly work_item_id: string | null;
  /** What it is about, if not a work item. */
  readonly target: string | null;
  readonly call_id: string | null;
  /** Null after the note was erased. */
  readonly salt: string | null;
  /** SHA-256, hexadecimal. */
  readonly note_digest: string;
  readonly work_digest: string | null;
  readonly subject_digest: string | null;
  readonly previous_hash: string | null;
  /** SHA-256, hexadecimal. */
  readonly hash: string;
}

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
