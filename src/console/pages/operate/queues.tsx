/** What is queued and what waits, and pauses: set and lifted here. */
import { useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { useLiveStates } from '../../model/live.ts';
import { hrefTo } from '../../model/place.ts';
import { mayOperate } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Action } from '../../ui/action.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { PauseDialog } from './pause-dialog.tsx';

const REFRESH_MS = 10_000;

export function Queues() {
  useLiveStates();
  const status = useLoaded((signal) => api.operate.status({ signal }), [], { everyMs: REFRESH_MS, live: true });
  const [asks, setAsks] = useState(false);
  const { columns } = S.operate.queues;
  return (
    <Shown of={status}>
      {({ queue, pauses, waiting }) => (
        <>
          <section class="page-part" aria-labelledby="pauses">
            <div class="section-head">
              <h2 id="pauses">{S.operate.queues.pauses}</h2>
              {mayOperate() && (
                <button type="button" onClick={() => setAsks(true)}>
                  {S.agents.pause} …
                </button>
              )}
            </div>
            <Table
              columns={[columns.faculty, columns.reason, columns.by, columns.since, columns.acts]}
              none={S.operate.queues.noPauses}
              count={pauses.length}
            >
              {pauses.map(({ faculty, reason, paused_by, created_at }) => (
                <tr key={faculty}>
                  <td>{faculty === '*' ? S.operate.everything : <VisibleText text={faculty} kind="text" />}</td>
                  <td>
                    <VisibleText text={reason} kind="text" most={500} />
                  </td>
                  <td>
                    <VisibleText text={paused_by} kind="text" most={100} />
                  </td>
                  <td>
                    <Time at={created_at} />
                  </td>
                  <td class="operate-acts">
                    {mayOperate() && (
                      <Action
                        act={() => api.operate.resume(faculty)}
                        done={S.now.resumed(faculty === '*' ? S.operate.everything : faculty)}
                        after={status.reload}
                      >
                        {S.now.resume}
                      </Action>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          </section>
          <section class="page-part" aria-labelledby="queued">
            <h2 id="queued">{S.now.queue}</h2>
            <Table
              columns={[columns.faculty, { number: columns.queued }, columns.oldest, columns.served]}
              none={S.now.nothingQueued}
              count={queue.length}
            >
              {queue.map(({ faculty, queued, capped, oldest_at, routable }) => (
                <tr key={faculty}>
                  <td>
                    <a href={hrefTo('work', [], { state: 'queued', faculty })}>
                      <VisibleText text={faculty} kind="text" />
                    </a>
                  </td>
                  <td class="number">{S.now.items(queued, capped)}</td>
                  <td>
                    <Time at={oldest_at} />
                  </td>
                  <td class={routable ? undefined : 'state-dead'}>
                    {routable ? S.item.yesNo(true) : S.now.unroutable}
                  </td>
                </tr>
              ))}
            </Table>
          </section>
          <section class="page-part" aria-labelledby="waiting">
            <h2 id="waiting">{S.operate.queues.waiting}</h2>
            <Table
              columns={[columns.faculty, { number: columns.items }, columns.why, columns.ends, columns.since]}
              none={S.operate.queues.nothingWaits}
              count={waiting.length}
            >
              {waiting.map(({ faculty, state, reason, items, why, ends, since, work_item_id }) => (
                <tr key={`${faculty} ${state} ${reason}`}>
                  <td>
                    <VisibleText text={faculty} kind="text" />
                  </td>
                  <td class="number">{items.toLocaleString('en')}</td>
                  <td class="operate-wide">
                    <a href={hrefTo('work', [work_item_id])}>
                      <VisibleText text={why} kind="text" most={500} />
                    </a>
                  </td>
                  <td class="operate-wide">
                    <VisibleText text={ends} kind="text" most={500} />
                  </td>
                  <td>
                    <Time at={since} />
                  </td>
                </tr>
              ))}
            </Table>
          </section>
          {asks && (
            <PauseDialog
              onClose={() => {
                setAsks(false);
                status.reload();
              }}
            />
          )}
        </>
      )}
    </Shown>
  );
}
