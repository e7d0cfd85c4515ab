/** Promise: the first request of a focus with the usual tools is small, and nobody pays for a tool that its faculty does not have. */
import { expect, test } from 'vitest';
import { loadFaculties } from '../../../../src/catalog/faculties.ts';
import { estimateTokens } from '../../../../src/core/work/tokens.ts';
import { modelSees } from '../../../../src/daemon/focus/engage/built-in-engage.ts';
import { orientMessage } from '../../../../src/engage/prompt/prompt.ts';
import { anthropicBody } from '../../../../src/llm/anthropic/request.ts';
import { modelInfo } from '../../../../src/llm/models/models.ts';
import type { ClaimedWork } from '../../../../src/store/work/work.ts';
import { toolTable } from '../../../../src/tools/known-tools.ts';
import type { McpSettings } from '../../../../src/tools/mcp/mcp-settings.ts';
import { FACULTY_TOOL_NAMES, NO_SETTINGS } from '../../../../src/tools/registry.ts';
import { openToolset, toolSources } from '../../../../src/tools/source.ts';

const MODEL = 'claude-sonnet-4-5';
const SOURCES = toolSources(NO_SETTINGS, {} as McpSettings);
const { faculties } = loadFaculties('faculties', {
  toolNames: FACULTY_TOOL_NAMES,
  toolKinds: new Map(Object.entries(toolTable().kinds)),
  providerNames: ['anthropic'],
});

test('the first request of the faculty `engineer` has at most 2,000 tokens, by our estimate of 3.5 bytes each', async () => {
  const request = await firstRequest('engineer');

  expect(estimateTokens(JSON.stringify(request))).toBeLessThanOrEqual(2000);
});

test('only tools of the faculty are in the request, and what every faculty needs to work', async () => {
  const { tools } = await firstRequest('engineer');

  const engines = ['ledger_append', 'ledger_read', 'wait_until', 'ask_human', 'read_output'];
  const own = ['read_file', 'write_file', 'edit_file', 'list_dir', 'bash'];
  expect(tools.map(({ name }) => name)).toEqual([...engines, ...own, 'refresh_awareness']);
});

/** As the Messages API of Anthropic gets it, for a short task. */
async function firstRequest(name: string) {
  const faculty = faculties.get(name)!;
  const toolset = await openToolset(SOURCES, faculty);
  const reach = { host: { isolation: 'namespace' }, shared: { unattended: false } };
  const { systemPrompt: system, tools } = modelSees(
    faculty,
    toolset,
    reach as unknown as Parameters<typeof modelSees>[2],
  );
  const work = { id: '0197d6c2-7a10-7000-8000-000000000000', description: 'Fix the failing timezone test', params: {} };
  const first = orientMessage(work as unknown as ClaimedWork, [], null, '/srv/project');
  const body = anthropicBody(
    {
      model: MODEL,
      maxTokens: 8192,
      system,
      tools,
      messages: [{ role: 'user', content: [{ type: 'text', text: first }] }],
    },
    true,
    { provider: 'anthropic', model: modelInfo('anthropic', MODEL) },
  );
  return body as { readonly tools: readonly { readonly name: string }[] };
}
