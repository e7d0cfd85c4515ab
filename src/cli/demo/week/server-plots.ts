/** Plots of work on servers. */
import { FACULTIES } from './cast.ts';
import { note } from './item-life.ts';
import { CHORES } from './phrases.ts';
import type { Random } from './random.ts';
import type { Plot } from './stories.ts';

/** A server needs a hand; a person decides what is done to it. */
export function chore(random: Random): Plot {
  const description = random.pick(CHORES);
  const command = random.pick([
    'systemctl restart fjordline-mail',
    'psql test -c "vacuum full bookings_archive"',
    'certbot renew --cert-name api.fjordline.example',
    'kubectl -n booking rollout undo deployment/booking --to-revision=47',
    'rm -r /var/lib/postgresql/test/old_exports',
  ]);
  const isDenied = random.chance(0.25);
  return {
    task: { faculty: FACULTIES.operator, description, by: random.pick(['ben', 'tomas', 'ci'] as const), priority: 10 },
    chapters: [
      {
        says: 'I look first, and change nothing.',
        calls: [
          {
            tool: 'bash',
            input: { command: 'df -h / && systemctl --failed' },
            output: 'Filesystem  Size  Used Avail Use%\n/dev/sda1    98G   91G  7.1G  93%\n\n0 loaded units listed.',
            ms: random.between(60, 900),
          },
        ],
      },
      {
        move: {
          says: `This needs a person: ${command}`,
          calls: [
            note('plan', `Ask for: ${command}`),
            { tool: 'bash', input: { command, timeout_seconds: 120 }, ms: random.between(700, 20_000) },
          ],
        },
        reason: 'the rule bash(*) = "ask" of [faculty.permissions]',
        by: random.pick(['mira', 'tomas'] as const),
        afterMs: Math.round(60_000 * (2 + random.next() ** 3 * 300)),
        says: isDenied ? 'deny' : 'approve',
        note: isDenied
          ? 'Not in working hours. Write down what you would do, I do it tonight.'
          : random.pick(['', 'Go ahead.', 'OK, I am watching the graphs.']),
        output: 'ok',
        ...(!isDenied && random.chance(0.15) && { grants: 'bash(systemctl restart fjordline-mail)' }),
      },
    ],
    end: {
      as: 'completed',
      outcome: { done: !isDenied },
      summary: isDenied
        ? `Not done: a person denied «${command}». The steps are in the ledger.`
        : `Done: ${command}. Nothing else was changed.`,
    },
  };
}
