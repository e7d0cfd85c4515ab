/** The daemons, and how many of their slots are taken. */
import type { Status } from '../../../client/client.ts';
import { Time } from '../../ui/time.tsx';
import { S } from '../../words/strings.ts';

export function Daemons({ daemons, foci }: Pick<Status, 'daemons' | 'foci'>) {
  return (
    <section class="panel" aria-labelledby="daemons">
      <h2 id="daemons">{S.now.daemons}</h2>
      {daemons.length === 0 && <p class="faint">{S.now.noDaemons}</p>}
      <ul class="plain rows">
        {daemons.map((daemon) => {
          const taken = foci.filter(({ daemon_id }) => daemon_id === daemon.id).length;
          return (
            <li key={daemon.id}>
              <span class="grow clip">
                {daemon.host} <span class="faint">{daemon.version}</span>
              </span>
              {!daemon.alive && <span class="state state-dead">{S.now.gone}</span>}
              <span class="number">
                {taken} / {S.now.slots(daemon.max_concurrent)}
              </span>
              <Time at={daemon.seen_at} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
