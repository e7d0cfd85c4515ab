/** `animus audit …`: who decided what, and whether the record of it is complete. */
import type { Command } from 'commander';
import { choice, pastMoment } from '../../terminal/command/arguments.ts';
import { addCommand, addGroup, type RunCommand } from '../../terminal/command/command.ts';
import { EXPORT_FORMATS, exportCommand } from './audit-export.ts';
import { verifyCommand } from './audit-verify.ts';

/** Adds `animus audit export|verify`. */
export function addAuditCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'audit', 'who decided what: export the decisions, and check that none was changed');
  addCommand(group, 'export', {
    summary: 'print the decisions of a time, oldest first, one per line',
    examples: [
      'animus audit export > decisions.jsonl',
      'animus audit export --since 2026-01-01 --until 2026-02-01 --format csv > january.csv',
      'animus audit export --heads > heads.jsonl',
    ],
  })
    .option(
      '--since <time>',
      'no decisions before this time: 2026-03-01 (midnight UTC), 2026-03-01T09:00, or 1d (ago)',
      pastMoment,
    )
    .option('--until <time>', 'no decisions at this time or later', pastMoment)
    .option('--format <format>', 'jsonl or csv (default: jsonl)', choice(EXPORT_FORMATS))
    .option('--heads', 'only the newest decision of each chain, for audit verify --against')
    .action(run(exportCommand));
  addCommand(group, 'verify', {
    summary: 'check the chain of the decisions of each work item; exits 1 and says where it is broken',
    examples: ['animus audit verify', 'animus audit verify --against decisions.jsonl'],
  })
    .option('--against <file>', 'also check that every decision of this earlier export (JSON Lines) is still there')
    .action(run(verifyCommand));
}
