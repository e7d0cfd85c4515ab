/** Submits work: to which faculty, what for, its parameters as that faculty wants them, and files. */
import { useState } from 'preact/hooks';
import type { ListFacultiesOutput, WorkItem } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { changeQuery, place } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Problem } from '../../ui/problem.tsx';
import { Shown } from '../../ui/shown.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { NewWorkForm } from './new-work-form.tsx';
import './submit.css';

export default function SubmitPage() {
  const { query } = place.value;
  const like = query.get('like');
  const read = useLoaded((signal) => readBoth(like, signal), [like]);
  if (!may('work')) return <Problem text={S.submit.mayNot} />;
  return (
    <>
      <h1>{S.submit.title}</h1>
      <Shown of={read}>{({ faculties, model }) => <Chosen faculties={faculties} model={model} />}</Shown>
    </>
  );
}

type Faculty = ListFacultiesOutput['items'][number];

interface ChosenProps {
  readonly faculties: readonly Faculty[];
  /** Work of the same kind; null: none. */
  readonly model: WorkItem | null;
}

function Chosen({ faculties, model }: ChosenProps) {
  const [first] = useState(model?.faculty ?? faculties[0]?.name ?? '');
  const name = place.value.query.get('faculty') ?? first;
  const faculty = faculties.find((one) => one.name === name);
  return (
    <div class="submit">
      <label>
        {S.work.faculty}
        <select
          value={name}
          onChange={(event) => changeQuery({ faculty: event.currentTarget.value }, { replace: true })}
        >
          {faculty === undefined && <option value={name}>{name}</option>}
          {faculties.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      {faculty === undefined ? (
        <p class="faint">{faculties.length === 0 ? S.submit.noFaculty : S.submit.unserved}</p>
      ) : (
        <>
          {faculty.description !== '' && (
            <p class="faint">
              <VisibleText text={faculty.description} kind="text" />
            </p>
          )}
          {faculty.problem !== null && <Problem text={faculty.problem} />}
        </>
      )}
      {name !== '' && (
        <NewWorkForm
          key={name}
          faculty={name}
          schema={faculty?.params_schema ?? null}
          model={model?.faculty === name ? model : null}
        />
      )}
    </div>
  );
}

async function readBoth(like: string | null, signal: AbortSignal): Promise<ChosenProps> {
  const [faculties, model] = await Promise.all([
    api.operate.listFaculties({ signal }),
    like === null ? null : api.work.show(like, { signal }),
  ]);
  return { faculties: faculties.items, model };
}
