/** The words of the week: a small team builds Fjordline, a booking service for ferries. */
import type { PersonKey } from './cast.ts';
import type { Random } from './random.ts';

/** A part of the product, with a thing that goes wrong in it. */
export interface Area {
  readonly name: string;
  readonly file: string;
  readonly test: string;
  readonly symbol: string;
  readonly fault: string;
  readonly cause: string;
  readonly fix: readonly [before: string, after: string];
}

export const AREAS: readonly Area[] = [
  area(
    'timetable',
    'departureOn',
    'shows the departure of 02:30 twice on the night the clocks go back',
    'it adds 24 hours to get the next day, and that day has 25',
    ['return new Date(day.getTime() + 24 * 3_600_000);', 'return addDays(day, 1, zone);'],
  ),
  area(
    'fares',
    'roundFare',
    'charges one øre too much for groups of seven',
    'the fare of each traveller is rounded before the sum',
    [
      'return travellers.map(fareOf).map(Math.round).reduce(sum);',
      'return Math.round(travellers.map(fareOf).reduce(sum));',
    ],
  ),
  area(
    'payments',
    'captureOnce',
    'captures a payment twice when the first answer times out',
    'the retry sends a new idempotency key',
    ["headers: { 'Idempotency-Key': randomUUID() },", "headers: { 'Idempotency-Key': payment.id },"],
  ),
  area(
    'seats',
    'holdSeats',
    'sells the same cabin to two families',
    'the hold is read and written in two transactions',
    ['const free = await readFree(db, sailing);', 'const free = await readFree(tx, sailing, { lock: true });'],
  ),
  area(
    'mail',
    'renderTicket',
    'sends tickets with «Ã˜resund» in the place of «Øresund»',
    'the template is read as Latin-1',
    ["readFileSync(path, 'latin1')", "readFileSync(path, 'utf8')"],
  ),
  area(
    'search',
    'matchHarbour',
    'does not find Świnoujście when one types Swinoujscie',
    'only the names are folded, not what is typed',
    [
      'return names.filter((name) => fold(name).includes(typed));',
      'return names.filter((name) => fold(name).includes(fold(typed)));',
    ],
  ),
  area('loyalty', 'expirePoints', 'takes points away a month too early', 'months are counted from 0', [
    'new Date(year, month, 1)',
    'new Date(year, month - 1, 1)',
  ]),
  area(
    'vehicles',
    'lengthClass',
    'books a camper of 6.00 m as one of 7 m',
    'the bound of the class is compared with <',
    ['classes.find(({ upTo }) => length < upTo)', 'classes.find(({ upTo }) => length <= upTo)'],
  ),
];

function area(name: string, symbol: string, fault: string, cause: string, fix: readonly [string, string]): Area {
  return { name, file: `src/${name}/${symbol}.ts`, test: `test/${name}/${symbol}.test.ts`, symbol, fault, cause, fix };
}

export const TRAVELLERS = [
  'Ingrid Sørlie',
  'Paweł Zieliński',
  'Nguyễn Thị Hoa',
  'Søren Kjær',
  '佐藤 健',
  'Aoife Ní Bhriain',
  'Omar Haddad',
  'Lena Groß',
];

export const QUESTIONS_OF_TRAVELLERS = [
  ['May my dog come along in the cabin?', 'Yes, in cabins of deck 6, for 190 kr a crossing; it needs a lead outside.'],
  [
    'I was charged twice for booking {booking}.',
    'The second charge was a reservation, which ends by itself within three days.',
  ],
  [
    'We miss the bus to the harbour. Can we take the next ferry?',
    'Yes: tickets of the class «Flex» are valid for all sailings of the day.',
  ],
  [
    'Je n’ai pas reçu mon billet pour {booking}.',
    'Le billet est parti à une adresse avec une faute de frappe ; il vient d’être renvoyé.',
  ],
  [
    'Kann ich das Auto noch von 4,8 m auf 5,2 m ändern?',
    'Ja, bis zwei Stunden vor der Abfahrt; der Aufpreis beträgt 8 €.',
  ],
  [
    'Is there a way on board with a wheelchair at Ystad?',
    'Yes, by the lift of ramp 2; the crew is told when the booking says so.',
  ],
  [
    'The app shows 23:59, the ticket 00:01. Which one is right?',
    'The ticket. The app showed the time of the harbour of arrival until yesterday.',
  ],
] as const;

export const RESEARCH = [
  'how other ferry lines show delays to travellers who have left the page',
  'what PSD2 asks of one-click payments for bookings below 30 €',
  'which map tiles may be shown offline, and what they cost at 40,000 views a day',
  'whether passkeys work in the browsers that our travellers have',
  'how accessible our competitors’ booking forms are, by WCAG 2.2',
  'what an outage of a payment provider has cost other shops, and how they told it',
] as const;

export const CHORES = [
  'Restart the queue of outgoing mail on harbour-2 and find out why it stood still',
  'Free space on the disk of the database of the test stage',
  'Renew the certificate of api.fjordline.example before it ends on Friday',
  'Move the nightly export to the new bucket',
  'Roll back release 2026.47.3 of the booking service',
] as const;

export const TEXTS_TO_WRITE = [
  'the release notes of version 2026.48 for people who sell tickets',
  'the Danish and Polish texts of the page on group fares',
  'the page on what happens to a booking when a sailing is cancelled',
  'an answer of the help centre on vehicles with roof boxes',
  'the changelog of the API for partners, with what breaks',
] as const;

export const REVIEWS = [
  'Retry captures with the same key',
  'Fold what is typed before harbours are compared',
  'Lock the free cabins of a sailing',
  'Count days in the zone of the harbour',
  'Show the price of a cabin before the class',
  'Drop the column bookings.legacy_ref',
] as const;

/** Questions of the model, each with answers. */
export const QUESTIONS = [
  [
    'Should a booking that was made before the change keep its old price, or get the new one?',
    'keep the old price',
    'the lower of the two',
  ],
  [
    'The test of 2019 expects the wrong result. May I change it?',
    'yes, and say so in the commit',
    'no, leave it and skip it',
  ],
  ['Two harbours are called «Nes». Which one do the timetables mean?', 'the one in Ådalsfjorden', 'ask the traveller'],
  [
    'The fix needs a column. Is a migration all right before Friday’s release?',
    'yes, if it takes no lock',
    'after the release',
  ],
] as const;

/** What is remembered: by whom, of which kind, with tags. */
export const MEMORIES = [
  ['mira', 'preference', 'Prices are stored in øre and cents, and are rounded once, at the end.', ['prices']],
  ['tomas', 'fact', 'The test stage has the data of last Monday; harbour 14 exists only there.', ['stage']],
  ['zoe', 'procedure', 'A release goes to the ships’ kiosks two hours after the website.', ['release', 'kiosk']],
  ['ben', 'fact', 'Travellers from Bornholm get the islanders’ fare without asking for it.', ['fares']],
  ['mira', 'lesson', 'The night the clocks go back has 25 hours: count days in the zone of the harbour.', ['time']],
  ['zoe', 'preference', 'In Danish texts we say «du», in German «Sie».', ['texts', 'tone']],
  [
    'tomas',
    'lesson',
    'Never vacuum full bookings_archive by day: it locks the search for eight minutes.',
    ['postgres'],
  ],
  [
    'ben',
    'fact',
    '大阪の旅行会社は予約を CSV で送ってくる (the agency in Osaka sends bookings as CSV, in Shift-JIS).',
    ['partners'],
  ],
] as const satisfies readonly (readonly [PersonKey, string, string, readonly string[]])[];

/** Why work died: the code and the message of its last attempt. */
export const DEATHS = [
  ['model.failed', 'anthropic answered 529 (overloaded_error) to 6 requests in 9 minutes'],
  ['focus.deadline', 'the focus has run for 3600 s, which is its deadline'],
  ['consolidate.refused', 'the consolidate hook refused the result: npm test: 3 of 412 tests fail'],
  ['process.killed', 'the command used 4.1 GiB of memory; 4 GiB are allowed'],
  ['turns.exceeded', 'the work is not done after 100 turns, which is max_turns'],
] as const;

export function booking({ between }: Random): string {
  return `FJ-${between(100_000, 999_999)}`;
}

/** What a test run prints. */
export function testOutput(areaOf: Area, passed: number, failed: number): string {
  const lines = Array.from(
    { length: Math.min(passed, 14) },
    (_, n) => `  ✓ ${areaOf.test} > case ${n + 1} (${3 + ((n * 7) % 40)} ms)`,
  );
  const failures =
    failed > 0
      ? [
          `  ✗ ${areaOf.test} > ${areaOf.fault}`,
          `    AssertionError: expected 1 to be 2`,
          `      at ${areaOf.test}:48:18`,
        ]
      : [];
  return [
    `$ npm test -- ${areaOf.test}`,
    ...lines,
    ...failures,
    '',
    `Tests  ${failed} failed | ${passed} passed (${passed + failed})`,
  ].join('\n');
}
