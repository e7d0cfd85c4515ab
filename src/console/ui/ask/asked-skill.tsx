/** A proposed version of a skill: what it says of itself, and what it changes. */
import { useEffect, useState } from 'preact/hooks';
import type { Approval, DiffSkillOutput } from '../../../client/client.ts';
import { S } from '../../words/strings.ts';
import { Patch } from '../diff.tsx';
import { Problem } from '../problem.tsx';
import { VisibleText } from '../visible-text.tsx';
import type { DecidingClient } from './decide.ts';
import { numberOf, textOf } from './request.ts';

interface AskedSkillProps {
  readonly client: DecidingClient;
  readonly name: string;
  readonly request: Approval['request'];
}

export function AskedSkill({ client, name, request }: AskedSkillProps) {
  const [diff, setDiff] = useState<DiffSkillOutput | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const version = numberOf(request['version']) ?? undefined;
  useEffect(() => {
    const stop = new AbortController();
    client.skills.diff(name, { to: version }, { signal: stop.signal }).then(setDiff, (error: unknown) => {
      if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => stop.abort();
  }, [name, version]);
  return (
    <>
      {['description', 'note'].map((key) => {
        const text = textOf(request[key]);
        return text === null || text === '' ? null : (
          <p key={key}>
            <VisibleText text={text} kind="text" lines />
          </p>
        );
      })}
      {problem !== null && <Problem text={problem} />}
      {diff === null && problem === null && <p class="faint">{`${S.common.loading} …`}</p>}
      {diff !== null && <Patch patch={diff.files.map(({ patch }) => patch).join('\n')} />}
    </>
  );
}
