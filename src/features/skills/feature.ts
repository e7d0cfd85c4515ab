/** Skills (docs/skills.md): those that agents write, and what people do with folders of skills. The engine chooses and activates them. */
import type { Feature } from '../feature.ts';

export const skills: Feature = {
  name: 'skills',
  tags: { skills: 'Skills that agents wrote.' },
  operations: async () => (await import('./operations.ts')).skillOperations,
  commands: {
    skill: {
      summary: 'instructions for kinds of tasks, in the Agent Skills format',
      load: async () => (await import('./commands.ts')).skillCommands,
    },
  },
  examine: async () => (await import('./doctor.ts')).examineSkills,
  status: {
    last: true,
    shape: ({ z }) => ({
      stale_skills: z
        .object({ count: z.int().min(0), days: z.int() })
        .optional()
        .describe('how many skills no work has used for that many days'),
    }),
    load: async () => (await import('./status.ts')).showStaleSkills,
  },
};
