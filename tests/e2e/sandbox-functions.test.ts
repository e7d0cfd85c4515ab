import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SdkTool } from '../../src/sandbox/sdk/function-source.ts';
import { sdkSource } from '../../src/sandbox/sdk/sdk-source.ts';
import { codeSpecs, FACULTY_TOOL_NAMES, toolset } from '../../src/tools/registry.ts';
import { missingPython, runOnHost, SANDBOX_FILES } from '../support/sandbox-runner.ts';

const missing = missingPython();
const because = missing === null ? '' : ` (${missing})`;

function toolOf(name: string, inputSchema: unknown, description = 'Does it.'): SdkTool {
  return { name, description, inputSchema };
}

/** The signatures that Python sees, by name. */
function signatures(tools: readonly SdkTool[]): Record<string, string> {
  const program = `
import sys, json, inspect
sys.path.insert(0, ${JSON.stringify(SANDBOX_FILES)})
tools = {}
exec(sys.stdin.read(), tools)
names = [name for name in tools["__all__"] if inspect.isfunction(tools[name]) and name != "gather"]
print(json.dumps({name: str(inspect.signature(tools[name])) for name in names}))
`;
  const output = execFileSync('python3', ['-I', '-B', '-c', program], { input: sdkSource(tools), encoding: 'utf8' });
  return JSON.parse(output) as Record<string, string>;
}

describe('the functions generated of tools', () => {
  it('are kept for a list of tools', () => {
    const tools = [toolOf('a', {})];
    expect(sdkSource(tools)).toBe(sdkSource(tools));
    expect(sdkSource([...tools])).toBe(sdkSource(tools));
  });

  it('have texts of a schema in string literals only', () => {
    const evil = '"""\nimport os\nos.system("x")\n#\\" \u2028 \ud800 \0 {x} %s';
    const source = sdkSource([
      toolOf(evil, { properties: { [evil]: { description: evil, default: evil, enum: [evil] } }, title: evil }, evil),
    ]);
    // Each line is one that we wrote: nothing of the text begins a line of its own.
    expect(source).not.toMatch(/^\s*import os/m);
    expect(source).not.toMatch(/[\u2028\0]/);
    expect(source).toContain(String.raw`\nimport os\nos.system(\"x\")`);
  });
});

describe.skipIf(missing)(`in Python${because}`, () => {
  it('they have the signatures of the schemas', () => {
    const schema = {
      type: 'object',
      properties: {
        from: { type: 'string' },
        'per-page': { type: 'integer', default: 30 },
        kind: { enum: ['a', 'b'] },
        note: { type: ['string', 'null'] },
        tags: { type: 'array', items: { $ref: '#/$defs/tag' } },
        flags: { type: 'object', additionalProperties: { type: 'boolean' }, default: {} },
      },
      required: ['from'],
      additionalProperties: false,
      $defs: { tag: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    };
    expect(signatures([toolOf('mcp__hub__create-issue', schema), toolOf('print', {}), toolOf('import', {})])).toEqual({
      mcp__hub__create_issue:
        "(from_: str, per_page: int = 30, kind: Optional[Literal['a', 'b']] = None, note: str | None = <not given>, " +
        'tags: list[str | int] | None = None, flags: dict[str, bool] = {}) -> animus_sandbox.tool_calls.ToolResult',
      print_: expect.stringContaining('**others') as unknown,
      import_: expect.stringContaining('**others') as unknown,
    });
  });

  it('odd schemas are functions, too', () => {
    const loop = { $defs: { a: { $ref: '#/$defs/a' } }, properties: { x: { $ref: '#/$defs/a' } }, required: 'x' };
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const odd: Record<string, unknown> = {
      null: null,
      array: [],
      true: true,
      loop,
      many: { properties: many },
      twins: {
        properties: { 'a-b': {}, a_b: {}, 'a.b': {}, '': {}, __debug__: {}, ' ': {}, ä: {}, self: {}, others: {} },
      },
      parts: {
        allOf: [{ properties: { a: {} }, required: ['a'] }],
        oneOf: [{ properties: { b: {} } }, { properties: { c: {} } }],
      },
      proto: JSON.parse('{"properties": {"__proto__": {"type": "string"}, "constructor": {}}}'),
      constants: {
        properties: { c: { const: 1 }, d: { enum: [] }, e: { enum: [{}, 1] }, f: { type: 'what' }, g: true },
      },
    };
    const seen = signatures(Object.entries(odd).map(([name, schema]) => toolOf(name, schema)));
    expect(Object.keys(seen)).toEqual(Object.keys(odd));
    expect(seen['parts']).toMatch(/^\(a: Any, b: Any = <not given>, c: Any = <not given>, \*\*others: Any\)/);
    expect(seen['many']).toContain('p59: str | None = None, **others');
  });

  it('any name, description and schema makes a module that compiles', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('from', 'None', 'tool', 'a-b', '"', '\\'),
    );
    const property = fc.record(
      {
        type: fc.constantFrom('string', 'integer', 'array', 'object', 'x'),
        description: text,
        default: fc.jsonValue(),
        enum: fc.array(text),
      },
      { requiredKeys: [] },
    );
    const schema = fc.record({ properties: fc.dictionary(text, property), required: fc.array(text) });
    const tools = fc.sample(fc.record({ name: text, description: text, inputSchema: schema }), {
      numRuns: 150,
      seed: 7,
    });
    const different = [...new Map(tools.map((each) => [each.name, each])).values()];
    expect(Object.keys(signatures(different))).toHaveLength(different.length);
  });

  it('calls of the code reach the engine with the names of the schema, and give typed results', async () => {
    const tools = codeSpecs(toolset(FACULTY_TOOL_NAMES));
    const data: Record<string, unknown> = {
      bash: { exit_code: 2, stdout: 'out', stderr: 'err', ended: 'exit', signal: null, duration_ms: 3 },
      read_file: { path: 'a', text: 'x\ny\n', first: 1, last: 2, lines: 2, bytes: 4 },
      grep: { matches: [{ path: 'a', line: 3, text: 'found' }], files: 9, more: true },
      glob: { paths: ['a', 'b'], more: false },
      list_dir: { entries: [{ name: 'a', kind: 'file', size: 3 }], more: false },
      ledger_append: { seq: 1, type: 'note', content: 'c' },
    };
    const answer = (name: string) => ({ content: `text of ${name}`, is_error: name === 'bash', details: data[name] });
    const code = `
match = grep("x", ignore_case=True)[0]
run = bash("false")
try:
    run.check()
except ToolError as error:
    said = (error.tool, error.message)
text = read_file("a", limit=None)
both = gather(glob.later("*"), lambda: list_dir()[0].size)
return [type(run).__name__, run.ok, run.exit_code, match, said, text, text.lines, both, ledger_append("note", content="c").seq, web_search("q")]
`;
    const ran = await runOnHost({ code, sdk: sdkSource(tools), answer });
    expect(ran.traceback ?? null).toBeNull();
    const match = { path: 'a', line: 3, text: 'found', context: false };
    const rest = [[['a', 'b'], 3], 1, { content: 'text of web_search' }];
    const run = ['BashResult', false, 2];
    expect(JSON.parse(ran.value ?? '')).toEqual([...run, match, ['bash', 'text of bash'], 'x\ny\n', 2, ...rest]);
    expect(ran.calls.slice(0, 3)).toEqual([
      { name: 'grep', input: { pattern: 'x', ignore_case: true } },
      { name: 'bash', input: { command: 'false' } },
      { name: 'read_file', input: { path: 'a' } },
    ]);
  });

  it('errors of tools are exceptions that point at the line of the code, and help describes each function', async () => {
    const tools = [
      toolOf(
        'find-it',
        { properties: { what: { type: 'string', description: 'the thing' } }, required: ['what'] },
        'Finds.',
      ),
    ];
    const answer = () => ({ content: 'it is not here', is_error: true, details: { hint: 'there' } });
    const code =
      'help(find_it)\ntry:\n    find_it("x")\nexcept ToolError as error:\n    print(error.details)\n\nfind_it(what=b"x" if 0 else "y")';
    const ran = await runOnHost({ code, sdk: sdkSource(tools), answer });
    expect(ran.stdout?.text).toMatch(
      /^Help on function find_it in module tools:\n\nfind_it\(what: str, \*\*others: Any\).*\n {4}Finds\.\n/,
    );
    expect(ran.stdout?.text).toContain('        what: the thing\n');
    expect(ran.stdout?.text).toContain("{'hint': 'there'}\n");
    expect(ran.traceback).toBe(
      'Traceback (most recent call last):\n  File "<code>", line 7, in <module>\n    find_it(what=b"x" if 0 else "y")\n' +
        `${/\n( +[\^~]+\n)?/.exec(ran.traceback!.slice(ran.traceback!.indexOf('"y")') + 4))?.[1] ?? ''}tools.ToolError: find-it: it is not here`,
    );
    const bytes = await runOnHost({ code: 'find_it(b"x")', sdk: sdkSource(tools), answer });
    expect(bytes.traceback).toContain('TypeError: find-it: what is bytes, which JSON does not have; decode it first');
    const missed = await runOnHost({ code: 'find_it()', sdk: sdkSource(tools), answer });
    expect(missed.traceback).toContain("TypeError: find_it() missing 1 required positional argument: 'what'");
  });
});
