/** What the daemon gives to the MCP servers' tools. */
import type { Secret } from '../../core/secrets/secret.ts';
import type { McpPin } from '../../store/work/mcp-pins.ts';
import type { Log } from '../../telemetry/log.ts';

/** Everything that does not depend on the focus. */
export interface McpSettings {
  readonly log: Log;
  /** Names this client to servers. */
  readonly version: string;
  /** The pinned tools of a faculty. */
  readPins(faculty: string): Promise<readonly McpPin[]>;
  /** Records why calls of a pinned tool are refused, or (null) that they no longer are. Never rejects. */
  report(faculty: string, pin: McpPin, problem: string | null): Promise<void>;
  /** The value of a variable of the daemon, or of the file that NAME_FILE names; null if it is unset or a secret of animus itself. */
  variable(name: string): Secret | null;
}
