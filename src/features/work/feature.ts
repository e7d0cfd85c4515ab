/** Work items: everything that others load of their acts is named here. */
import type { Feature } from '../feature.ts';
import { WORK_COMMANDS } from './commands.ts';

export const work: Feature = {
  name: 'work',
  tags: { work: 'Work items: submit, find, steer and cancel them.' },
  operations: async () => (await import('./operations.ts')).workOperations,
  service: async () => (await import('./service.ts')).createReaders,
  commands: {
    work: {
      summary:
        'work items: submit, list, show, follow, see and apply what they changed, steer, cancel, retry, approve, deny, answer',
      load: async () => Promise.all(Object.values(WORK_COMMANDS).map((load) => load())),
      one: WORK_COMMANDS,
    },
  },
};
