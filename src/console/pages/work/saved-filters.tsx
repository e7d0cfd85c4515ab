/** Filters with a name: some that everybody has, and the person's own. */
import { useState } from 'preact/hooks';
import { place } from '../../model/place.ts';
import { whoseMe } from '../../model/session-state.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { S } from '../../words/strings.ts';
import { savedPart } from './filter.ts';
import { loadSaved, type SavedFilter, storeSaved, withFilter } from './saved.ts';

export function SavedFilters() {
  const [saved, setSaved] = useState(loadSaved);
  const [naming, setNaming] = useState(false);
  const now = savedPart(place.value.query);
  const keep = (all: readonly SavedFilter[]) => {
    storeSaved(all);
    setSaved(all);
  };
  const known = [...usual(), ...saved].some(({ query }) => query === now);
  return (
    <nav class="saved" aria-label={S.work.saved}>
      {usual().map((one) => (
        <Link key={one.query} filter={one} isShown={one.query === now} />
      ))}
      {saved.map((one) => (
        <span key={one.name} class="saved-own">
          <Link filter={one} isShown={one.query === now} />
          <button
            type="button"
            class="quiet"
            aria-label={S.work.forget(one.name)}
            onClick={() => keep(saved.filter(({ name }) => name !== one.name))}
          >
            ×
          </button>
        </span>
      ))}
      {now !== '' && !known && (
        <button type="button" class="quiet" onClick={() => setNaming(true)}>
          {S.work.save}
        </button>
      )}
      {naming && (
        <NameDialog onName={(name) => keep(withFilter(saved, { name, query: now }))} onClose={() => setNaming(false)} />
      )}
    </nav>
  );
}

function usual(): readonly SavedFilter[] {
  const { all, mine, open, failed } = S.work.usual;
  const me = whoseMe();
  const by = me === null ? '' : new URLSearchParams({ by: me.actor }).toString();
  return [
    { name: all, query: '' },
    { name: mine, query: by },
    { name: open, query: new URLSearchParams({ state: 'queued,claimed,running,waiting' }).toString() },
    { name: failed, query: new URLSearchParams({ state: 'dead', sort: 'ended' }).toString() },
  ];
}

function Link({ filter, isShown }: { readonly filter: SavedFilter; readonly isShown: boolean }) {
  const { name, query } = filter;
  return (
    <a href={`#/work${query === '' ? '' : `?${query}`}`} aria-current={isShown ? 'true' : undefined}>
      <bdi>{name}</bdi>
    </a>
  );
}

function NameDialog({ onName, onClose }: { readonly onName: (name: string) => void; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const act = async () => {
    onName(name.trim());
    return S.work.isSaved;
  };
  return (
    <Confirm title={S.work.saveTitle} act={act} label={S.work.save} onClose={onClose}>
      <label>
        {S.work.name}
        <input value={name} maxLength={60} required onInput={(event) => setName(event.currentTarget.value)} autoFocus />
      </label>
    </Confirm>
  );
}
