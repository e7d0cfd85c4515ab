/** One webhook: its dead letters, and what may be done about it. */
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { changeQuery, hrefTo } from '../../../model/place.ts';
import { may } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Action } from '../../../ui/action.tsx';
import { Confirm } from '../../../ui/confirm.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { EditWebhook } from './edit-webhook.tsx';
import { TestDelivery } from './test-delivery.tsx';
import type { Made } from './webhook-input.ts';

const PAGE = 100;

interface WebhookDetailProps {
  readonly webhook: Webhook;
  readonly reload: () => void;
  readonly onSecret: (made: Made) => void;
}

export function WebhookDetail({ webhook, reload, onSecret }: WebhookDetailProps) {
  const { id } = webhook;
  const dead = useLoaded((signal) => api.webhooks.listDeadDeliveries(id, { limit: PAGE }, { signal }).page(), [id]);
  const [opened, setOpened] = useState<'change' | 'rotate' | 'remove' | null>(null);
  const [delivery, setDelivery] = useState<string | null>(null);
  const again = () => {
    dead.reload();
    reload();
  };
  const close = () => {
    setOpened(null);
    reload();
  };
  return (
    <section class="panel page-part" aria-labelledby="webhook">
      <h2 id="webhook">
        <VisibleText text={webhook.url} most={300} />
      </h2>
      <p class="faint">
        {webhook.events.join(', ')} ·{' '}
        {webhook.faculties === null ? S.operate.webhooks.allFaculties : webhook.faculties.join(', ')} ·{' '}
        {S.operate.webhooks.secretVersion(webhook.secret_version)}
        {webhook.old_secret_until !== null && (
          <>
            {' · '}
            {S.operate.webhooks.oldSecret} <Time at={webhook.old_secret_until} />
          </>
        )}
      </p>
      {may('work') && (
        <div class="filters">
          <Action
            act={async () => {
              const { delivery_id } = await api.webhooks.test(id);
              setDelivery(delivery_id);
            }}
          >
            {S.operate.webhooks.test}
          </Action>
          {(['change', 'rotate', 'remove'] as const).map((act) => (
            <button
              key={act}
              type="button"
              class={act === 'remove' ? 'danger' : undefined}
              onClick={() => setOpened(act)}
            >
              {S.operate.webhooks.acts[act]} …
            </button>
          ))}
          {webhook.dead > 0 && (
            <Action act={() => api.webhooks.retryDeliveries(id)} done={S.operate.webhooks.retried} after={again}>
              {S.operate.webhooks.retryAll}
            </Action>
          )}
        </div>
      )}
      {delivery !== null && <TestDelivery key={delivery} webhookId={id} deliveryId={delivery} />}
      <h3>{S.operate.webhooks.deadLetters}</h3>
      <Shown of={dead}>
        {({ items, next }) => (
          <>
            <DeadLetters items={items} webhookId={id} after={again} />
            {next !== null && <p class="faint">{S.operate.webhooks.newest(items.length)}</p>}
          </>
        )}
      </Shown>
      {opened === 'change' && <EditWebhook webhook={webhook} onSecret={onSecret} onClose={close} />}
      {opened === 'rotate' && <Rotate id={id} onSecret={onSecret} onClose={close} />}
      {opened === 'remove' && (
        <Confirm
          title={S.operate.webhooks.removeTitle}
          act={async () => {
            await api.webhooks.remove(id);
            changeQuery({ webhook: null }, { replace: true });
            return S.operate.webhooks.removed;
          }}
          label={S.operate.remove}
          kind="danger"
          onClose={close}
        >
          <p class="faint">{S.operate.webhooks.removeHint}</p>
        </Confirm>
      )}
    </section>
  );
}

interface DeadLettersProps {
  readonly items: Awaited<ReturnType<ReturnType<typeof api.webhooks.listDeadDeliveries>['page']>>['items'];
  readonly webhookId: string;
  readonly after: () => void;
}

function DeadLetters({ items, webhookId, after }: DeadLettersProps) {
  const { columns } = S.operate.webhooks;
  return (
    <Table
      columns={[columns.event, { number: columns.attempts }, columns.error, columns.when, columns.acts]}
      none={S.operate.webhooks.noDead}
      count={items.length}
    >
      {items.map(({ id, event, work_item_id, attempts, last_status, last_error, ended_at }) => (
        <tr key={id}>
          <td>
            <code>{event}</code>{' '}
            {work_item_id !== null && <a href={hrefTo('work', [work_item_id])}>{S.operate.schedules.item}</a>}
          </td>
          <td class="number">{attempts}</td>
          <td class="operate-wide">
            {last_status} <VisibleText text={last_error ?? ''} kind="text" most={300} />
          </td>
          <td>
            <Time at={ended_at} />
          </td>
          <td class="operate-acts">
            {may('work') && (
              <Action
                kind="quiet"
                act={() => api.webhooks.retryDeliveries(webhookId, { delivery_id: id })}
                done={S.operate.webhooks.retried}
                after={after}
              >
                {S.operate.webhooks.retry}
              </Action>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

const KEEP_HOURS = 24;

interface RotateProps {
  readonly id: string;
  readonly onSecret: (made: Made) => void;
  readonly onClose: () => void;
}

function Rotate({ id, onSecret, onClose }: RotateProps) {
  const [hours, setHours] = useState(String(KEEP_HOURS));
  const act = async () => {
    const { secret, warning } = await api.webhooks.rotate(id, { keep_hours: Number(hours) });
    onSecret({ secret, warning: warning ?? null });
    return S.operate.webhooks.rotated;
  };
  return (
    <Confirm title={S.operate.webhooks.rotateTitle} act={act} label={S.operate.webhooks.acts.rotate} onClose={onClose}>
      <label>
        {S.operate.webhooks.keepHours}
        <input
          type="number"
          min="0"
          step="1"
          value={hours}
          required
          onInput={(event) => setHours(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  );
}
