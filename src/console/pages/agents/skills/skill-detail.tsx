/** One skill: its versions, what each changes, and what an operator may decide about it. */
import { useState } from 'preact/hooks';
import type { SkillVersion } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { changeQuery, hrefTo, place } from '../../../model/place.ts';
import { mayOperate } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { ConfirmWithNote } from '../../../ui/confirm-with-note.tsx';
import { Patch } from '../../../ui/diff.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

type Act = 'approve' | 'deny' | 'archive' | 'rollBack';

export function SkillDetail({ name }: { readonly name: string }) {
  const loaded = useLoaded((signal) => api.skills.show(name, { signal }), [name]);
  return (
    <>
      <p>
        <a href={hrefTo('agents', [], { tab: 'skills' })}>{S.agents.skills.back}</a>
      </p>
      <h2>
        <VisibleText text={name} kind="text" most={200} />
      </h2>
      <Shown of={loaded}>{({ items }) => <Versions name={name} versions={items} reload={loaded.reload} />}</Shown>
    </>
  );
}

interface VersionsProps {
  readonly name: string;
  readonly versions: readonly SkillVersion[];
  readonly reload: () => void;
}

function Versions({ name, versions, reload }: VersionsProps) {
  const { columns } = S.agents.skills;
  const asked = Number(place.value.query.get('version'));
  const shown = versions.find(({ version }) => version === asked) ?? versions[0];
  return (
    <>
      <Table
        columns={[{ number: columns.version }, columns.state, columns.note, columns.by, columns.since]}
        none={S.agents.skills.noVersions}
        count={versions.length}
      >
        {versions.map((one) => (
          <tr key={one.version}>
            <td class="number">
              <button
                type="button"
                class="quiet"
                aria-pressed={one === shown}
                onClick={() => changeQuery({ version: one.version })}
              >
                {one.version}
              </button>
            </td>
            <td>{S.agents.skills.states[one.state as keyof typeof S.agents.skills.states] ?? one.state}</td>
            <td>
              <VisibleText text={one.note} kind="text" most={300} />
              {one.decision_note !== null && one.decision_note !== '' && (
                <div class="faint">
                  <VisibleText text={one.decision_note} kind="text" most={300} />
                </div>
              )}
            </td>
            <td>
              {one.decided_by ?? ''}{' '}
              {one.work_item_id !== null && (
                <a href={hrefTo('work', [one.work_item_id])}>{S.agents.skills.writtenBy}</a>
              )}
            </td>
            <td>
              <Time at={one.decided_at ?? one.created_at} />
            </td>
          </tr>
        ))}
      </Table>
      {shown !== undefined && <Version key={shown.version} name={name} version={shown} reload={reload} />}
    </>
  );
}

interface VersionProps {
  readonly name: string;
  readonly version: SkillVersion;
  readonly reload: () => void;
}

function Version({ name, version, reload }: VersionProps) {
  const diff = useLoaded(
    (signal) => api.skills.diff(name, { to: version.version }, { signal }),
    [name, version.version],
  );
  const [act, setAct] = useState<Act | null>(null);
  return (
    <section class="page-part">
      <div class="section-head">
        <h3 class="grow">{S.agents.skills.changes(version.version, diff.value?.from ?? null)}</h3>
        {actsOf(version.state).map((one) => (
          <button key={one} type="button" class={one === 'approve' ? 'primary' : undefined} onClick={() => setAct(one)}>
            {S.agents.skills.acts[one]} …
          </button>
        ))}
      </div>
      <Shown of={diff}>{({ files }) => <Patch patch={files.map(({ patch }) => patch).join('\n')} />}</Shown>
      {act !== null && (
        <ConfirmWithNote
          title={S.agents.skills.titles[act](name, version.version)}
          note={S.agents.skills.decisionNote}
          label={S.agents.skills.acts[act]}
          kind={act === 'deny' || act === 'archive' ? 'danger' : 'primary'}
          act={(note) => run(act, name, version, note)}
          onClose={() => {
            setAct(null);
            reload();
          }}
        >
          <p class="faint">{S.agents.skills.hints[act]}</p>
        </ConfirmWithNote>
      )}
    </section>
  );
}

function actsOf(state: string): readonly Act[] {
  if (!mayOperate()) return [];
  if (state === 'proposed') return ['approve', 'deny'];
  if (state === 'current') return ['archive'];
  return state === 'replaced' || state === 'archived' ? ['rollBack'] : [];
}

/** A proposal is decided as the person has seen it: if it has changed since, nothing happens. */
async function run(act: Act, name: string, { version, content_hash }: SkillVersion, note: string): Promise<string> {
  const why = note === '' ? {} : { note };
  const result =
    act === 'approve' || act === 'deny'
      ? await api.skills[act](name, { ...why, hash: content_hash })
      : act === 'archive'
        ? await api.skills.archive(name, why)
        : await api.skills.rollBack(name, { ...why, to: version });
  return S.agents.skills.done[act](result.version);
}
