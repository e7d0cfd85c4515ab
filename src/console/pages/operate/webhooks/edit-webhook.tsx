/** Adds a webhook, or changes where and about what it is told. */
import { useState } from 'preact/hooks';
import type { AddWebhookInput, Webhook, WebhookEvent } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { S } from '../../../words/strings.ts';
import { type Made, namesOf, WEBHOOK_EVENTS } from './webhook-input.ts';

interface EditWebhookProps {
  /** Null: a new one. */
  readonly webhook: Webhook | null;
  readonly onSecret: (made: Made) => void;
  readonly onClose: () => void;
}

const USUAL: readonly WebhookEvent[] = ['work.completed', 'work.dead', 'approval.waiting'];

export function EditWebhook({ webhook, onSecret, onClose }: EditWebhookProps) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [label, setLabel] = useState(webhook?.label ?? '');
  const [faculties, setFaculties] = useState((webhook?.faculties ?? []).join(', '));
  const [events, setEvents] = useState<readonly WebhookEvent[]>(webhook?.events ?? USUAL);
  const act = async () => {
    const names = namesOf(faculties);
    const input: AddWebhookInput = { url: url.trim(), label, events };
    if (webhook !== null) {
      const { warning } = await api.webhooks.change(webhook.id, { ...input, faculties: names });
      return S.operate.webhooks.changed(warning ?? null);
    }
    const { secret, warning } = await api.webhooks.add({ ...input, ...(names.length > 0 && { faculties: names }) });
    onSecret({ secret, warning: warning ?? null });
    return S.operate.webhooks.added;
  };
  const toggle = (event: WebhookEvent) =>
    setEvents(WEBHOOK_EVENTS.filter((one) => (one === event ? !events.includes(one) : events.includes(one))));
  const title = webhook === null ? S.operate.webhooks.add : S.operate.webhooks.change;
  return (
    <Confirm title={title} act={act} label={title} onClose={onClose}>
      <label>
        {S.operate.webhooks.columns.url}
        <input type="url" value={url} required onInput={(event) => setUrl(event.currentTarget.value)} />
      </label>
      <label>
        {S.operate.webhooks.label}
        <input value={label} maxLength={200} onInput={(event) => setLabel(event.currentTarget.value)} />
      </label>
      <label>
        {S.operate.webhooks.faculties}
        <input value={faculties} onInput={(event) => setFaculties(event.currentTarget.value)} />
      </label>
      <fieldset>
        <legend>{S.operate.webhooks.events}</legend>
        {WEBHOOK_EVENTS.map((event) => (
          <label key={event} class="check">
            <input type="checkbox" checked={events.includes(event)} onChange={() => toggle(event)} />
            <code>{event}</code>
          </label>
        ))}
      </fieldset>
    </Confirm>
  );
}
