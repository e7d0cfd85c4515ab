/** Generates the Python module `tools`: the tools of a focus as functions. */
import { functionSource, type SdkTool } from './function-source.ts';
import { nameGiver, PYTHON_NAMES } from './python-literal.ts';
import { OTHER_RESULT, RESULTS } from './results.ts';

/** What the module defines beside the tools. */
const OWN_NAMES = [
  ...'UNSET Any Literal ToolError ToolResult dataclass gather other_result tool'.split(' '),
  ...Object.values(RESULTS).flatMap(({ defines, returned }) => [...defines, returned.maker]),
];

/** Most foci of a faculty have the same list of tools. */
const SOURCES = new WeakMap<readonly SdkTool[], string>();

/**
 * The source of a Python module for these tools, kept per list. Each tool is a function of its own name, with `_` for what Python
 * does not allow in names; its docstring and annotations come from the schema. Texts of a schema appear in string literals only.
 * It runs inside docker/sandbox, whose `tool_calls.py` it imports.
 */
export function sdkSource(tools: readonly SdkTool[]): string {
  const kept = SOURCES.get(tools);
  if (kept !== undefined) return kept;
  const source = generate(tools);
  SOURCES.set(tools, source);
  return source;
}

function generate(tools: readonly SdkTool[]): string {
  const known = new Map(
    tools.flatMap(({ name }) => (Object.hasOwn(RESULTS, name) ? [[name, RESULTS[name]!] as const] : [])),
  );
  const classes = [...known.values()].flatMap((result) => result.defines);
  const nameOf = nameGiver([...PYTHON_NAMES, ...OWN_NAMES]);
  const functions = tools.map((tool) => ({ tool, identifier: nameOf(tool.name) }));
  const offered = [...functions.map(({ identifier }) => identifier), ...classes, 'ToolError', 'ToolResult', 'gather'];
  return [
    HEAD,
    ...new Set([...known.values()].map(({ source }) => source)),
    ...functions.map(({ tool, identifier }) =>
      functionSource(tool, identifier, {
        ...(known.get(tool.name)?.returned ?? OTHER_RESULT),
        note: known.get(tool.name)?.note,
      }),
    ),
    `\n__all__ = [${offered.map((name) => `"${name}"`).join(', ')}]\n`,
  ].join('');
}

const HEAD = `from dataclasses import dataclass
from typing import Any, Literal

from animus_sandbox.tool_calls import UNSET, ToolError, ToolResult, gather, other_result, tool
`;
