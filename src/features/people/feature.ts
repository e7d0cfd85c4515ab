/** People and their tokens (docs/people.md). */
import type { Feature } from '../feature.ts';

export const people: Feature = {
  name: 'people',
  tags: { people: 'People and their tokens.' },
  operations: async () => (await import('./operations.ts')).peopleOperations,
  commands: {
    person: {
      summary: 'people who use animus over HTTP, and their roles',
      load: async () => (await import('./person-commands.ts')).personCommands,
    },
    token: {
      summary: 'bearer tokens of people, for the HTTP API',
      load: async () => (await import('./token-commands.ts')).tokenCommands,
    },
  },
};
