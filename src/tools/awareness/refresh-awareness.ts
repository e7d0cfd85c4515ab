/** refresh_awareness: the digest of other work again, as it is now. */
import { z } from 'zod';
import type { AwarenessSettings } from '../../catalog/faculty/awareness.ts';
import { rememberedOf } from '../../core/text/remembered.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import { readAwareness, readAwarenessPlace } from '../../store/work/awareness.ts';
import { record } from '../../telemetry/metrics.ts';
import { databaseTool, type Tool, toolError } from '../tool.ts';
import { awarenessView, resourcesOf } from './awareness-view.ts';
import { awarenessDigest } from './digest-text.ts';

/** The tool of a faculty with these settings. The same object for the same settings, because its definition is written down once. */
export const refreshAwareness = rememberedOf(
  (settings: AwarenessSettings): Tool =>
    databaseTool({
      name: 'refresh_awareness',
      description:
        'Shows what other agents do here now, and what they completed and found recently. Use it before something large that others may be doing too.',
      risk: 'read',
      input: z.strictObject({}),
      async run(_input, { workItemId, faculty }, tx) {
        const began = performance.now();
        const place = await readAwarenessPlace(tx, workItemId);
        if (place === null) return toolError('this work item no longer exists');
        const { readers, ancestors, params } = place;
        const view = awarenessView(await readAwareness(tx, readers, settings.lookbackHours));
        const own = { id: workItemId, ancestors, resources: resourcesOf(params) };
        const digest = awarenessDigest(view, own, settings);
        record('work.awareness.digest_latency', performance.now() - began, { faculty });
        record('work.awareness.digest_size', digest === null ? 0 : estimateTokens(digest), { faculty });
        return { content: digest ?? 'No other work that you may see is running or ended recently.' };
      },
    }),
);
