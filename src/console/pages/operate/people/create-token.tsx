/** Makes a token with at most the rights of the person. */
import { useState } from 'preact/hooks';
import type { CreateTokenInput } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { mayOperate, whoseMe } from '../../../model/session-state.ts';
import { Confirm } from '../../../ui/confirm.tsx';
import { S } from '../../../words/strings.ts';

type Scope = NonNullable<CreateTokenInput['scopes']>[number];

const DAY_MS = 86_400_000;
const SPANS = [1, 7, 30, 90] as const;

interface CreateTokenProps {
  readonly onCreated: (secret: string) => void;
  readonly onClose: () => void;
}

export function CreateToken({ onCreated, onClose }: CreateTokenProps) {
  const own: readonly Scope[] = whoseMe()?.scopes ?? [];
  const [person, setPerson] = useState('');
  const [label, setLabel] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(own);
  const [days, setDays] = useState<number | null>(null);
  const act = async () => {
    const {
      token,
      person_added,
      person: whose,
    } = await api.people.createToken({
      ...(person.trim() !== '' && { person: person.trim() }),
      ...(label !== '' && { label }),
      ...(days !== null && { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() }),
      scopes,
    });
    onCreated(token);
    return S.operate.tokens.created(whose, person_added);
  };
  const toggle = (scope: Scope) =>
    setScopes(
      scopes.includes(scope)
        ? scopes.filter((one) => one !== scope)
        : own.filter((one) => one === scope || scopes.includes(one)),
    );
  return (
    <Confirm title={S.operate.tokens.create} act={act} label={S.operate.tokens.create} onClose={onClose}>
      {mayOperate() && (
        <label>
          {S.operate.tokens.forWhom}
          <input value={person} maxLength={200} onInput={(event) => setPerson(event.currentTarget.value)} />
        </label>
      )}
      <label>
        {S.operate.tokens.label}
        <input value={label} maxLength={200} onInput={(event) => setLabel(event.currentTarget.value)} />
      </label>
      <fieldset>
        <legend>{S.operate.tokens.scopes}</legend>
        {own.map((scope) => (
          <label key={scope} class="check">
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            {S.operate.tokens.scope[scope]}
          </label>
        ))}
      </fieldset>
      <label>
        {S.operate.tokens.span}
        <select
          value={days ?? ''}
          onChange={(event) => setDays(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}
        >
          <option value="">{S.operate.tokens.asYours}</option>
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {S.inbox.days(span)}
            </option>
          ))}
        </select>
      </label>
    </Confirm>
  );
}
