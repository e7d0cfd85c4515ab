/** What people have decided, newest first. */
import type { AuditRow } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { hrefTo, place } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { DaysFilter } from '../../ui/days-filter.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { readDecisions } from './read-audit.ts';

const DAY_MS = 86_400_000;
const RANGES = [1, 7, 30, 365] as const;
const MOST = 500;

export function History() {
  const days = Number(place.value.query.get('days') ?? 7);
  const loaded = useLoaded(
    async (signal) => {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      return readDecisions(await api.audit.export({ since }, { signal }), MOST);
    },
    [days],
  );
  return (
    <>
      <DaysFilter days={days} ranges={RANGES} />
      <Shown of={loaded}>
        {({ rows, more }) =>
          rows.length === 0 ? (
            <p class="faint">{S.inbox.noHistory}</p>
          ) : (
            <>
              <Table rows={rows} />
              {more && <p class="faint">{S.inbox.olderLeftOut(rows.length)}</p>}
            </>
          )
        }
      </Shown>
    </>
  );
}

function Table({ rows }: { readonly rows: readonly AuditRow[] }) {
  const { columns } = S.inbox;
  return (
    <div class="inbox-history">
      <table>
        <thead>
          <tr>
            <th scope="col">{columns.when}</th>
            <th scope="col">{columns.who}</th>
            <th scope="col">{columns.what}</th>
            <th scope="col">{columns.about}</th>
            <th scope="col">{columns.work}</th>
            <th scope="col">{columns.note}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <Time at={row.created_at} />
              </td>
              <td>
                <VisibleText text={row.decided_by} most={100} />
              </td>
              <td class={`inbox-${row.action}`}>{actionOf(row.action)}</td>
              <td>
                <VisibleText text={row.tool ?? row.subject ?? row.target ?? ''} most={100} />
              </td>
              <td>
                {row.work_item_id !== null && (
                  <a href={hrefTo('work', [row.work_item_id])}>
                    {row.faculty ?? ''} {row.work_item_id.slice(-12)}
                  </a>
                )}
              </td>
              <td>
                {row.erased ? (
                  <span class="faint">{S.inbox.erased}</span>
                ) : (
                  <VisibleText text={row.note} kind="text" most={300} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function actionOf(action: string): string {
  return (S.inbox.actions as Readonly<Record<string, string>>)[action] ?? action;
}
