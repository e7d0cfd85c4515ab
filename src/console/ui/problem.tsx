/** What went wrong, in place of what could not be shown, or above what may be out of date. */
import { S } from '../words/strings.ts';

export function Problem({ text, retry }: { readonly text: string; readonly retry?: (() => void) | undefined }) {
  return (
    <div class="problem" role="alert">
      <span>{text}</span>
      {retry && (
        <button type="button" onClick={retry}>
          {S.common.retry}
        </button>
      )}
    </div>
  );
}
