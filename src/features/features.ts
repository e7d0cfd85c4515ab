/** The parts of animus beside the engine, in the order in which documents name them. A command loads its own only. */
import type { Section } from '../core/config/source/section.ts';
import type { Feature } from './feature.ts';

interface Listed {
  /** The names of its commands in the program: `animus NAME …`. The help has them where `src/cli/command-groups.ts` names them, or else behind those. */
  readonly commands: readonly string[];
  /** Whether it has a part in `animus status`. Default: it has none. */
  readonly status?: true;
  /** Its table of animus.toml, for which a command that reads the file need not load all parts. Default: none. */
  readonly config?: () => Promise<Section>;
  readonly load: () => Promise<Feature>;
}

export const FEATURES: readonly Listed[] = [
  { commands: ['person', 'token'], load: async () => (await import('./people/feature.ts')).people },
  { commands: ['work'], load: async () => (await import('./work/feature.ts')).work },
  { commands: ['ledger'], load: async () => (await import('./record/feature.ts')).record },
  { commands: [], load: async () => (await import('./artifacts/feature.ts')).artifacts },
  {
    commands: ['status', 'pause', 'resume', 'models'],
    load: async () => (await import('./operate/feature.ts')).operate,
  },
  { commands: ['work', 'inbox'], load: async () => (await import('./approvals/feature.ts')).approvals },
  { commands: ['memory'], status: true, load: async () => (await import('./memory/feature.ts')).memory },
  { commands: ['sandbox'], load: async () => (await import('./sandbox/feature.ts')).sandbox },
  { commands: ['skill'], status: true, load: async () => (await import('./skills/feature.ts')).skills },
  { commands: ['audit'], load: async () => (await import('./audit/feature.ts')).audit },
  { commands: ['chat'], load: async () => (await import('./conversations/feature.ts')).conversations },
  { commands: ['budget', 'spend'], load: async () => (await import('./budgets/feature.ts')).budgets },
  { commands: ['schedule'], load: async () => (await import('./schedules/feature.ts')).schedules },
  {
    commands: ['webhook'],
    status: true,
    config: async () => (await import('./webhooks/config.ts')).webhookSection,
    load: async () => (await import('./webhooks/feature.ts')).webhooks,
  },
  { commands: [], status: true, load: async () => (await import('./batches/feature.ts')).batches },
  { commands: [], load: async () => (await import('./mcp/feature.ts')).mcp },
];

/** All of them, for what serves them, checks them or shows them. */
export function loadFeatures(): Promise<Feature[]> {
  return Promise.all(FEATURES.map(({ load }) => load()));
}

/** Those with a part in `animus status`. */
export function loadStatusFeatures(): Promise<Feature[]> {
  return Promise.all(FEATURES.filter(({ status }) => status === true).map(({ load }) => load()));
}

/** Their tables of animus.toml. */
export function loadSections(): Promise<readonly Section[]> {
  return Promise.all(FEATURES.flatMap(({ config }) => config?.() ?? []));
}
