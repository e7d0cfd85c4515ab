/** The calls that run without an approval, and how to end that. */
import { useState } from 'preact/hooks';
import type { Grant } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { mayOperate } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

const REFRESH_MS = 30_000;

export function Grants() {
  const read = useLoaded((signal) => api.approvals.listGrants({ signal }), [], { everyMs: REFRESH_MS });
  const [ends, setEnds] = useState<Grant | null>(null);
  const { columns } = S.operate.grants;
  return (
    <>
      <p class="faint">{S.operate.grants.hint}</p>
      <Shown of={read}>
        {({ items }) => (
          <Table
            columns={[columns.what, columns.where, columns.by, columns.note, columns.until, columns.acts]}
            none={S.operate.grants.none}
            count={items.length}
          >
            {items.map((grant) => (
              <tr key={grant.id}>
                <td class="operate-wide">
                  <What grant={grant} />
                </td>
                <td>
                  <VisibleText text={grant.faculty} kind="text" most={100} />{' '}
                  {grant.work_item_id !== null && (
                    <a href={hrefTo('work', [grant.work_item_id])}>{S.operate.grants.oneItem}</a>
                  )}
                </td>
                <td>
                  <VisibleText text={grant.granted_by} kind="text" most={100} />
                </td>
                <td>
                  <VisibleText text={grant.note} kind="text" most={300} />
                </td>
                <td>
                  <Time at={grant.expires_at} />
                </td>
                <td class="operate-acts">
                  {mayOperate() && (
                    <button type="button" class="quiet" onClick={() => setEnds(grant)}>
                      {S.operate.grants.end} …
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
      {ends !== null && (
        <Confirm
          title={S.operate.grants.endTitle}
          act={async () => {
            const { revoked } = await api.approvals.revokeGrant(ends.id);
            return revoked ? S.operate.grants.ended : S.operate.grants.hadEnded;
          }}
          label={S.operate.grants.end}
          kind="danger"
          onClose={() => {
            setEnds(null);
            read.reload();
          }}
        >
          <p>
            <What grant={ends} />
          </p>
          <p class="faint">{S.operate.grants.endHint}</p>
        </Confirm>
      )}
    </>
  );
}

function What({ grant: { tool, pattern, hash } }: { readonly grant: Grant }) {
  if (pattern !== null) return <VisibleText text={pattern} />;
  return (
    <>
      <VisibleText text={tool} /> <span class="faint">{S.operate.grants.exact(hash?.slice(0, 12) ?? '')}</span>
    </>
  );
}
