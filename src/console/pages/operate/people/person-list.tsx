/** The listed people with their roles; for operators. */
import { useState } from 'preact/hooks';
import type { Person } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

type Opened =
  | { readonly is: 'set'; readonly person: Person | null }
  | { readonly is: 'disable'; readonly person: Person };

export function PersonList() {
  const read = useLoaded((signal) => api.people.list({ signal }), []);
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => {
    setOpened(null);
    read.reload();
  };
  const { columns } = S.operate.people;
  return (
    <section class="page-part" aria-labelledby="people">
      <div class="section-head">
        <h2 id="people">{S.operate.people.title}</h2>
        <button type="button" onClick={() => setOpened({ is: 'set', person: null })}>
          {S.operate.people.add} …
        </button>
      </div>
      <Shown of={read}>
        {({ items }) => (
          <Table
            columns={[columns.name, columns.role, { number: columns.tokens }, columns.since, columns.acts]}
            none={S.operate.people.none}
            count={items.length}
          >
            {items.map((person) => (
              <tr key={person.name}>
                <td>
                  {person.name === '*' ? (
                    S.operate.people.others
                  ) : (
                    <VisibleText text={person.name} kind="text" most={200} />
                  )}{' '}
                  {person.disabled_at !== null && <span class="state-dead">{S.operate.people.disabled}</span>}
                </td>
                <td>{S.operate.roles[person.role]}</td>
                <td class="number">{person.tokens}</td>
                <td>
                  <Time at={person.created_at} />
                </td>
                <td class="operate-acts">
                  {person.role === 'operator' ? (
                    <span class="faint">{S.operate.people.byLogin}</span>
                  ) : (
                    <>
                      <button type="button" class="quiet" onClick={() => setOpened({ is: 'set', person })}>
                        {S.operate.people.changeRole} …
                      </button>
                      <button type="button" class="quiet" onClick={() => setOpened({ is: 'disable', person })}>
                        {S.operate.people.enableOrNot(person.disabled_at !== null)} …
                      </button>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
      {opened?.is === 'set' && <SetPerson person={opened.person} onClose={close} />}
      {opened?.is === 'disable' && <Disable person={opened.person} onClose={close} />}
    </section>
  );
}

function SetPerson({ person, onClose }: { readonly person: Person | null; readonly onClose: () => void }) {
  const [name, setName] = useState(person?.name ?? '');
  const [role, setRole] = useState<'submitter' | 'reader'>(person?.role === 'reader' ? 'reader' : 'submitter');
  const act = async () => {
    await api.people.set(name.trim(), { role });
    return S.operate.people.isSet(name.trim(), S.operate.roles[role]);
  };
  return (
    <Confirm
      title={person === null ? S.operate.people.add : S.operate.people.roleTitle(person.name)}
      act={act}
      label={person === null ? S.operate.people.add : S.operate.people.changeRole}
      onClose={onClose}
    >
      {person === null && (
        <label>
          {S.operate.people.columns.name}
          <input value={name} required maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
      )}
      <label>
        {S.operate.people.columns.role}
        <select value={role} onChange={(event) => setRole(event.currentTarget.value as 'submitter' | 'reader')}>
          <option value="submitter">{S.operate.roles.submitter}</option>
          <option value="reader">{S.operate.roles.reader}</option>
        </select>
      </label>
      <p class="faint">{S.operate.people.roleHint}</p>
    </Confirm>
  );
}

function Disable({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const isDisabled = person.disabled_at !== null;
  const act = async () => {
    await api.people.set(person.name, { disabled: !isDisabled });
    return S.operate.people.wasEnabledOrNot(person.name, isDisabled);
  };
  return (
    <Confirm
      title={S.operate.people.disableTitle(person.name, isDisabled)}
      act={act}
      label={S.operate.people.enableOrNot(isDisabled)}
      kind={isDisabled ? 'primary' : 'danger'}
      onClose={onClose}
    >
      <p class="faint">{isDisabled ? S.operate.people.enableHint : S.operate.people.disableHint}</p>
    </Confirm>
  );
}
