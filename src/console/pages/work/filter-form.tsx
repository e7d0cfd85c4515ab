/** The filters of the list. Words are looked for as they are typed; everything else when it is chosen. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { changeQuery, hrefTo, place } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { isTyping } from '../../ui/keys.ts';
import { S } from '../../words/strings.ts';
import { FILTERS, type FilterName, listOf } from './filter.ts';

const TYPED_MS = 300;

export function FilterForm() {
  const { query } = place.value;
  const faculties = useLoaded((signal) => api.operate.listFaculties({ signal }), []);
  const isFiltered = FILTERS.some((name) => query.get(name));
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <Typed name="q" label={S.work.words} type="search" wide />
      <States />
      <Typed name="faculty" label={S.work.faculty} list="work-faculties" />
      <datalist id="work-faculties">
        {faculties.value?.items.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Typed name="by" label={S.work.by} placeholder="person:olga" />
      <Chosen name="since" label={S.work.since} options={S.work.spans} />
      <Typed name="cost" label={S.work.cost} type="number" />
      <Typed name="error" label={S.work.error} placeholder="llm.overloaded" />
      <Chosen name="sort" label={S.work.sort} options={S.work.sorts} />
      {isFiltered && <a href={hrefTo('work')}>{S.work.clear}</a>}
    </form>
  );
}

interface FieldProps {
  readonly name: FilterName;
  readonly label: string;
}

interface TypedProps extends FieldProps {
  readonly type?: 'text' | 'search' | 'number';
  readonly list?: string;
  readonly placeholder?: string;
  readonly wide?: boolean;
}

function Typed({ name, label, type = 'text', list, placeholder, wide = false }: TypedProps) {
  const shown = place.value.query.get(name) ?? '';
  const [typed, setTyped] = useState(shown);
  const input = useRef<HTMLInputElement>(null);
  // Another address, such as by the back button.
  useEffect(() => setTyped(shown), [shown]);
  useEffect(() => {
    if (typed === shown) return undefined;
    const timer = setTimeout(() => changeQuery({ [name]: typed }, { replace: true }), TYPED_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => (name === 'q' ? focusWithSlash(input.current!) : undefined), []);
  return (
    <label class={wide ? 'filter-wide' : undefined}>
      {label}
      <input
        ref={input}
        type={type}
        list={list}
        placeholder={placeholder}
        min={type === 'number' ? 0 : undefined}
        step="any"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  );
}

function focusWithSlash(input: HTMLInputElement): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
    event.preventDefault();
    input.focus();
    input.select();
  };
  addEventListener('keydown', pressed);
  return () => removeEventListener('keydown', pressed);
}

function Chosen({ name, label, options }: FieldProps & { readonly options: Readonly<Record<string, string>> }) {
  const value = place.value.query.get(name) ?? '';
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => changeQuery({ [name]: event.currentTarget.value })}>
        {Object.entries(options).map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
        {!(value in options) && <option value={value}>{value}</option>}
      </select>
    </label>
  );
}

/** Several may be chosen. */
function States() {
  const chosen = listOf(place.value.query.get('state'));
  const change = (state: string, isChosen: boolean) => {
    const next = isChosen ? [...chosen, state] : chosen.filter((one) => one !== state);
    changeQuery({ state: next.join(',') });
  };
  const summary =
    chosen.length === 0
      ? S.work.any
      : chosen.map((state) => S.state[state as keyof typeof S.state] ?? state).join(', ');
  return (
    <div class="filter-states">
      <span>{S.work.state}</span>
      <details>
        <summary aria-label={`${S.work.state}: ${summary}`}>{summary}</summary>
        <div class="filter-menu">
          {Object.entries(S.state).map(([state, label]) => (
            <label key={state} class="check">
              <input
                type="checkbox"
                checked={chosen.includes(state)}
                onChange={(event) => change(state, event.currentTarget.checked)}
              />
              {label}
            </label>
          ))}
        </div>
      </details>
    </div>
  );
}
