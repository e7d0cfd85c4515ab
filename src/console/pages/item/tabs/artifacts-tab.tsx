/** The files of an item: pictures in place, texts when somebody asks, all of them to keep. */
import { useEffect, useState } from 'preact/hooks';
import type { Artifact } from '../../../../client/client.ts';
import { api, sentenceOf } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Action } from '../../../ui/action.tsx';
import { download } from '../../../ui/download.ts';
import { bytes } from '../../../ui/numbers.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Text } from '../../../ui/text.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { kindOf } from '../record/files.ts';

const PAGE = 200;

export function ArtifactsTab({ id, revision }: { readonly id: string; readonly revision: number }) {
  const read = useLoaded((signal) => api.artifacts.list(id, { limit: PAGE }, { signal }).page(), [id, revision]);
  return (
    <Shown of={read}>
      {({ items, next }) => (
        <>
          {items.length === 0 && <p class="faint">{S.item.noFiles}</p>}
          <ul class="plain files">
            {items.map((file) => (
              <File key={file.id} file={file} />
            ))}
          </ul>
          {next !== null && <p class="faint">{S.item.firstFiles(PAGE)}</p>}
        </>
      )}
    </Shown>
  );
}

function File({ file }: { readonly file: Artifact }) {
  const [text, setText] = useState<string | null>(null);
  const kind = kindOf(file);
  const open = async () => setText(await (await api.artifacts.read(file.id)).text());
  return (
    <li class="panel">
      <div class="panel-head">
        <b>
          <VisibleText text={file.name} />
        </b>
        <span class="faint">
          {file.media_type} · {bytes(file.bytes)} · <Time at={file.created_at} />
        </span>
        <span>
          {kind === 'text' && text === null && (
            <Action act={open} kind="quiet">
              {S.item.open}
            </Action>
          )}
          <Action act={() => save(file)} kind="quiet">
            {S.item.save}
          </Action>
        </span>
      </div>
      {kind === 'picture' && <Picture file={file} />}
      {text !== null && <Text mono text={text} />}
    </li>
  );
}

/** From an address of its own, which no other site can name. */
function Picture({ file }: { readonly file: Artifact }) {
  const [address, setAddress] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let made: string | null = null;
    const load = async () => {
      const answer = await api.artifacts.read(file.id, { signal: stop.signal });
      const blob = new Blob([await answer.arrayBuffer()], { type: file.media_type });
      if (stop.signal.aborted) return;
      made = URL.createObjectURL(blob);
      setAddress(made);
    };
    load().catch((error: unknown) => !stop.signal.aborted && setProblem(sentenceOf(error)));
    return () => {
      stop.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [file.id]);
  if (problem !== null) return <p class="faint">{problem}</p>;
  return address === null ? (
    <p class="faint">{`${S.common.loading} …`}</p>
  ) : (
    <img class="picture" src={address} alt={file.name} />
  );
}

async function save(file: Artifact): Promise<void> {
  const answer = await api.artifacts.read(file.id);
  download(file.name, new Blob([await answer.arrayBuffer()]));
}
