/** A time: how long ago or ahead it is, with the exact instant on hover. */
import { clock } from './clock.ts';
import { exact, relative } from './duration.ts';

/** `at` is ISO 8601; null: `none` is shown. */
export function Time({ at, none = '' }: { readonly at: string | null; readonly none?: string }) {
  if (at === null) return <span class="faint">{none}</span>;
  return (
    <time dateTime={at} title={exact(at)}>
      {relative(Date.parse(at) - clock.value)}
    </time>
  );
}
