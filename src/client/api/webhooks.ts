// Written by `npm run client` from the OpenAPI document. Do not edit.

/** What the routes of this group take and answer. */

import type { List } from '../list.ts';
import type { CallOptions } from '../options.ts';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: all. */
  readonly faculties: readonly string[] | null;
  readonly label: string;
  /** It gets only what this actor may see. */
  readonly owner: string;
  /** False: the owner is disabled, and nothing is sent. */
  readonly active: boolean;
  /** A fingerprint of the key from which its secret is derived. */
  readonly key_mark: string;
  /** How many secrets it has had. */
  readonly secret_version: number;
  /** Until when the previous secret also signs. */
  readonly old_secret_until: string | null;
  readonly created_at: string;
  /** Deliveries that wait. */
  readonly pending: number;
  /** Dead letters. */
  readonly dead: number;
  /** Too many deliveries wait: new ones become dead letters, or are not kept at all. */
  readonly overflow: 'dead' | 'dropped' | null;
  readonly overflow_since: string | null;
  /** When events were last lost. */
  readonly dropped_at: string | null;
  readonly last_delivered_at: string | null;
  readonly last_error: string | null;
}

export type WebhookEvent =
  | 'work.queued'
  | 'work.scheduled'
  | 'work.claimed'
  | 'work.running'
  | 'work.waiting'
  | 'work.completed'
  | 'work.dead'
  | 'work.cancelled'
  | 'work.merged'
  | 'approval.waiting';

export interface NewWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: all. */
  readonly faculties: readonly string[] | null;
  readonly label: string;
  /** It gets only what this actor may see. */
  readonly owner: string;
  /** False: the owner is disabled, and nothing is sent. */
  readonly active: boolean;
  /** A fingerprint of the key from which its secret is derived. */
  readonly key_mark: string;
  /** How many secrets it has had. */
  readonly secret_version: number;
  /** Until when the previous secret also signs. */
  readonly old_secret_until: string | null;
  readonly created_at: string;
  /** Deliveries that wait. */
  readonly pending: number;
  /** Dead letters. */
  readonly dead: number;
  /** Too many deliveries wait: new ones become dead letters, or are not kept at all. */
  readonly overflow: 'dead' | 'dropped' | null;
  readonly overflow_since: string | null;
  /** When events were last lost. */
  readonly dropped_at: string | null;
  readonly last_delivered_at: string | null;
  readonly last_error: string | null;
  /** For the receiver; shown once. */
  readonly secret: string;
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface DeadDelivery {
  /** A number. */
  readonly id: string;
  readonly webhook_id: string;
  readonly work_item_id: string | null;
  readonly event: string;
  readonly attempts: number;
  /** Null: there was no answer. */
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly created_at: string;
  readonly ended_at: string;
}

export interface Delivery {
  /** A number. */
  readonly id: string;
  readonly webhook_id: string;
  readonly event: string;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

export interface ListWebhooksOutput {
  readonly items: readonly Webhook[];
}

export interface AddWebhookInput {
  readonly url: string;
  readonly events?: readonly WebhookEvent[] | undefined;
  /** Default: all. */
  readonly faculties?: readonly string[] | undefined;
  readonly label?: string | undefined;
}

export interface ChangeWebhookInput {
  /** What waits to be delivered goes there, too. */
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | undefined;
  /** An empty list: all. */
  readonly faculties?: readonly string[] | undefined;
  readonly label?: string | undefined;
}

export interface ChangeWebhookOutput {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Null: all. */
  readonly faculties: readonly string[] | null;
  readonly label: string;
  /** It gets only what this actor may see. */
  readonly owner: string;
  /** False: the owner is disabled, and nothing is sent. */
  readonly active: boolean;
  /** A fingerprint of the key from which its secret is derived. */
  readonly key_mark: string;
  /** How many secrets it has had. */
  readonly secret_version: number;
  /** Until when the previous secret also signs. */
  readonly old_secret_until: string | null;
  readonly created_at: string;
  /** Deliveries that wait. */
  readonly pending: number;
  /** Dead letters. */
  readonly dead: number;
  /** Too many deliveries wait: new ones become dead letters, or are not kept at all. */
  readonly overflow: 'dead' | 'dropped' | null;
  readonly overflow_since: string | null;
  /** When events were last lost. */
  readonly dropped_at: string | null;
  readonly last_delivered_at: string | null;
  readonly last_error: string | null;
  /** What to look at, for people: such as a faculty that no running daemon serves. */
  readonly warning?: string | undefined;
}

export interface RemoveWebhookOutput {
  readonly id: string;
  readonly removed: true;
}

export interface RotateWebhookInput {
  readonly keep_hours?: number | undefined;
}

export interface TestWebhookOutput {
  readonly id: string;
  readonly delivery_id: string;
}

export interface ListDeadDeliveriesInput {
  /** At most this many. */
  readonly limit?: number | undefined;
  /** The number of a delivery. */
  readonly after?: string | undefined;
}

export interface RetryDeliveriesInput {
  /** The number of a delivery. */
  readonly delivery_id?: string | undefined;
}

export interface RetryDeliveriesOutput {
  readonly id: string;
  readonly retried: number;
}

/** The methods `client.webhooks`. */
export interface WebhooksMethods {
  /**
   * Your webhooks, or all for operators, oldest first. Needs a token of scope `read`.
   *
   * `GET /webhooks`
   */
  list(options?: CallOptions): Promise<ListWebhooksOutput>;
  /**
   * Add a webhook for what you may see; only this answer contains its secret. Needs a token of scope `work`.
   *
   * `POST /webhooks`
   */
  add(input: AddWebhookInput, options?: CallOptions): Promise<NewWebhook>;
  /**
   * One webhook. Needs a token of scope `read`.
   *
   * `GET /webhooks/{id}`
   */
  show(id: string, options?: CallOptions): Promise<Webhook>;
  /**
   * Change the address, the events, the faculties or the label of a webhook; its secret stays. Needs a token of scope `work`.
   *
   * `PATCH /webhooks/{id}`
   */
  change(id: string, input?: ChangeWebhookInput, options?: CallOptions): Promise<ChangeWebhookOutput>;
  /**
   * Remove a webhook with all its deliveries. Needs a token of scope `work`.
   *
   * `DELETE /webhooks/{id}`
   */
  remove(id: string, options?: CallOptions): Promise<RemoveWebhookOutput>;
  /**
   * Make a new secret, which only this answer contains; the previous one also signs for some hours. Needs a token of scope `work`.
   *
   * `POST /webhooks/{id}/rotate`
   */
  rotate(id: string, input?: RotateWebhookInput, options?: CallOptions): Promise<NewWebhook>;
  /**
   * Send the event webhook.test through a daemon; GET /webhooks/{id}/deliveries/{delivery_id} shows the result. Needs a token of scope `work`.
   *
   * `POST /webhooks/{id}/test`
   */
  test(id: string, options?: CallOptions): Promise<TestWebhookOutput>;
  /**
   * The deliveries of a webhook that failed permanently, newest first. Needs a token of scope `read`.
   *
   * `GET /webhooks/{id}/dead-letters`
   */
  listDeadDeliveries(id: string, input?: ListDeadDeliveriesInput, options?: CallOptions): List<DeadDelivery>;
  /**
   * The state of a delivery; those that arrived are kept for a day. Needs a token of scope `read`.
   *
   * `GET /webhooks/{id}/deliveries/{delivery_id}`
   */
  showDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<Delivery>;
  /**
   * Send the deliveries that failed permanently again, or one of them, with the same ids. Needs a token of scope `work`.
   *
   * `POST /webhooks/{id}/retry`
   */
  retryDeliveries(id: string, input?: RetryDeliveriesInput, options?: CallOptions): Promise<RetryDeliveriesOutput>;
}
