/** One faculty: what it is for, how its work ends and what that costs, and its settings. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { hrefTo, place } from '../../model/place.ts';
import { mayOperate, seesAll } from '../../model/session-state.ts';
import { useTitle } from '../../model/title.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Action } from '../../ui/action.tsx';
import { ConfirmWithNote } from '../../ui/confirm-with-note.tsx';
import { Json } from '../../ui/json.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { FacultyFigures } from './faculties/faculty-figures.tsx';
import './agents.css';

const REFRESH_MS = 15_000;

export default function FacultyPage() {
  const name = place.value.rest[0] ?? '';
  return <Faculty key={name} name={name} />;
}

function Faculty({ name }: { readonly name: string }) {
  useTitle(name);
  const loaded = useLoaded((signal) => showOrNull(name, signal), [name], { everyMs: REFRESH_MS });
  return (
    <>
      <p>
        <a href={hrefTo('agents')}>{S.agents.back}</a>
      </p>
      <h1>
        <VisibleText text={name} kind="text" most={200} />
      </h1>
      {seesAll() && <Pause name={name} />}
      <Shown of={loaded}>
        {(faculty) =>
          faculty === null ? (
            <p class="state-dead">{S.agents.notServed}</p>
          ) : (
            <p>
              <VisibleText text={faculty.description} kind="text" lines /> <span class="faint">({faculty.mode})</span>
            </p>
          )
        }
      </Shown>
      <FacultyFigures name={name} />
      {loaded.value && <Settings faculty={loaded.value} />}
    </>
  );
}

const NOT_FOUND = 404;

async function showOrNull(name: string, signal: AbortSignal) {
  try {
    return await api.operate.showFaculty(name, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === NOT_FOUND) return null;
    throw error;
  }
}

function Pause({ name }: { readonly name: string }) {
  const pauses = useLoaded((signal) => api.operate.listPauses({ signal }), [], { everyMs: REFRESH_MS });
  const [asks, setAsks] = useState(false);
  const pause = pauses.value?.items.find(({ faculty }) => faculty === name || faculty === '*');
  if (pauses.value === undefined) return null;
  return (
    <div class="section-head page-part">
      <span class="grow">
        {pause === undefined ? (
          <span class="faint">{S.agents.notPaused}</span>
        ) : (
          <>
            <span class="state-waiting">{S.now.paused(pause.paused_by, pause.reason)}</span>{' '}
            <Time at={pause.created_at} /> {pause.faculty === '*' && S.agents.allPaused}
          </>
        )}
      </span>
      {mayOperate() && pause !== undefined && (
        <Action
          act={() => api.operate.resume(pause.faculty)}
          done={S.now.resumed(pause.faculty === '*' ? S.operate.everything : name)}
          after={pauses.reload}
        >
          {pause.faculty === '*' ? S.agents.resumeAll : S.now.resume}
        </Action>
      )}
      {mayOperate() && pause === undefined && (
        <button type="button" onClick={() => setAsks(true)}>
          {S.agents.pause} …
        </button>
      )}
      {asks && (
        <ConfirmWithNote
          title={S.agents.pauseTitle(name)}
          note={S.agents.pauseReason}
          label={S.agents.pause}
          act={async (reason) => {
            const { warning } = await api.operate.pause({ faculty: name, ...(reason !== '' && { reason }) });
            return S.agents.isPaused(name, warning ?? null);
          }}
          onClose={() => {
            setAsks(false);
            pauses.reload();
          }}
        >
          <p class="faint">{S.agents.pauseHint}</p>
        </ConfirmWithNote>
      )}
    </div>
  );
}

type Shown = NonNullable<Awaited<ReturnType<typeof showOrNull>>>;

function Settings({ faculty }: { readonly faculty: Shown }) {
  return (
    <>
      {faculty.daemons.map(({ host, version, settings }, index) => (
        <section key={`${index} ${host}`} class="page-part">
          <h2>{S.agents.settings(host, version)}</h2>
          <Json value={settings} label={S.agents.settings(host, version)} />
        </section>
      ))}
      {faculty.daemons.length > 0 && <p class="faint">{S.agents.settingsHint}</p>}
      <section class="page-part">
        <h2>{S.agents.params}</h2>
        {faculty.params_schema === null ? (
          <p class="faint">{S.agents.anyParams}</p>
        ) : (
          <Json value={faculty.params_schema} label={S.agents.params} />
        )}
      </section>
      <section class="page-part">
        <h2>{S.agents.outcome}</h2>
        {faculty.outcome_schema === null ? (
          <p class="faint">{S.agents.anyOutcome}</p>
        ) : (
          <Json value={faculty.outcome_schema} label={S.agents.outcome} />
        )}
      </section>
    </>
  );
}
