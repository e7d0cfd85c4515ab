/** execute_code: runs code in a sandbox, with the faculty's tools as functions. */
import { z } from 'zod';
import type { CodeExecution } from '../../catalog/faculty/faculty.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { count } from '../../telemetry/metrics.ts';
import { type WorldTool, worldTool } from '../tool.ts';
import { runContained } from './contained-run.ts';
import { reportExecution } from './execution-report.ts';

/** The name of the tool. */
export const EXECUTE_CODE = 'execute_code';

const MAX_CODE_CHARS = 262_144;
/** Beside the time of the code: for the start of its container, and for its end. */
export const AROUND_MS = 60_000;

const input = z.strictObject({
  code: z.string().min(1).max(MAX_CODE_CHARS).describe('Python 3; return at the top level ends it with a value'),
  timeout_seconds: z.number().positive().optional().describe('At most that of the faculty, which is the default'),
});

const DESCRIPTION =
  'Runs Python in a container of its own that can reach nothing but your tools. There they are functions with the same names and inputs, such as ' +
  'read_file("a.txt"); help(read_file) shows what it returns. A call that fails raises ToolError. gather(f.later(…), g.later(…)) makes calls at the same ' +
  'time. Use it for many calls, loops and large results: code gets up to 16 MiB of a result, and only what it returns and prints comes back to you. Files ' +
  'in out/ are kept as artifacts. Calls that need an approval or that wait are errors there: make them directly. Each run starts fresh, with the ' +
  'standard library only.';

/** The tool for a faculty. `sandbox`: null where this process has none. */
export function executeCodeTool(
  settings: CodeExecution,
  sandbox: () => Sandbox | null,
): WorldTool<z.infer<typeof input>> {
  return worldTool<z.infer<typeof input>>({
    name: EXECUTE_CODE,
    description: DESCRIPTION,
    input,
    risk: 'execute',
    idempotent: false,
    callsTools: true,
    timeoutMs: settings.timeoutSeconds * 1000 + AROUND_MS,
    async run({ code, timeout_seconds: seconds = settings.timeoutSeconds }, context) {
      const timeoutMs = Math.round(Math.min(seconds, settings.timeoutSeconds) * 1000);
      const { execution, files, calls } = await runContained({ code, timeoutMs }, settings, sandbox(), context);
      const output = reportExecution(execution, { timeoutMs, files, calls });
      count('work.sandbox.output_bytes', Buffer.byteLength(output.content), { faculty: context.faculty });
      return output;
    },
  });
}
