#!/usr/bin/env node
// The launcher: plain JavaScript that any Node from 16 on can parse and run. It answers --version and --help itself. For the rest it finds a
// Node that animus itself can run on (its own process, or the platform package that npm installed beside it), or says what to do.
import module from 'node:module';

// Node prepares all exports of a module that is imported, and for some of them loads others: 5 ms of a command.
const require = module.createRequire(import.meta.url);
/** @type {typeof import('node:fs')} */
const { existsSync, readFileSync } = require('fs');
/** @type {typeof import('node:path')} */
const { dirname, join } = require('path');
/** @type {typeof import('node:url')} */
const { fileURLToPath, pathToFileURL } = require('url');

const NEEDED = { major: 24, minor: 12 };
const here = dirname(fileURLToPath(import.meta.url));

// In the environment of a child that takes a launcher's place: the descriptor of the pipe between the two.
const LAUNCHER_PIPE = 'ANIMUS_LAUNCHER_PIPE';

const answer = await quickAnswer(process.argv.slice(2));
if (answer !== null) say(answer);
else if (isRecentEnough(process.versions.node)) {
  if (process.env[LAUNCHER_PIPE]) await endWithLauncher();
  await goOnHere();
} else {
  const node = packagedNode();
  if (node === null) giveUp();
  else goOnWith(node);
}

/**
 * The version or a help text, without a second Node and without loading the program; null for any other command line.
 * @param {string[]} argv
 */
async function quickAnswer(argv) {
  if (argv.length > 0 && !/^(--help|-h|--version|-V)$/.test(String(argv[argv.length - 1]))) return null;
  const answers = await import(pathToFileURL(join(codeDirectory(), 'quick-answers.js')).href);
  return answers.quickAnswer(argv, { columns: process.stdout.columns || 100, version });
}

function version() {
  return JSON.parse(readFileSync(join(here, '..', 'package.json'), 'utf8')).version;
}

/**
 * A reader that leaves early (`| head`) is not a failure; output that cannot be written is (src/main.ts does the same).
 * @param {string} text
 */
function say(text) {
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit(0);
    complain(`the output cannot be written: ${error.message}`);
    process.exitCode = 1;
  });
  process.stdout.write(text);
}

/**
 * On stderr: in prose, or as a line of the log where LOG_FORMAT=json asks for JSON and no terminal shows it.
 * @param {string} text
 */
function complain(text) {
  const isLog = process.env['LOG_FORMAT'] === 'json' && !process.stderr.isTTY;
  const line = { level: 'error', time: new Date().toISOString(), message: text };
  process.stderr.write(isLog ? `${JSON.stringify(line)}\n` : `animus: ${text}\n`);
}

/** In this process. */
async function goOnHere() {
  if (!process.env['NODE_COMPILE_CACHE'] && module.enableCompileCache) module.enableCompileCache(compileCache());
  const { main } = await import(pathToFileURL(mainFile()).href);
  await main();
}

/**
 * Where this process took a launcher's place, it ends with it: the pipe between them breaks when the launcher is gone, by
 * `kill -9` for instance. Like a service manager: SIGTERM, once more when the first has had its moment, then SIGKILL.
 */
async function endWithLauncher() {
  const fd = Number(process.env[LAUNCHER_PIPE]);
  // For us alone: what we start must not take a descriptor of its own for it.
  delete process.env[LAUNCHER_PIPE];
  const { Socket } = await import('node:net');
  const pipe = new Socket({ fd, readable: true, writable: false });
  pipe.on('error', () => {});
  pipe.on('close', () => {
    setTimeout(signalSelf, 2000, 'SIGTERM').unref();
    setTimeout(signalSelf, 20_000, 'SIGKILL').unref();
    signalSelf('SIGTERM');
  });
  pipe.resume();
  pipe.unref();
}

/** @param {NodeJS.Signals} signal */
function signalSelf(signal) {
  process.kill(process.pid, signal);
}

/**
 * Continues in a child that replaces this process: same terminal, same arguments, forwarded signals, same exit code. It detects the
 * death of this process by the end of a pipe that nobody writes to.
 * @param {string} node
 */
function goOnWith(node) {
  const cache = process.env['NODE_COMPILE_CACHE'] || compileCache();
  const env = { ...process.env, NODE_COMPILE_CACHE: cache, [LAUNCHER_PIPE]: '3' };
  const self = fileURLToPath(import.meta.url);
  /** @type {typeof import('node:child_process')} */
  const { spawn } = require('child_process');
  /** @type {typeof import('node:os')} */
  const { constants } = require('os');
  const child = spawn(node, [self, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env,
  });
  /** @type {NodeJS.Signals[]} */
  const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
  // A terminal gives Ctrl-C to both of us; main takes two at one moment for one.
  for (const signal of passedOn) if (signal in constants.signals) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    complain(`cannot start ${node}: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code === null ? 1 : code);
    // End by the same signal, so that the shell sees how the child ended. This works only without a handler.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The node of the package that optionalDependencies brought for this platform; null without one that will do. */
function packagedNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  try {
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`);
    if (!isRecentEnough(require(manifest).version)) return null;
    const node = join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(node) ? node : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}

function giveUp() {
  const needed = `${NEEDED.major}.${NEEDED.minor}`;
  const platform = `${process.platform}-${process.arch}`;
  complain(
    `needs Node ${needed} or later, found ${process.versions.node} (${process.execPath}) and no packaged one for ${platform}.\n` +
      'Run "npm install" here again without --omit=optional, which brings one for Linux, Windows and Intel Macs,\n' +
      `or install Node ${needed} or later from https://nodejs.org and put it first on the PATH.`,
  );
  process.exitCode = 1;
}

/** A clone runs its TypeScript directly, even after a build; a package contains only the result of the build. */
function codeDirectory() {
  return existsSync(join(here, 'main.ts')) ? here : join(here, '..', 'dist');
}

/** Of a package the program in few files. */
function mainFile() {
  const code = codeDirectory();
  return code === here ? join(code, 'main.ts') : join(code, 'program', 'main.js');
}

/** Compiled code is kept between runs. */
function compileCache() {
  /** @type {typeof import('node:os')} */
  const { homedir } = require('os');
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  let caches = XDG_CACHE_HOME || join(homedir(), '.cache');
  if (process.platform === 'darwin') caches = join(homedir(), 'Library', 'Caches');
  if (process.platform === 'win32') caches = LOCALAPPDATA || join(homedir(), 'AppData', 'Local');
  return join(caches, 'animus', 'compile-cache');
}

/** @param {string} version */
function isRecentEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor);
}
