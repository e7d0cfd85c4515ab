/** The words of src/core/work as they stand in SQL and in the docs. */
import { readFileSync } from 'node:fs';
import { WORDS, type WordList } from '../src/core/work/words.ts';
import { TRANSITIONS } from '../src/core/work/work.ts';
import { withPart } from './written-part.ts';

const PLACES: readonly { readonly file: string; readonly part: () => string }[] = [
  { file: 'migrations/functions/01_words.sql', part: wordsSql },
  { file: 'docs/sql-api.md', part: wordsTable },
];

const LISTS: readonly (readonly [string, WordList])[] = Object.entries(WORDS);

/** The files that contain words, by path, with the words of now. */
export function filesWithWords(): ReadonlyMap<string, string> {
  return new Map(
    PLACES.map(({ file, part }) => {
      const path = new URL(`../${file}`, import.meta.url).pathname;
      return [path, withPart(readFileSync(path, 'utf8'), { name: 'words', by: 'npm run schema' }, part())];
    }),
  );
}

function wordsSql(): string {
  const guarded = LISTS.filter(([, { checkedBy }]) => checkedBy === 'trigger').map(
    ([list]) => list.split('.') as [string, string],
  );
  return [
    '',
    '-- Returns the words that a column may contain; null for a column without a list.',
    '-- Locks: none. Raises: nothing.',
    'create or replace function animus.words(p_list text) returns text[]',
    'language sql immutable parallel safe as $$',
    '  select case p_list',
    ...LISTS.map(([list, { words }]) => `    when '${list}' then array[${quoted(Object.keys(words))}]`),
    '  end',
    '$$;',
    '',
    '-- Returns whether an item may change from one state to the other.',
    '-- Locks: none. Raises: nothing.',
    'create or replace function animus.transition_allowed(p_from text, p_to text) returns boolean',
    'language sql immutable parallel safe as $$',
    '  select case p_from',
    ...Object.entries(TRANSITIONS).flatMap(([from, to]) =>
      to.length > 0 ? [`    when '${from}' then p_to in (${quoted(to)})`] : [],
    ),
    '    else false',
    '  end',
    '$$;',
    '',
    '-- Each column has its own trigger function: reading a column by name would cost more than the check, and the list is a constant of the plan.',
    '',
    ...guarded.flatMap(checkOf),
    ...guarded.flatMap(triggerOf),
    '',
  ].join('\n');
}

function checkOf([table, column]: readonly [string, string]): string[] {
  return [
    `-- Refuses a word that is not in the list of ${table}.${column}.`,
    '-- Locks: none. Raises: 23514.',
    `create or replace function animus.check_${table}_${column}() returns trigger`,
    'language plpgsql security definer set search_path = pg_catalog, pg_temp as $$',
    'begin',
    `  if new.${column} <> all (animus.words('${table}.${column}')) then perform animus.refuse_word('${table}', '${column}', new.${column}); end if;`,
    '  return new;',
    'end $$;',
    '',
  ];
}

function triggerOf([table, column]: readonly [string, string]): string[] {
  return [
    `create or replace trigger check_${column} before insert or update of ${column} on animus.${table}`,
    `  for each row execute function animus.check_${table}_${column}();`,
  ];
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}

function wordsTable(): string {
  const rows = LISTS.flatMap(([list, { meaning, words }]) => [
    `| **\`${list}\`** | | ${meaning} |`,
    ...Object.entries(words).map(([word, says]) => `| | \`${word}\` | ${says} |`),
  ]);
  return `${['| column | word | meaning |', '|---|---|---|', ...rows].join('\n')}\n`;
}
