import { describe, expect, it } from 'vitest';
import { missingPython, runOnHost } from '../support/sandbox-runner.ts';

const missing = missingPython();

describe.skipIf(missing)(`the agent's code${missing === null ? '' : ` (${missing})`}`, () => {
  it.concurrent('returns a value with return at top level, and its functions see its variables', async () => {
    const code = `
from __future__ import annotations
from math import *
count: int = 0
def add(n):
    global count
    count += n
    return count
class Box:
    size: int = 2
for n in range(3):
    add(n)
try:
    if count == 3:
        return {"count": add(0), "floor": floor(2.5), "box": Box.size, "name": __name__, "class": Box.__qualname__}
except:
    return "caught its own return"
`;
    const ran = await runOnHost({ code });
    expect(ran.traceback ?? null).toBeNull();
    expect(JSON.parse(ran.value ?? '')).toEqual({ count: 3, floor: 2, box: 2, name: '__main__', class: 'Box' });
    expect(ran).toMatchObject({ ended: 'returned', note: null, exitCode: 0 });
  });

  it.concurrent('may await at top level', async () => {
    const code = `
import asyncio
async def one(n):
    await asyncio.sleep(0)
    return n
return [await asyncio.gather(one(1), one(2)), [x async for x in agen()] if False else 3]
`;
    expect(await runOnHost({ code })).toMatchObject({ ended: 'returned', value: '[[1,2],3]' });
  });

  it.concurrent('is told when it returned nothing, and may end itself with sys.exit', async () => {
    expect(await runOnHost({ code: 'x = 1' })).toMatchObject({
      ended: 'returned',
      value: 'null',
      note: expect.stringContaining('no return statement') as unknown,
    });
    expect(await runOnHost({ code: 'import sys\nsys.exit(0)\nreturn 1' })).toMatchObject({
      ended: 'returned',
      value: 'null',
    });
    const failed = await runOnHost({ code: 'import sys\nsys.exit("no input")' });
    expect(failed).toMatchObject({
      ended: 'raised',
      traceback: expect.stringContaining('SystemExit: no input') as unknown,
    });
  });

  it.concurrent('gets tracebacks of its own lines only', async () => {
    const code =
      'def half(n):\n    return 1 / n\n\ntry:\n    half(0)\nexcept ZeroDivisionError as error:\n    raise ValueError("bad") from error';
    const { traceback } = await runOnHost({ code });
    expect(traceback).toContain('File "<code>", line 5, in <module>\n    half(0)');
    expect(traceback).toContain('File "<code>", line 2, in half\n    return 1 / n');
    expect(traceback).toMatch(/ValueError: bad$/);
    expect(traceback).not.toMatch(/animus|runner|code_process/);

    const broken = await runOnHost({ code: 'a = 1\nb = ) 2' });
    expect(broken.traceback).toMatch(/^ {2}File "<code>", line 2\n {4}b = \) 2\n {8}\^\nSyntaxError: unmatched '\)'$/);
    const yields = await runOnHost({ code: 'yield 1' });
    expect(yields.traceback).toContain("SyntaxError: 'yield' outside function");
    const recursion = await runOnHost({ code: 'def f(): f()\nf()' });
    expect(recursion.traceback).toMatch(/RecursionError: maximum recursion depth exceeded/);
    expect(recursion.traceback!.length).toBeLessThan(9000);
  });

  it.concurrent('imports the scripts of skills, which it cannot change', async () => {
    const code = `
import pkgutil
from skills.pdf_tools.scripts import pages
from skills.pdf_tools.scripts.lib.text import clean
try:
    import skills.pdf_tools.scripts.missing
except ModuleNotFoundError as error:
    print(error)
print(clean(" a "), pkgutil.get_data("skills.pdf_tools.scripts", "words.txt"))
pages.count(None)
`;
    const scripts = {
      'pages.py': 'from .lib.text import clean\ndef count(document):\n    return len(document)\n',
      'lib/text.py': 'def clean(text): return text.strip()\n',
      'words.txt': 'one two',
    };
    const ran = await runOnHost({ code, skills: { 'pdf-tools': scripts } });
    expect(ran.stdout?.text).toBe("No module named 'skills.pdf_tools.scripts.missing'\na b'one two'\n");
    expect(ran.traceback).toContain(
      'File "skills/pdf-tools/scripts/pages.py", line 3, in count\n    return len(document)',
    );
  });

  it.concurrent('prints to two streams, which are kept apart and bounded', async () => {
    const code = 'import sys\nprint("out")\nprint("err", file=sys.stderr)\nprint("b" * 5000)\nprint("last")';
    const { stdout, stderr } = await runOnHost({ code, limits: { stdout_bytes: 100, stderr_bytes: 100 } });
    expect(stdout).toMatchObject({
      bytes: 5010,
      text: expect.stringMatching(/^out\nb+\n\[… 4910 bytes left out …\]\nb+\nlast\n$/),
    });
    expect(stderr).toEqual({ text: 'err\n', bytes: 4 });
  });

  it.concurrent('leaves files in out/, links and too large ones excepted', async () => {
    const code = `
import os
os.makedirs("out/deep")
open("out/a.txt", "w").write("A")
open("out/deep/b.txt", "w").write("B")
open("out/large.bin", "wb").truncate(10**12)
os.symlink("/etc/passwd", "out/link")
os.mkfifo("out/pipe")
return 1
`;
    const ran = await runOnHost({ code, limits: { file_bytes: 100, files: 10 } });
    expect(ran.files).toEqual({ 'a.txt': 'A', 'deep/b.txt': 'B' });
    expect(ran).toMatchObject({ value: '1', ended: 'returned' });
    for (const name of ['large.bin', 'link', 'pipe']) expect(ran.note).toContain(`out/${name} was not kept`);
    const elsewhere = await runOnHost({ code: 'import os\nos.rmdir("out")\nos.symlink("/etc", "out")\nreturn 1' });
    expect(elsewhere).toMatchObject({
      value: '1',
      files: {},
      note: 'out is not a directory, so nothing of it was kept',
    });
    const few = await runOnHost({ code: 'for n in range(9): open(f"out/{n}", "w").write("")', limits: { files: 2 } });
    expect(Object.keys(few.files)).toEqual(['0', '1']);
    expect(few.note).toContain('at most 2 files are kept');
  });
});
