/** The commands of `animus work` about any item, in the order of the help. */
import type { AddOperation } from '../../terminal/command/operation-command.ts';

export const WORK_COMMANDS: Readonly<Record<string, () => Promise<AddOperation>>> = {
  submit: async () => (await import('./terminal/submit-command.ts')).submit,
  list: async () => (await import('./terminal/list-command.ts')).list,
  count: async () => (await import('./terminal/list-command.ts')).count,
  activity: async () => (await import('./terminal/activity-command.ts')).activity,
  show: async () => (await import('./terminal/show-command.ts')).show,
  tail: async () => (await import('./terminal/tail-command.ts')).tail,
  say: async () => (await import('./terminal/say-command.ts')).say,
  change: async () => (await import('./terminal/change-command.ts')).change,
  cancel: async () => (await import('./terminal/cancel-command.ts')).cancel,
  retry: async () => (await import('./terminal/cancel-command.ts')).retry,
};
