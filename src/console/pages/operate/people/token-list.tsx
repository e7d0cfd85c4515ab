/** Tokens and sessions: the person's own, or those of all for operators. */
import { useState } from 'preact/hooks';
import type { Token } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { may, mayOperate } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Secret } from '../../../ui/secret.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { CreateToken } from './create-token.tsx';

const PAGE = 200;

export function TokenList() {
  const [all, setAll] = useState(false);
  const read = useLoaded(
    (signal) => api.people.listTokens({ limit: PAGE, ...(all && { all: 'true' }) }, { signal }).page(),
    [all],
  );
  const [creates, setCreates] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [revokes, setRevokes] = useState<Token | null>(null);
  const { columns } = S.operate.tokens;
  return (
    <section class="page-part" aria-labelledby="tokens">
      <div class="section-head">
        <h2 id="tokens">{mayOperate() ? S.operate.tokens.title : S.operate.tokens.yours}</h2>
        <label class="check">
          <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
          {S.operate.tokens.all}
        </label>
        {may('work') && (
          <button type="button" onClick={() => setCreates(true)}>
            {S.operate.tokens.create} …
          </button>
        )}
      </div>
      <Shown of={read}>
        {({ items, next }) => (
          <>
            <Table
              columns={[
                columns.person,
                columns.kind,
                columns.rights,
                columns.state,
                columns.used,
                columns.expires,
                columns.acts,
              ]}
              none={S.operate.tokens.none}
              count={items.length}
            >
              {items.map((token) => (
                <Row key={token.id} token={token} onRevoke={() => setRevokes(token)} />
              ))}
            </Table>
            {next !== null && <p class="faint">{S.operate.tokens.newest(items.length)}</p>}
          </>
        )}
      </Shown>
      {creates && (
        <CreateToken
          onCreated={setSecret}
          onClose={() => {
            setCreates(false);
            read.reload();
          }}
        />
      )}
      {secret !== null && !creates && (
        <Secret title={S.operate.tokens.secret} secret={secret} onClose={() => setSecret(null)} />
      )}
      {revokes !== null && (
        <Confirm
          title={S.operate.tokens.revokeTitle(revokes.kind, revokes.person)}
          act={async () => {
            await api.people.revokeToken(revokes.id);
            return S.operate.tokens.revoked;
          }}
          label={S.operate.tokens.revoke}
          kind="danger"
          onClose={() => {
            setRevokes(null);
            read.reload();
          }}
        >
          <p>
            <VisibleText text={revokes.label} kind="text" most={200} /> <code>…{revokes.id.slice(-12)}</code>
          </p>
          <p class="faint">{S.operate.tokens.revokeHint}</p>
        </Confirm>
      )}
    </section>
  );
}

function Row({ token, onRevoke }: { readonly token: Token; readonly onRevoke: () => void }) {
  const { id, kind, person, label, role, scopes, state, last_used_at, expires_at } = token;
  return (
    <tr>
      <td>
        <VisibleText text={person} kind="text" most={200} />
      </td>
      <td class="operate-wide">
        {S.operate.tokens.kinds[kind]} <code class="faint">…{id.slice(-12)}</code>{' '}
        <VisibleText text={label} kind="text" most={200} />
      </td>
      <td>
        {role === null ? '' : `${S.operate.roles[role]}: `}
        {scopes.join(', ')}
      </td>
      <td class={state === 'valid' ? 'state-completed' : 'state-dead'}>{S.operate.tokens.states[state]}</td>
      <td>
        <Time at={last_used_at} none={S.common.never} />
      </td>
      <td>
        <Time at={expires_at} none={S.common.never} />
      </td>
      <td class="operate-acts">
        {may('work') && state === 'valid' && (
          <button type="button" class="quiet" onClick={onRevoke}>
            {S.operate.tokens.revoke} …
          </button>
        )}
      </td>
    </tr>
  );
}
