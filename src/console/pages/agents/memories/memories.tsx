/** What agents remember: found by words and meaning, corrected, forgotten; and merges that can be undone. */
import { api } from '../../../model/api.ts';
import { changeQuery, place } from '../../../model/place.ts';
import { mayChangeOf, seesAll } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Action } from '../../../ui/action.tsx';
import { bytes } from '../../../ui/numbers.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { MemoryRow } from './memory-row.tsx';

const LAYERS = ['task', 'project', 'global'] as const;
type Layer = (typeof LAYERS)[number];
const MOST = 100;

export function Memories() {
  const { query } = place.value;
  const text = query.get('q') ?? '';
  const layer = LAYERS.find((one) => one === query.get('layer'));
  const faculty = query.get('faculty') ?? '';
  const found = useLoaded(
    (signal) =>
      api.memory.search(
        {
          limit: MOST,
          ...(text !== '' && { query: text }),
          ...(layer && { layer }),
          ...(faculty !== '' && { faculty }),
        },
        { signal },
      ),
    [text, layer, faculty],
  );
  return (
    <>
      <Search text={text} layer={layer} faculty={faculty} />
      <Shown of={found}>
        {({ items, without_meaning }) => (
          <>
            {without_meaning !== null && <p class="faint">{S.agents.memories.wordsOnly(without_meaning)}</p>}
            {items.length === 0 && <p class="faint">{S.agents.memories.none}</p>}
            {items.map((memory) => (
              <MemoryRow key={memory.id} memory={memory} reload={found.reload} />
            ))}
            {items.length >= MOST && <p class="faint">{S.agents.memories.most(MOST)}</p>}
          </>
        )}
      </Shown>
      <Merges after={found.reload} />
      {seesAll() ? <Stats /> : null}
    </>
  );
}

interface SearchProps {
  readonly text: string;
  readonly layer: Layer | undefined;
  readonly faculty: string;
}

function Search({ text, layer, faculty }: SearchProps) {
  return (
    <form class="filters" role="search" onSubmit={find}>
      <label>
        {S.agents.memories.search}
        <input type="search" name="q" defaultValue={text} key={text} dir="auto" />
      </label>
      <label>
        {S.agents.memories.layer}
        <select value={layer ?? ''} onChange={(event) => changeQuery({ layer: event.currentTarget.value })}>
          <option value="">{S.work.any}</option>
          {LAYERS.map((one) => (
            <option key={one} value={one}>
              {S.agents.memories.layers[one]}
            </option>
          ))}
        </select>
      </label>
      <label>
        {S.agents.memories.faculty}
        <input name="faculty" defaultValue={faculty} key={faculty} />
      </label>
      <button type="submit">{S.agents.memories.find}</button>
    </form>
  );
}

function find(event: SubmitEvent & { readonly currentTarget: HTMLFormElement }): void {
  event.preventDefault();
  const data = new FormData(event.currentTarget);
  changeQuery({ q: textIn(data, 'q'), faculty: textIn(data, 'faculty') });
}

function textIn(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

function Merges({ after }: { readonly after: () => void }) {
  const merges = useLoaded((signal) => api.memory.merges({ limit: MOST }, { signal }), []);
  const { columns } = S.agents.memories;
  return (
    <section class="page-part" aria-labelledby="merges">
      <h2 id="merges">{S.agents.memories.merges}</h2>
      <Shown of={merges}>
        {({ items }) => (
          <Table
            columns={[columns.merged, columns.into, columns.why, columns.when, columns.undo]}
            none={S.agents.memories.noMerges}
            count={items.length}
          >
            {items.map((merge) => (
              <tr key={merge.id}>
                <td>
                  <VisibleText text={merge.content} kind="text" most={300} />
                </td>
                <td>
                  <VisibleText text={merge.into_content} kind="text" most={300} />
                </td>
                <td>{S.agents.memories.reasons[merge.reason]}</td>
                <td>
                  <Time at={merge.merged_at} />
                </td>
                <td>
                  {mayChangeOf(merge.submitted_by) && (
                    <Action
                      kind="quiet"
                      act={() => api.memory.unmerge(merge.id)}
                      done={S.agents.memories.unmerged}
                      after={() => {
                        merges.reload();
                        after();
                      }}
                    >
                      {S.agents.memories.undo}
                    </Action>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
    </section>
  );
}

function Stats() {
  const stats = useLoaded((signal) => api.memory.stats({ signal }), []);
  const { columns } = S.agents.memories;
  return (
    <section class="page-part" aria-labelledby="memory-stats">
      <h2 id="memory-stats">{S.agents.memories.stats}</h2>
      <Shown of={stats}>
        {({ layers, embeddings }) => (
          <>
            <Table
              columns={[
                columns.layer,
                { number: columns.memories },
                { number: columns.places },
                { number: columns.limit },
                { number: columns.merges },
                { number: columns.embedded },
                { number: columns.refused },
                { number: columns.size },
              ]}
              none=""
              count={LAYERS.length}
            >
              {LAYERS.map((layer) => {
                const { memories, places, limit, merged, embedded, refused, bytes: size } = layers[layer];
                return (
                  <tr key={layer}>
                    <td>{S.agents.memories.layers[layer]}</td>
                    {[memories, places, limit, merged, embedded, refused].map((count, index) => (
                      <td key={index} class="number">
                        {count.toLocaleString('en')}
                      </td>
                    ))}
                    <td class="number">{bytes(size)}</td>
                  </tr>
                );
              })}
            </Table>
            {embeddings === null && <p class="faint">{S.agents.memories.noEmbeddings}</p>}
          </>
        )}
      </Shown>
    </section>
  );
}
