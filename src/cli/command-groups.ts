/** The groups of commands in the order of the help, and where each is defined. A group is loaded when a command line begins with one of its names. */
import type { Command } from 'commander';
import type { Feature } from '../features/feature.ts';
import { FEATURES } from '../features/features.ts';
import { addGroup, type FindProgram, type RunCommand } from '../terminal/command/command.ts';

type AddCommands = (program: Command, run: RunCommand, find: FindProgram) => void;

/** Commands of the program that are defined and loaded together. */
export interface CommandGroup {
  /** The names of its commands in the program. */
  readonly names: readonly string[];
  /** Whether it can load this command of its group alone. */
  readonly has?: (name: string) => Promise<boolean>;
  /** Loads the function that adds them; of a group perhaps only the command with the name `only`. */
  readonly load: (only?: string) => Promise<AddCommands>;
}

/** A text is the name of a command of a feature. */
const IN_ORDER: readonly (CommandGroup | string)[] = [
  { names: ['demo'], load: async () => (await import('./demo/demo.ts')).addDemoCommand },
  { names: ['init'], load: async () => (await import('./init/init.ts')).addInitCommand },
  { names: ['serve'], load: async () => (await import('./serve/serve.ts')).addServeCommand },
  'status',
  { names: ['health'], load: async () => (await import('./serve/health.ts')).addHealthCommand },
  { names: ['console'], load: async () => (await import('./serve/console.ts')).addConsoleCommand },
  { names: ['http'], load: async () => (await import('./serve/http.ts')).addHttpCommand },
  { names: ['mcp'], load: async () => (await import('./serve/mcp.ts')).addMcpCommand },
  { names: ['work'], load: async () => (await import('./work/more-commands.ts')).addMoreWorkCommands },
  'chat',
  'inbox',
  'pause',
  'resume',
  'budget',
  'schedule',
  'ledger',
  'person',
  'token',
  'webhook',
  'audit',
  'memory',
  'spend',
  { names: ['faculty'], load: async () => (await import('./faculty/faculty.ts')).addFacultyCommands },
  'skill',
  'models',
  { names: ['db'], load: async () => (await import('./db/db.ts')).addDbCommands },
  'sandbox',
  { names: ['config'], load: async () => (await import('./settings/config.ts')).addConfigCommand },
  { names: ['doctor'], load: async () => (await import('./doctor/doctor.ts')).addDoctorCommand },
  { names: ['completion'], load: async () => (await import('./shell/completion.ts')).addCompletionCommand },
  { names: ['help'], load: async () => (await import('./shell/help-topics.ts')).addHelpCommand },
];

export const COMMAND_GROUPS: readonly CommandGroup[] = inOrder(
  IN_ORDER,
  FEATURES.flatMap(({ commands, load }) => commands.map((name) => featureGroup(name, load))),
);

/** The commands of a group to which several parts add, in the order of the help. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  work: 'submit list show tail diff apply checkout discard worktrees say cancel retry approve deny answer grants revoke'.split(
    ' ',
  ),
};

/** Commands of features that have no place come last. What parts add to the group of another stands where `ORDER` has it, or else behind that. */
function inOrder(places: readonly (CommandGroup | string)[], ofFeatures: readonly CommandGroup[]): CommandGroup[] {
  const named = new Set(places.flatMap((place) => (typeof place === 'string' ? place : place.names)));
  const others = new Set(ofFeatures.flatMap(({ names }) => names).filter((name) => !named.has(name)));
  return [...places, ...others].map((place) => {
    const own = typeof place === 'string' ? [] : [place];
    const names = typeof place === 'string' ? [place] : place.names;
    const [first, ...more] = [...ofFeatures.filter(({ names: [name = ''] }) => names.includes(name)), ...own];
    return more.length === 0 ? first! : together(names, [first!, ...more]);
  });
}

function together(names: readonly string[], parts: readonly CommandGroup[]): CommandGroup {
  return {
    names,
    async load(only) {
      const [first] = parts;
      // The first one describes the group.
      const needed = only !== undefined && (await first!.has?.(only)) ? [first!] : parts;
      const all = await Promise.all(needed.map(({ load }) => load(only)));
      return (program, run, find) => {
        for (const add of all) add(program, run, find);
        for (const name of names) sortCommands(program, name);
      };
    },
  };
}

function sortCommands(program: Command, group: string): void {
  const order = ORDER[group];
  if (order === undefined) return;
  const commands = program.commands.find((command) => command.name() === group)!.commands as Command[];
  const places = new Map(
    commands.map((command, n) => [command, order.indexOf(command.name()) + 1 || order.length + n]),
  );
  commands.sort((one, other) => places.get(one)! - places.get(other)!);
}

/** A command of a feature, which may be a group, or commands of a group that is there. */
export function featureGroup(name: string, loadFeature: () => Promise<Feature>): CommandGroup {
  return {
    names: [name],
    has: async (only) => Object.hasOwn((await loadFeature()).commands![name]!.one ?? {}, only),
    async load(only = '') {
      const { summary, load, one } = (await loadFeature()).commands![name]!;
      const alone = one && Object.hasOwn(one, only) ? one[only] : undefined;
      const commands = alone === undefined ? await load() : [await alone()];
      return (program, run) => {
        if (typeof commands === 'function') return commands(program, run);
        const there = summary === undefined && program.commands.find((command) => command.name() === name);
        const group = there || addGroup(program, name, summary!);
        for (const add of commands) add(group, run);
      };
    },
  };
}
