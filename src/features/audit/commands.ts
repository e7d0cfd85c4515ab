/** `animus audit export|verify`: who decided what, and whether the record of it is complete. */
import { choice, pastMoment } from '../../terminal/command/arguments.ts';
import { addCommand } from '../../terminal/command/command.ts';
import type { AddOperation } from '../../terminal/command/operation-command.ts';
import { EXPORT_FORMATS, exportCommand } from './export-command.ts';
import { verifyCommand } from './verify-command.ts';

const addExport: AddOperation = (group, run) => {
  addCommand(group, 'export', {
    summary: 'print the decisions of a period, oldest first, one per line',
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
    .option('--until <time>', 'only decisions before this time', pastMoment)
    .option('--format <format>', 'jsonl or csv (default: jsonl)', choice(EXPORT_FORMATS))
    .option('--heads', 'only the newest decision of each chain, for audit verify --against')
    .action(run(exportCommand));
};

const addVerify: AddOperation = (group, run) => {
  addCommand(group, 'verify', {
    summary: 'check the chain of the decisions of each work item; exits 1 and says where it is broken',
    examples: ['animus audit verify', 'animus audit verify --against decisions.jsonl'],
  })
    .option('--against <file>', 'also check that every decision of this earlier export (JSON Lines) is still there')
    .action(run(verifyCommand));
};

export const auditCommands = [addExport, addVerify];
