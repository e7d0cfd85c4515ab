/** What a sum of costs leaves out or only guesses, said plainly. */
import { usd } from '../../ui/money.ts';
import { S } from '../../words/strings.ts';

export interface Unsure {
  readonly unpriced_calls: number;
  readonly estimated_usd: number;
  readonly lost_usd: number;
  readonly lost_requests?: number;
  readonly uncounted_calls?: number;
  readonly code_runs?: number;
}

export function remarksOf(sum: Unsure): readonly string[] {
  const { unpriced_calls, estimated_usd, lost_usd, lost_requests = 0, uncounted_calls = 0, code_runs = 0 } = sum;
  const say = S.money.remarks;
  return [
    unpriced_calls > 0 ? say.unpriced(unpriced_calls) : '',
    estimated_usd > 0 ? say.estimated(usd(estimated_usd)) : '',
    lost_usd > 0 || lost_requests > 0 ? say.lost(usd(lost_usd), lost_requests) : '',
    uncounted_calls > 0 ? say.uncounted(uncounted_calls) : '',
    code_runs > 0 ? say.codeRuns(code_runs) : '',
  ].filter((text) => text !== '');
}
