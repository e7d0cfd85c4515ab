/** Estimates the tokens of images and documents before the provider has counted them. */
import type { MediaBlock } from '../client.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { imageSize } from './image-size.ts';
import { pdfPages } from './pdf.ts';

/**
 * Tokens of an image or a PDF for this model, by estimate, from the vendors' published rules of November 2026. High rather than low:
 * the estimate only counts until the provider reports the tokens of the first request. The name of the model selects the rule, so
 * that a model has the same one through a gateway.
 */
export function mediaTokens(
  { type, data }: MediaBlock,
  model: string,
  info: Pick<ModelInfo, 'thinking' | 'images' | 'documents'>,
): number {
  if (!(type === 'image' ? info.images : info.documents)) return WORDS_TOKENS;
  const { patch, most, factor } = patchesOf(model, info);
  // Providers send each page as an image and as text.
  if (type === 'document') return pdfPages(data) * PAGE_TOKENS;
  const size = imageSize(data);
  const patches = size === null ? most : Math.ceil(size.width / patch) * Math.ceil(size.height / patch);
  return Math.round(Math.min(patches, most) * factor);
}

/** Words that say that the model cannot see it. */
const WORDS_TOKENS = 80;

/** 1,500 to 3,000 tokens of text and image (Anthropic's PDF support); a dense page was measured at 3,150. */
const PAGE_TOKENS = 3200;

/** How a vendor counts an image: in squares of `patch` pixels, at most `most` of them, each of `factor` tokens. */
interface Patches {
  readonly patch: number;
  readonly most: number;
  readonly factor: number;
}

function patchesOf(model: string, { thinking }: Pick<ModelInfo, 'thinking'>): Patches {
  const name = model.slice(model.lastIndexOf('/') + 1);
  // Larger images are scaled down to so many patches; models since Claude Opus 4.7 see three times as many.
  if (name.includes('claude')) {
    return { patch: 28, most: thinking === 'adaptive' || thinking === 'bound' ? 4784 : 1568, factor: 1 };
  }
  // Older models count tiles, which comes to less; small models multiply by 1.62 (mini) or 2.46 (nano) and see 1,536 patches.
  if (/^(gpt|chatgpt|codex|o\d)/.test(name)) return { patch: 32, most: 2500, factor: 1.62 };
  // Open models: 14 to 32 pixels, up to 16,384 tokens (Qwen-VL).
  return { patch: 28, most: 16_384, factor: 1 };
}
