/** What foci of a faculty have in common: stored once, under a hash of itself. */
import { createHash } from 'node:crypto';
import type { ToolSpec } from '../../core/work/conversation.ts';
import { toJsonb, toText } from '../sql/json.ts';

/** What a focus begins with, and keeps. */
export interface FocusSettings {
  readonly facultySnapshot: object;
  readonly systemPrompt: string;
  readonly tools: readonly ToolSpec[];
}

/** Settings in their stored form. */
export interface EncodedSettings {
  readonly id: Buffer;
  /** The snapshot and the tools as JSON. */
  readonly values: readonly [facultySnapshot: string, systemPrompt: string, tools: string];
  /** As they will be read back. Shared by all foci that begin with them. */
  readonly readBack: FocusSettings & { readonly facultySnapshot: Readonly<Record<string, unknown>> };
}

/** Returns the settings as they are stored. Encodes them once for all foci that begin with the same snapshot object, prompt and tools. */
export function encodeSettings(settings: FocusSettings): EncodedSettings {
  const known = ENCODED.get(settings.facultySnapshot);
  if (known && isSame(known.settings, settings)) return known.encoded;
  const encoded = encode(settings);
  ENCODED.set(settings.facultySnapshot, { settings, encoded });
  return encoded;
}

/** The last settings for a snapshot. Snapshots are loaded faculties, which never change; a prompt and a tool belong to one of them. */
const ENCODED = new WeakMap<object, { readonly settings: FocusSettings; readonly encoded: EncodedSettings }>();

function isSame(one: FocusSettings, other: FocusSettings): boolean {
  return (
    one.systemPrompt === other.systemPrompt &&
    one.tools.length === other.tools.length &&
    one.tools.every((tool, n) => tool === other.tools[n])
  );
}

function encode({ facultySnapshot, systemPrompt, tools }: FocusSettings): EncodedSettings {
  const values = [toJsonb(facultySnapshot), toText(systemPrompt), toJsonb(tools)] as const;
  return {
    id: createHash('sha256').update(JSON.stringify(values)).digest(),
    values,
    readBack: {
      facultySnapshot: JSON.parse(values[0]) as Record<string, unknown>,
      systemPrompt: values[1],
      tools: JSON.parse(values[2]) as ToolSpec[],
    },
  };
}
