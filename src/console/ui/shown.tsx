/** What was loaded, with a notice if it may be out of date, or the reason why there is nothing to show. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../model/use-loaded.ts';
import { S } from '../words/strings.ts';
import { Problem } from './problem.tsx';

export function Shown<Value>({
  of,
  children,
}: {
  readonly of: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, problem, reload } = of;
  if (value === undefined) {
    if (problem !== null) return <Problem text={problem} retry={reload} />;
    return <p class="faint" aria-busy="true">{`${S.common.loading} …`}</p>;
  }
  return (
    <>
      {problem !== null && <Problem text={S.common.stale(problem)} retry={reload} />}
      {children(value)}
    </>
  );
}
