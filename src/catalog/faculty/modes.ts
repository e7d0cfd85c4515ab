/** The modes of engage: what each needs, and which keys of `[faculty.engage]` are its own. A new mode is a line here. */

interface Mode {
  /** `model`: it asks a model, and all keys of the built-in loop are for it. `command`: it runs a command. Null: neither. */
  readonly needs: 'model' | 'command' | null;
  /** Keys that only this mode has; a key of no mode here belongs to the built-in loop. */
  readonly own: readonly string[];
  /** Keys of the built-in loop that it has, too; a name that ends with `_` stands for all that begin with it. */
  readonly shares: readonly string[];
}

/** By the word in TOML; `ENGAGE_MODES` of the daemon does their work. */
const MODES = {
  builtin: { needs: 'model', own: [], shares: [] },
  external: { needs: 'command', own: ['command', 'args', 'timeout_seconds'], shares: [] },
  code: {
    needs: null,
    own: [],
    shares: ['code_execution_', 'tools', 'max_parallel_tools', 'parallel_tool_execution', 'tool_timeout_seconds'],
  },
} as const satisfies Readonly<Record<string, Mode>>;

export type EngageMode = keyof typeof MODES;

/** The words, in the order in which messages name them. */
export const MODE_NAMES = Object.keys(MODES) as EngageMode[];

/** What a mode needs, and its own keys. */
export function modeOf(mode: EngageMode): Mode {
  return MODES[mode];
}

/** The mode as it is written in a file; the default if it is missing or invalid (the schema reports an invalid one). */
export function writtenMode(written: unknown): EngageMode {
  return MODE_NAMES.find((mode) => mode === written) ?? 'builtin';
}
