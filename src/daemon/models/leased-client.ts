/** The model client of a focus: it sends nothing, and passes on no answer, before the lease is certainly valid. */
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { FocusModel } from '../../engage/turn/focus-model.ts';

/**
 * Of turns and of side calls. An answer that waited in the socket while this process was frozen was paid for: it counts if the lease can still be
 * renewed. `complete` rejects with `work.lease_lost`.
 */
export function leasedModel<Model extends Pick<FocusModel, 'client'>>(model: Model, lease: Lease): Model {
  const { client } = model;
  return {
    ...model,
    client: {
      ...client,
      async complete(request, options) {
        await lease.sure();
        const result = await client.complete(request, { ...options, beforeSend: () => lease.sure() });
        await lease.sure();
        return result;
      },
    },
  };
}
