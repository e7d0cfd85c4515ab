/** What becomes of a test: looked at until it has arrived or failed. */
import { api } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Shown } from '../../../ui/shown.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

const REFRESH_MS = 1000;

export function TestDelivery({ webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string }) {
  const read = useLoaded((signal) => api.webhooks.showDelivery(webhookId, deliveryId, { signal }), [deliveryId], {
    everyMs: REFRESH_MS,
  });
  return (
    <div role="status">
      <Shown of={read}>
        {({ state, attempts, last_status, last_error }) => (
          <p class={state === 'delivered' ? 'state-completed' : 'state-waiting'}>
            {S.operate.webhooks.tested[state](attempts)} {last_status}{' '}
            <VisibleText text={last_error ?? ''} kind="text" most={300} />
          </p>
        )}
      </Shown>
    </div>
  );
}
