// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { CallOptions } from '../options.ts';

export interface Approval {
  readonly work_item_id: string | null;
  readonly faculty: string;
  /** What a decision names; another request has another id. */
  readonly ask_id: string;
  /** The call that waits, as its provider has named it; null where none waits. */
  readonly call_id: string | null;
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
  /** How many work items wait for the same limit: a decision is about all of them (a denial ends 1,000 at most); 1 for anything else. */
  readonly items: number;
  /** The first hundred of them; with work_item_id, only that item. */
  readonly work_items: readonly (string | null)[];
}

export interface ApprovalGroup {
  readonly group_id: string;
  readonly subject: string;
  readonly faculty: string;
  /** The item that asks, with all that is below it; null: a limit or a faculty. */
  readonly root_id: string | null;
  readonly tool: string | null;
  /** The rule that asks. */
  readonly reason: string | null;
  readonly count: number;
  /** How many work items ask. */
  readonly items: number;
  readonly first_asked_at: string;
  readonly last_asked_at: string;
  /** The first one. */
  readonly deadline: string | null;
  /** All ask for exactly the same, so they may be approved together. */
  readonly identical: boolean;
  /** The first hundred, oldest first. */
  readonly ask_ids: readonly string[];
}

export interface DecidedBudget {
  readonly scope: 'item' | 'root' | 'faculty' | 'appliance';
  /** The id of the item or root, the name of the faculty, or empty. */
  readonly subject: string;
  readonly unit: 'usd' | 'tokens';
  readonly period: 'none' | 'day' | 'month';
  /** The limit that applies now; null: none does. */
  readonly amount: number | null;
  /** Until when it applies. */
  readonly ends: string | null;
  /** How many work items go on or, after a denial, end. */
  readonly items: number;
  /** The first hundred of them. */
  readonly work_items: readonly string[];
  /** How many still wait for the same limit. */
  readonly waiting: number;
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
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ListApprovalsOutput {
  readonly items: readonly Approval[];
}

export interface ListApprovalGroupsInput {
  /** At most this many. */
  readonly limit?: number | undefined;
}

export interface ListApprovalGroupsOutput {
  readonly items: readonly ApprovalGroup[];
}

export interface DecideApprovalsInput {
  readonly ask_ids: readonly string[];
  /** `answer` acknowledges what was lost; `approve` is for calls that are exactly the same. */
  readonly action: 'deny' | 'answer' | 'approve';
  readonly note: string;
}

export interface DecideApprovalsOutput {
  /** What no longer waits is left out. */
  readonly decided: number;
}

export interface ApproveInput {
  /** Of what is decided, as it was shown: 409 if it no longer waits. */
  readonly ask_id: string;
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
  readonly ask_id: string;
  /** Of a decision about a limit: what applies now, and what goes on; null for others. */
  readonly budget: DecidedBudget | null;
  readonly grant_id: string | null;
}

export interface DenyInput {
  /** Of what is decided, as it was shown: 409 if it no longer waits. */
  readonly ask_id: string;
  readonly note?: string | undefined;
  /** Refused with 409 if something else waits by now. */
  readonly hash?: string | undefined;
}

export interface DenyOutput {
  readonly work_item_id: string;
  readonly ask_id: string;
  /** Of a decision about a limit: what applies now, and what goes on; null for others. */
  readonly budget: DecidedBudget | null;
}

export interface AnswerInput {
  readonly text: string;
  /** Of what is decided, as it was shown: 409 if it no longer waits. */
  readonly ask_id: string;
}

export interface AnswerOutput {
  readonly work_item_id: string;
  readonly ask_id: string;
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
   * What waits for a person, oldest first; all that waits for one limit is one entry. Needs a token of scope `read`.
   *
   * `GET /approvals`
   */
  list(input?: ListApprovalsInput, options?: CallOptions): Promise<ListApprovalsOutput>;
  /**
   * What waits for a person by cause, so that one item cannot hide the others. Needs a token of scope `read`.
   *
   * `GET /approvals/groups`
   */
  listGroups(input?: ListApprovalGroupsInput, options?: CallOptions): Promise<ListApprovalGroupsOutput>;
  /**
   * Decide about many requests at once, each named by its id; for operators. Needs a token of scope `decide`.
   *
   * `POST /approvals/decide`
   */
  decide(input: DecideApprovalsInput, options?: CallOptions): Promise<DecideApprovalsOutput>;
  /**
   * Approve what waits; for operators. Needs a token of scope `decide`.
   *
   * `POST /work/{id}/approve`
   */
  approve(id: string, input: ApproveInput, options?: CallOptions): Promise<ApproveOutput>;
  /**
   * Deny what waits; the model gets the note; for operators. Needs a token of scope `decide`.
   *
   * `POST /work/{id}/deny`
   */
  deny(id: string, input: DenyInput, options?: CallOptions): Promise<DenyOutput>;
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
