/** The conversations of the week. */
import { FACULTIES } from './cast.ts';
import type { Talk } from './chat-story.ts';

export const TALKS: readonly Talk[] = [
  {
    faculty: FACULTIES.engineer,
    title: 'Why are Sunday’s departures slow?',
    owner: 'zoe',
    guest: 'mira',
    lines: [
      {
        says: 'The list of departures takes four seconds on Sundays. Where does the time go?',
        answer:
          'Into **one query**: `departuresOn` reads every sailing of the season and drops what is not of the day.\n\n| day | rows read | ms |\n|---|---:|---:|\n| Tuesday | 1,912 | 210 |\n| Sunday | 41,300 | 3,980 |\n\nAn index on `(harbour, departs_at)` would read 64 rows.',
        calls: [
          {
            tool: 'bash',
            input: { command: 'psql test -c "explain analyze select …"' },
            output: 'Seq Scan on sailings (actual time=0.02..3979.8 rows=41300 loops=1)',
            ms: 4100,
          },
        ],
      },
      {
        says: 'Would that index lock the table?',
        answer:
          'Not with `create index concurrently`. It takes longer, and if it fails it leaves an invalid index, which has to be dropped.\n\n```sql\ncreate index concurrently sailings_departures on sailings (harbour, departs_at);\n```',
      },
      {
        says: 'Would that index lock the table? We have 30 bookings a second on Sundays.',
        in: 'edit',
        answer:
          'No: with `concurrently`, bookings go on. At 30 a second the build takes about two minutes; do it on a Tuesday night anyway, because it waits for every open transaction.',
      },
      {
        says: '',
        in: 'retry',
        answer:
          'No. `create index concurrently` blocks neither reads nor writes. Two minutes at your rate, and nothing to undo if you drop it again.',
      },
    ],
  },
  {
    faculty: FACULTIES.support,
    title: 'Hund an Bord 🐕',
    owner: 'ben',
    lines: [
      {
        says: 'Was sagen wir Leuten mit zwei Hunden?',
        answer: 'Zwei Hunde sind in Kabinen auf Deck 6 erlaubt, zusammen 380 kr je Überfahrt. Auf Deck 7 nur einer.',
      },
      {
        says: 'And in Polish, for the website?',
        answer:
          'Dwa psy mogą podróżować w kabinach na pokładzie 6, łącznie 380 kr za rejs. Na pokładzie 7 tylko jeden.',
      },
      {
        says: 'اكتبها بالعربية أيضًا من فضلك',
        answer: 'يُسمح بكلبين في مقصورات الطابق 6 مقابل 380 كرونة للرحلة، وبكلب واحد فقط في الطابق 7.',
      },
    ],
  },
  {
    faculty: FACULTIES.researcher,
    title: 'Passkeys',
    owner: 'mira',
    lines: [
      {
        says: 'Can we replace passwords by passkeys for travellers this winter?',
        answer:
          'For nine of ten, yes. The rest use browsers that cannot: they need a link by mail, as now.\n\n1. Offer a passkey after a booking.\n2. Keep the link by mail.\n3. Remove passwords in spring.',
      },
    ],
  },
];
