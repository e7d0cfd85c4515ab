/** Webhooks with what waits, what failed for good, and all that can be done about them. */
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { changeQuery, place } from '../../../model/place.ts';
import { may } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Secret } from '../../../ui/secret.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { EditWebhook } from './edit-webhook.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import type { Made } from './webhook-input.ts';

const REFRESH_MS = 15_000;

export function Webhooks() {
  const read = useLoaded((signal) => api.webhooks.list({ signal }), [], { everyMs: REFRESH_MS });
  const [adds, setAdds] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const named = place.value.query.get('webhook');
  const { columns } = S.operate.webhooks;
  return (
    <>
      <div class="section-head">
        <p class="faint">{S.operate.webhooks.hint}</p>
        {may('work') && (
          <button type="button" onClick={() => setAdds(true)}>
            {S.operate.webhooks.add} …
          </button>
        )}
      </div>
      <Shown of={read}>
        {({ items }) => {
          const shown = items.find(({ id }) => id === named);
          return (
            <>
              <Table
                columns={[
                  columns.url,
                  columns.owner,
                  { number: columns.pending },
                  { number: columns.dead },
                  columns.last,
                  columns.state,
                ]}
                none={S.operate.webhooks.none}
                count={items.length}
              >
                {items.map((webhook) => (
                  <Row key={webhook.id} webhook={webhook} isShown={webhook === shown} />
                ))}
              </Table>
              {shown !== undefined && (
                <WebhookDetail key={shown.id} webhook={shown} reload={read.reload} onSecret={setMade} />
              )}
            </>
          );
        }}
      </Shown>
      {adds && (
        <EditWebhook
          webhook={null}
          onSecret={setMade}
          onClose={() => {
            setAdds(false);
            read.reload();
          }}
        />
      )}
      {made !== null && !adds && <Secret title={S.operate.webhooks.secret} {...made} onClose={() => setMade(null)} />}
    </>
  );
}

function Row({ webhook, isShown }: { readonly webhook: Webhook; readonly isShown: boolean }) {
  const { id, url, label, owner, pending, dead, last_delivered_at, last_error, active, overflow } = webhook;
  return (
    <tr>
      <td class="operate-wide">
        <button
          type="button"
          class="quiet"
          aria-expanded={isShown}
          onClick={() => changeQuery({ webhook: isShown ? null : id })}
        >
          <VisibleText text={label === '' ? url : label} kind="text" most={200} />
        </button>
        {label !== '' && (
          <div class="faint">
            <VisibleText text={url} most={200} />
          </div>
        )}
      </td>
      <td>
        <VisibleText text={owner} kind="text" most={100} />
      </td>
      <td class="number">{pending.toLocaleString('en')}</td>
      <td class={dead > 0 ? 'number state-dead' : 'number'}>{dead.toLocaleString('en')}</td>
      <td>
        <Time at={last_delivered_at} none={S.common.never} />
      </td>
      <td class="operate-wide">
        {!active && <div class="state-dead">{S.operate.webhooks.inactive}</div>}
        {overflow !== null && <div class="state-dead">{S.operate.webhooks.overflow[overflow]}</div>}
        {last_error !== null && <VisibleText text={last_error} kind="text" most={300} />}
      </td>
    </tr>
  );
}
