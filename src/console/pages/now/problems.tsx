/** What daemons report: faculties that cannot be read, providers that fail, hosts without room. */
import type { Status } from '../../../client/client.ts';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { problemText } from './steps.ts';

const MOST_CHARS = 600;

export function Problems({ daemons }: Pick<Status, 'daemons'>) {
  const reported = daemons
    .filter(({ alive }) => alive)
    .flatMap(({ id, host, problems }) =>
      problems.map((problem, at) => ({ key: `${id} ${at}`, host, text: problemText(problem) })),
    );
  if (reported.length === 0) return null;
  return (
    <section class="panel wide" aria-labelledby="problems">
      <h2 id="problems">{S.now.problems}</h2>
      <ul class="plain rows">
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
