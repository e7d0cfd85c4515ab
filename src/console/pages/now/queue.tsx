/** What is queued, by faculty, and why it does not go on. */
import type { Status } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { Action } from '../../ui/action.tsx';
import { Time } from '../../ui/time.tsx';
import { S } from '../../words/strings.ts';

interface QueueProps extends Pick<Status, 'queue' | 'pauses'> {
  readonly reload: () => void;
}

export function Queue({ queue, pauses, reload }: QueueProps) {
  return (
    <section class="panel" aria-labelledby="queue">
      <h2 id="queue">{S.now.queue}</h2>
      {queue.length === 0 && <p class="faint">{S.now.nothingQueued}</p>}
      <ul class="plain rows">
        {queue.map(({ faculty, queued, capped, oldest_at, routable }) => {
          const pause = pauses.find((one) => one.faculty === faculty || one.faculty === '*');
          return (
            <li key={faculty}>
              <a class="grow clip" href={hrefTo('work', [], { state: 'queued', faculty })}>
                {faculty}
              </a>
              {pause && <span class="state state-waiting">{S.now.paused(pause.paused_by, pause.reason)}</span>}
              {pause && may('decide') && (
                <Action act={() => api.operate.resume(pause.faculty)} done={S.now.resumed(faculty)} after={reload}>
                  {S.now.resume}
                </Action>
              )}
              {!routable && <span class="state state-dead">{S.now.unroutable}</span>}
              <span class="number">{S.now.items(queued, capped)}</span>
              <Time at={oldest_at} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
