/** The wires: one entry per kind of HTTP provider. */
import { anthropicOptions, anthropicWire } from './anthropic/wire.ts';
import { openaiOptions, openaiWire } from './openai/wire.ts';
import type { HttpProviderSettings } from './provider-settings.ts';
import type { OptionRules } from './wire/option-rules.ts';
import type { Wire, WireOptions } from './wire/wire.ts';

interface WireEntry {
  readonly open: (options: WireOptions) => Wire;
  readonly options: OptionRules;
}

export const WIRES: Readonly<Record<HttpProviderSettings['kind'], WireEntry>> = {
  anthropic: { open: anthropicWire, options: anthropicOptions },
  openai: { open: openaiWire, options: openaiOptions },
};
