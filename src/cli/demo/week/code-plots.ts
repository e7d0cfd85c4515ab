/** Plots of work on code. */
import { FACULTIES } from './cast.ts';
import type { Chapter } from './chapter.ts';
import { note } from './item-life.ts';
import { AREAS, type Area, QUESTIONS, REVIEWS, testOutput } from './phrases.ts';
import type { Random } from './random.ts';
import type { Plot } from './stories.ts';

/** A fault is found and fixed. */
export function fix(random: Random): Plot {
  const area = random.pick(AREAS);
  const number = random.between(1200, 1999);
  const [before, after] = area.fix;
  const passed = random.between(6, 60);
  const chapters: Chapter[] = [
    {
      says: `I read ${area.file} and its test first, and run the test to see it fail.`,
      calls: [
        note(
          'plan',
          `1. Reproduce with ${area.test}. 2. Fix the cause in src/${area.name}. 3. Run the tests of ${area.name}.`,
        ),
        { tool: 'read_file', input: { path: area.file }, output: sourceOf(area, before), ms: random.between(3, 40) },
        {
          tool: 'grep',
          input: { pattern: area.symbol, output: 'files' },
          output: `${area.file}\n${area.test}\nsrc/http/routes.ts`,
          ms: random.between(9, 90),
        },
      ],
    },
    {
      says: '',
      thinks: `The report says that it ${area.fault}. ${area.cause[0]!.toUpperCase()}${area.cause.slice(1)}: that would explain it.`,
      calls: [
        {
          tool: 'bash',
          input: { command: `npm test -- ${area.test}` },
          output: testOutput(area, passed - 1, 1),
          failed: true,
          ms: random.between(1800, 14_000),
        },
      ],
    },
    ...detours(random, area),
    {
      says: `Found: ${area.cause}.`,
      calls: [
        note('finding', `${area.file}:${random.between(12, 140)} ${area.symbol} ${area.fault}: ${area.cause}.`),
        {
          tool: 'edit_file',
          input: { path: area.file, old_string: before, new_string: after },
          output: `1 replacement in ${area.file}`,
          ms: random.between(5, 30),
        },
      ],
    },
    {
      says: '',
      calls: [
        {
          tool: 'bash',
          input: { command: `npm test -- ${area.test}` },
          output: testOutput(area, passed, 0),
          ms: random.between(1800, 14_000),
        },
      ],
    },
    { says: 'The test passes.', calls: [note('step', `Fixed ${area.symbol}; ${passed} tests of ${area.name} pass.`)] },
  ];
  return {
    ...(random.chance(0.4) && { patch: patchOf(area) }),
    task: {
      faculty: FACULTIES.engineer,
      description: `#${number} ${area.symbol} ${area.fault}. Find the cause, fix it and add a test; change nothing else.`,
      params: { issue: number, repository: 'fjordline/booking', expect_changed: [area.file] },
      by: random.pick(['ben', 'zoe', 'mira', 'ci'] as const),
      priority: random.chance(0.3) ? 5 : 0,
    },
    chapters,
    end: {
      as: 'completed',
      outcome: { changed_files: [area.file, area.test], tests: `${passed} passed` },
      summary: `Fixed #${number}: ${area.cause}. ${area.file} changed, one test added; all ${passed} tests of ${area.name} pass.`,
    },
  };
}

/** The model does not know, and asks. */
export function question(random: Random): Plot {
  const plot = fix(random);
  const [asked, ...choices] = random.pick(QUESTIONS);
  const ask: Chapter = {
    move: {
      says: 'Two behaviours would be right here.',
      calls: [{ tool: 'ask_human', input: { question: asked, choices }, ms: 20 }],
    },
    by: random.pick(['mira', 'tomas'] as const),
    afterMs: Math.round(60_000 * (5 + random.next() ** 2 * 600)),
    says: 'answer',
    note: random.pick(choices),
    output: '',
  };
  return { ...plot, chapters: [...plot.chapters.slice(0, 3), ask, ...plot.chapters.slice(3)] };
}

/** Looks that lead nowhere, now and then. */
function detours(random: Random, area: Area): Chapter[] {
  return Array.from({ length: random.chance(0.4) ? 0 : random.between(1, 6) }, (_, n) => {
    const other = random.pick(AREAS);
    return {
      says: n === 0 ? `Before I change anything, I look at who else uses ${area.symbol}.` : '',
      calls: [
        {
          tool: 'read_file',
          input: { path: other.file },
          output: sourceOf(other, other.fix[1]),
          ms: random.between(3, 50),
        },
        {
          tool: 'grep',
          input: { pattern: `${other.symbol}\\(`, before: 1 },
          output: `${area.file}-17-\n${area.file}:18:  ${other.symbol}(sailing)`,
          ms: random.between(9, 120),
        },
        ...(random.chance(0.25)
          ? [
              {
                tool: 'bash',
                input: { command: `git log --oneline -5 -- ${other.file}` },
                output: history(random),
                ms: random.between(20, 300),
              },
            ]
          : []),
      ],
    };
  });
}

function history(random: Random): string {
  return Array.from(
    { length: 5 },
    () => `${random.between(0x1000000, 0xfffffff).toString(16)} ${random.pick(REVIEWS)}`,
  ).join('\n');
}

function sourceOf(area: Area, line: string): string {
  return [
    `import { db } from '../db.js';`,
    '',
    `/** Used by ${area.name}. */`,
    `export function ${area.symbol}(sailing: Sailing): Result {`,
    `  ${line}`,
    '}',
  ]
    .map((text, n) => `${String(n + 1).padStart(4)}\t${text}`)
    .join('\n');
}

/** A change is reviewed. */
export function review(random: Random): Plot {
  const title = random.pick(REVIEWS);
  const pull = random.between(2100, 2899);
  const area = random.pick(AREAS);
  const isGood = random.chance(0.6);
  const verdict = isGood ? 'approve' : 'request_changes';
  return {
    task: {
      faculty: FACULTIES.reviewer,
      description: `Review !${pull} «${title}»`,
      params: { pull_request: pull, files: [area.file, area.test] },
      by: 'ci',
      source: 'webhook',
      dedupKey: `review-${pull}-${random.between(1, 1e6)}`,
    },
    chapters: [
      {
        says: '',
        calls: [
          {
            tool: 'bash',
            input: { command: `git diff main...pull/${pull}` },
            output: `--- a/${area.file}\n+++ b/${area.file}\n@@ -18,7 +18,7 @@\n-  ${area.fix[0]}\n+  ${area.fix[1]}`,
            ms: random.between(40, 400),
          },
          { tool: 'read_file', input: { path: area.test }, output: testOutput(area, 4, 0), ms: random.between(4, 30) },
        ],
      },
      ...(isGood
        ? []
        : [
            {
              says: 'One case is missing.',
              calls: [
                note('finding', `${area.test} has no case for an empty list; ${area.symbol} returns undefined there.`),
              ],
            },
          ]),
    ],
    end: {
      as: 'completed',
      outcome: { verdict, comments: isGood ? 0 : random.between(1, 6) },
      summary: isGood
        ? `!${pull} is right and has its test. Approved.`
        : `!${pull}: ${area.symbol} returns undefined for an empty list. Changes requested.`,
    },
  };
}

function patchOf({ file, test, symbol, fix: [before, after], fault }: Area): string {
  return [
    `diff --git a/${file} b/${file}`,
    `--- a/${file}`,
    `+++ b/${file}`,
    '@@ -3,5 +3,5 @@ import { db } from "../db.ts";',
    ` export function ${symbol}(sailing: Sailing): Result {`,
    `-  ${before}`,
    `+  ${after}`,
    ' }',
    `diff --git a/${test} b/${test}`,
    `--- a/${test}`,
    `+++ b/${test}`,
    '@@ -41,3 +41,7 @@',
    ` test('${symbol}', () => {`,
    '+',
    `+test('it no longer ${fault}', () => {`,
    `+  expect(${symbol}(sailingOf('2026-10-25'))).toMatchSnapshot();`,
    '+});',
    '',
  ].join('\n');
}
