/** What a form about a webhook says. */
import type { WebhookEvent } from '../../../../client/client.ts';

export const WEBHOOK_EVENTS: readonly WebhookEvent[] = [
  'work.queued',
  'work.scheduled',
  'work.claimed',
  'work.running',
  'work.waiting',
  'work.completed',
  'work.dead',
  'work.cancelled',
  'work.merged',
  'approval.waiting',
];

/** Names with commas or spaces between them, each once. */
export function namesOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

/** What an answer contains once. */
export interface Made {
  readonly secret: string;
  readonly warning: string | null;
}
