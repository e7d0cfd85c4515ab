// Given to a process by --import: writes the URL of each module that it loads to the file LOADED_MODULES, one per line, when it ends.
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const file = process.env.LOADED_MODULES;
if (!file) throw new Error('LOADED_MODULES is not set: name the file that gets the URLs of the modules');
const urls = new Set();
registerHooks({
  load(url, context, next) {
    urls.add(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(file, [...urls].join('\n')));
