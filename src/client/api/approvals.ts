// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export interface Approval {
  readonly work_item_id: string | null;
  readonly faculty: string;
  /** The name of the call or wait; `skill:NAME` for a proposed skill. */
  readonly call_id: string;
  readonly kind: string;
  readonly subject: string;
  /** Exactly what is to be decided, made from what is recorded. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Binds a decision to this request. */
  readonly hash: string;
  readonly asked_at: string;
  readonly deadline: string | null;
  readonly turn: number | null;
  readonly submitted_by: string | null;
  readonly description: string;
}

export interface Grant {
  readonly id: string;
  readonly scope: 'item' | 'faculty';
  readonly work_item_id: string | null;
  readonly faculty: string;
  readonly tool: string;
  /** Of inputs; null: for one exact input, which has the hash. */
  readonly pattern: string | null;
  readonly hash: string | null;
  readonly note: string;
  readonly granted_by: string;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface ListApprovalsInput {
  /** Only what this item waits for. */
  readonly work_item_id?: string | undefined;
  /** How many there are at most. */
  readonly limit?: number | undefined;
}

export interface ListApprovalsOutput {
  readonly items: readonly Approval[];
}

export interface ApproveInput {
  /** May be left out if only one fits. */
  readonly call_id?: string | undefined;
  readonly note?: string | undefined;
  /** Refused with 409 if something else waits by now. */
  readonly hash?: string | undefined;
  /** The call runs with this input instead. */
  readonly input?: unknown;
  /** Also allow calls like this one from now on, without asking. */
  readonly always?:
    | {
        readonly scope?: 'item' | 'faculty' | undefined;
        /** How long; default a week, at most 366 days. */
        readonly seconds?: number | undefined;
        /** Of inputs, such as `npm test*`; default: exactly this one. */
        readonly pattern?: string | undefined;
      }
    | undefined;
}

export interface ApproveOutput {
  readonly work_item_id: string;
  readonly call_id: string;
  readonly grant_id: string | null;
}

export interface DenyInput {
  /** May be left out if only one fits. */
  readonly call_id?: string | undefined;
  readonly note?: string | undefined;
  /** Refused with 409 if something else waits by now. */
  readonly hash?: string | undefined;
}

export interface DenyOutput {
  readonly work_item_id: string;
  readonly call_id: string;
}

export interface AnswerInput {
  readonly text: string;
  /** May be left out if only one fits. */
  readonly call_id?: string | undefined;
}

export interface AnswerOutput {
  readonly work_item_id: string;
  readonly call_id: string;
}

export interface ListGrantsOutput {
  readonly items: readonly Grant[];
}

export interface RevokeGrantOutput {
  readonly id: string;
  /** False: it had ended before. */
  readonly revoked: boolean;
}

/** The methods `client.approvals`. */
export interface ApprovalsMethods {
  /**
   * What waits for a person, oldest first. Needs a token of scope `read`.
   *
   * `GET /approvals`
   */
  list(input?: ListApprovalsInput, options?: CallOptions): Promise<ListApprovalsOutput>;
  /**
   * Approve what waits; for operators. Needs a token of scope `decide`.
   *
   * `POST /work/{id}/approve`
   */
  approve(id: string, input?: ApproveInput, options?: CallOptions): Promise<ApproveOutput>;
  /**
   * Deny what waits; the model gets the note; for operators. Needs a token of scope `decide`.
   *
   * `POST /work/{id}/deny`
   */
  deny(id: string, input?: DenyInput, options?: CallOptions): Promise<DenyOutput>;
  /**
   * Answer a question of the model; for operators. Needs a token of scope `decide`.
   *
   * `POST /work/{id}/answer`
   */
  answer(id: string, input: AnswerInput, options?: CallOptions): Promise<AnswerOutput>;
  /**
   * The calls that run without an approval; for those who may see all work. Needs a token of scope `read`.
   *
   * `GET /grants`
   */
  listGrants(options?: CallOptions): Promise<ListGrantsOutput>;
  /**
   * End a grant; calls that have started continue; for operators. Needs a token of scope `decide`.
   *
   * `DELETE /grants/{id}`
   */
  revokeGrant(id: string, options?: CallOptions): Promise<RevokeGrantOutput>;
}
