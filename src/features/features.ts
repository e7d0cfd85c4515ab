/** The parts of animus beside the engine, in the order in which documents and help name them. */
import type { Feature } from './feature.ts';
import { webhooks } from './webhooks/feature.ts';

export const FEATURES: readonly Feature[] = [webhooks];
