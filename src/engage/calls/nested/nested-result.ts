/** The result of a call as code gets it. */
import { type ToolOutput, toolError } from '../../../tools/tool.ts';
import { resultTooLarge } from '../../prompt/code-texts.ts';
import { cutMiddle } from '../../prompt/cut-text.ts';

/** What one result may have, as JSON. A line of the channel to the code is at most 20 MiB. */
export const MAX_RESULT_BYTES = 16 * 1024 * 1024;
/** Of the text, where the result is there as values. */
const MAX_TEXT_BESIDE_VALUES = 4096;

/** The result as values (`details`) where the tool gives it so, else its text. An error if it is too large. */
export function resultForCode(name: string, { content, isError, data, details }: ToolOutput): ToolOutput {
  const text = data === undefined ? content : cutMiddle(content, MAX_TEXT_BESIDE_VALUES, () => '\n[…]\n');
  const values = (data?.() ?? details) as ToolOutput['details'];
  const given = { content: text, ...(isError && { isError }), ...(values && { details: values }) };
  // Most results are so small that they need not be measured.
  if (values === undefined && content.length * 6 < MAX_RESULT_BYTES) return given;
  const bytes = Buffer.byteLength(JSON.stringify(given));
  return bytes <= MAX_RESULT_BYTES ? given : toolError(resultTooLarge(name, bytes, MAX_RESULT_BYTES));
}
