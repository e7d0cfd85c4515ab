/** What an item has changed in its worktree. */
import type { Diff } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Action } from '../../../ui/action.tsx';
import { Patch } from '../../../ui/diff.tsx';
import { download } from '../../../ui/download.ts';
import { bytes } from '../../../ui/numbers.ts';
import { Shown } from '../../../ui/shown.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

interface Changes {
  readonly diff: Diff;
  readonly patch: string | null;
}

export function ChangesTab({ id }: { readonly id: string }) {
  const read = useLoaded((signal) => readChanges(id, signal), [id]);
  return (
    <Shown of={read}>
      {(changes) => (changes === null ? <p class="faint">{S.item.noChanges}</p> : <Shows changes={changes} id={id} />)}
    </Shown>
  );
}

/** Null: it has no worktree, or has not ended with one yet. */
async function readChanges(id: string, signal: AbortSignal): Promise<Changes | null> {
  try {
    const diff = await api.artifacts.readDiff(id, { signal });
    const patch = diff.has_patch ? await (await api.artifacts.readPatch(id, { signal })).text() : null;
    return { diff, patch };
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function Shows({ id, changes: { diff, patch } }: { readonly id: string; readonly changes: Changes }) {
  return (
    <>
      <dl class="figures">
        <div>
          <dt>{S.item.branch}</dt>
          <dd>
            <VisibleText text={diff.branch} />
          </dd>
        </div>
        <div>
          <dt>{S.item.commits}</dt>
          <dd class="mono">
            {diff.start.slice(0, 10)} → {diff.tip.slice(0, 10)}
          </dd>
        </div>
        <div>
          <dt>{S.item.patchSize}</dt>
          <dd>{bytes(diff.patch_bytes)}</dd>
        </div>
        {diff.rest !== null && (
          <div>
            <dt>{S.item.uncommitted}</dt>
            <dd class="mono">{diff.rest.slice(0, 10)}</dd>
          </div>
        )}
      </dl>
      {diff.lost !== null && (
        <p class="problem">
          <VisibleText text={diff.lost} kind="text" />
        </p>
      )}
      {patch !== null ? (
        <>
          <Action act={async () => download(`${id}.patch`, new Blob([patch]))} kind="quiet">
            {S.item.savePatch}
          </Action>
          <Patch patch={patch} />
        </>
      ) : (
        <ListedFiles diff={diff} />
      )}
    </>
  );
}

function ListedFiles({ diff }: { readonly diff: Diff }) {
  return (
    <>
      <p class="faint">{S.item.patchTooLarge}</p>
      <ul class="plain rows">
        {diff.files.map(({ path, added, removed }) => (
          <li key={path}>
            <span class="grow">
              <VisibleText text={path} />
            </span>
            <span class="number">{added === null ? S.ui.binary : `+${added} −${removed ?? 0}`}</span>
          </li>
        ))}
      </ul>
      {diff.more_files > 0 && <p class="faint">{S.ui.moreOf(diff.more_files)}</p>}
    </>
  );
}
