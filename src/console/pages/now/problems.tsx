/** What is wrong with faculties and daemons, as running daemons report it. */
import type { FacultyProblem, Status } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { problemText } from './steps.ts';

const MOST_CHARS = 600;
const REFRESH_MS = 30_000;

export function Problems({ daemons }: Pick<Status, 'daemons'>) {
  const faculties = useLoaded((signal) => api.operate.listFacultyProblems({ signal }), [], { everyMs: REFRESH_MS });
  const reported = daemons
    .filter(({ alive }) => alive)
    .flatMap(({ id, host, problems }) =>
      problems.map((problem, at) => ({ key: `${id} ${at}`, host, text: problemText(problem) })),
    );
  const held = faculties.value?.items ?? [];
  if (reported.length === 0 && held.length === 0) return null;
  return (
    <section class="panel wide" aria-labelledby="problems">
      <h2 id="problems">{S.now.problems}</h2>
      <ul class="plain rows">
        {held.map((one) => (
          <Held key={`${one.faculty} ${one.kind} ${one.daemon_id}`} problem={one} />
        ))}
        {reported.map(({ key, host, text }) => (
          <li key={key}>
            <span class="state state-dead">{host}</span>
            <span class="grow">
              <VisibleText text={text} kind="text" lines most={MOST_CHARS} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Held({ problem: { faculty, kind, problem, since, host } }: { readonly problem: FacultyProblem }) {
  return (
    <li>
      <a class="state state-dead" href={hrefTo('work', [], { faculty })}>
        {faculty}
      </a>
      <span class="grow">
        {S.now.problemKinds[kind]} <VisibleText text={problem} kind="text" lines most={MOST_CHARS} />
      </span>
      {host !== null && <span class="faint">{host}</span>}
      <Time at={since} />
    </li>
  );
}
