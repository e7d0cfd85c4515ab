/** Programs that are known to run nothing but themselves, with the options for which that is true. A table: what is not in it is unclear. */
import { wordSet } from '../../text/word-set.ts';
import type { Options } from './options.ts';

/** Whatever their arguments are. No option of them names a program, and no argument of them is evaluated. */
export const RUN_NOTHING = wordSet(`
  : [ b2sum base32 base64 basename basenc bg break cal cat cd chgrp chmod chown cksum clear cmp column comm continue cp csplit cut date dd df
  dirname dirs disown du echo egrep exit expand expr factor false fg fgrep file fmt fold free getent grep groups gunzip gzip head hd
  hexdump hostname iconv id join jq kill killall last link ln locale logname logout ls lscpu md5sum mkdir mkfifo mktemp mv nl nproc
  numfmt od paste pathchk pgrep pidof ping pkill popd pr printenv ps pushd pwd readelf readlink realpath return rev rm rmdir seq sha1sum
  sha224sum sha256sum sha384sum sha512sum shift shopt shred shuf sleep stat stty sum sync tac tail tee test times touch tr tree true truncate
  tsort tty type ulimit umask uname unexpand uniq unlink unxz unzip uptime users vmstat w wc which who whoami xxd xz yes zstd`);

/** With these options alone. */
export const WITH_OPTIONS: Readonly<Record<string, Options>> = {
  // Not --compress-program.
  sort: {
    flags: 'bcdfghimMnrRsuVz',
    values: 'koStT',
    long: 'check debug ignore-case numeric-sort reverse unique stable version-sort',
  },
  // Not --filter.
  split: { flags: 'dxeuz', values: 'abCln', long: 'numeric-suffixes= additional-suffix= verbose bytes= lines=' },
  // Not --paginate.
  diff: {
    flags: 'abBcdeEiNnpqrstTuwyZ',
    values: 'ICUFxXSW',
    long: 'brief color color= exclude= ignore-all-space ignore-case no-dereference recursive report-identical-files side-by-side unified unified=',
  },
  // Not --pre, --hostname-bin and -z.
  rg: {
    flags: '0aFHhILlNnoPpqScisuUvwxb.',
    values: 'ABCdegmMrtT',
    long: `count count-matches files files-with-matches files-without-match fixed-strings hidden ignore-case json line-number multiline
      no-filename no-heading no-ignore no-line-number only-matching pcre2 quiet smart-case stats type-list vimgrep with-filename word-regexp
      after-context= before-context= color= colors= context= glob= iglob= max-columns= max-count= max-depth= regexp= replace= sort= type=
      type-not=`,
  },
  // Not --engine and --config.
  curl: {
    flags: '0#46fgGiIjkLnNOpqRsSv',
    values: 'AbcdDeFHmoruwXyYz',
    long: `compressed fail fail-with-body head include insecure location no-progress-meter show-error silent verbose connect-timeout= cookie=
      cookie-jar= data= data-binary= data-raw= data-urlencode= form= get header= json= max-time= output= remote-name request= retry=
      retry-delay= url= user= user-agent= write-out=`,
  },
  // Not -x.
  jobs: { flags: 'lnprs' },
};

/** Builtins whose arguments are names of variables. Not options that evaluate what they get (`-i`, `-n`), or call something (`-C`). */
export const TAKE_NAMES: Readonly<Record<string, Options>> = {
  declare: { flags: 'aAglprtux' },
  export: { flags: 'p' },
  getopts: {},
  local: { flags: 'aAlrtux' },
  mapfile: { flags: 't', values: 'dnOsu' },
  read: { flags: 'ers', values: 'adinNptu' },
  readarray: { flags: 't', values: 'dnOsu' },
  readonly: { flags: 'aAp' },
  typeset: { flags: 'aAglprtux' },
  unset: { flags: 'fv' },
  wait: { flags: 'fn', values: 'p' },
};

/** Of them, those that give a variable to the programs that the shell starts. */
export const EXPORTS = wordSet('declare export typeset');

const DIFF = `abbrev abbrev= cached cc color color= color-words dirstat exit-code find-copies find-renames full-index function-context
  histogram ignore-all-space ignore-blank-lines ignore-space-at-eol ignore-space-change merge-base minimal name-only name-status no-color
  no-ext-diff no-index no-patch no-prefix no-renames no-textconv numstat patch patch-with-stat patience quiet raw shortstat staged stat
  stat= summary text unified= word-diff word-diff= diff-filter= pickaxe-regex relative submodule inter-hunk-context=`;
const LOG = `${DIFF} all all-match author= author-date-order branches cherry-mark cherry-pick committer= count date= date-order decorate
  decorate= extended-regexp first-parent fixed-strings follow format= graph grep= invert-grep left-right max-count= merges no-decorate
  no-merges no-notes oneline parents perl-regexp pretty= regexp-ignore-case relative-date remotes reverse simplify-by-decoration since=
  after= skip= source tags topo-order until= before= walk-reflogs`;

/** What may come before a subcommand of git. Not `-c`, `--git-dir`, `--exec-path` and `--paginate`. */
export const GIT_OPTIONS: Options = {
  flags: 'P',
  values: 'C',
  long: 'no-pager no-optional-locks literal-pathspecs no-replace-objects version',
};

/**
 * Subcommands of git that run no hook, editor, pager or transport. Not `--output`, which writes a file, and not `--ext-diff`, `--textconv`,
 * `--show-signature` and the like. All others are unclear. git also runs what its configuration says.
 */
export const GIT_COMMANDS: Readonly<Record<string, Options>> = {
  add: { flags: 'AfnNuv', long: 'all update force dry-run intent-to-add verbose refresh' },
  blame: {
    flags: 'bceflnpstwCM',
    values: 'LS',
    long: 'date= line-porcelain porcelain root show-email show-name since=',
  },
  branch: {
    flags: 'aDdfimMcCqrv',
    long: 'all contains contains= delete force list merged no-merged remotes show-current sort= verbose format= no-color points-at=',
  },
  'cat-file': { flags: 'epst' },
  describe: { long: 'abbrev= all always contains dirty exact-match first-parent long match= tags' },
  diff: { flags: '0123456789abBCDMpqRuwWz', values: 'GSUO', long: DIFF },
  'for-each-ref': { long: 'count= format= sort= contains= merged points-at= no-merged' },
  log: { flags: '0123456789abBcCDEFgiMmpPqRtuwWz', values: 'GLnSU', long: LOG },
  'ls-files': {
    flags: 'cdikmostuvz',
    values: 'xX',
    long: 'abbrev cached deleted directory error-unmatch exclude-standard exclude= full-name ignored modified others stage',
  },
  'ls-tree': { flags: 'drtlz', long: 'abbrev format= full-name full-tree long name-only name-status object-only' },
  'merge-base': { flags: 'a', long: 'all fork-point independent is-ancestor octopus' },
  'rev-list': { flags: '0123456789n', long: LOG },
  'rev-parse': {
    flags: 'q',
    long: `abbrev-ref abbrev-ref= absolute-git-dir all branches git-common-dir git-dir git-path is-bare-repository is-inside-git-dir
      is-inside-work-tree quiet remotes short short= show-cdup show-prefix show-superproject-working-tree show-toplevel symbolic-full-name
      tags verify`,
  },
  shortlog: { flags: 'cens', long: LOG },
  show: { flags: '0123456789abBcCMmpqRstuwWz', values: 'GLSU', long: LOG },
  status: {
    flags: 'bsuvz',
    long: 'branch ignored ignored= long porcelain porcelain= short show-stash untracked-files untracked-files= ahead-behind no-renames',
  },
  tag: { flags: 'ln', long: 'list contains contains= merged no-merged points-at= sort= format=' },
};

/** Keys of git's configuration that name no program. */
export const GIT_PLAIN_KEY =
  /^(user\.(name|email)|advice\.\w+|color\.\w+|init\.defaultbranch|pull\.(rebase|ff)|push\.default|core\.(autocrlf|filemode|quotepath))$/i;

/** They print their version and end. Not those that choose another version by a file (`cargo`, `go`). */
export const PRINT_VERSION = wordSet(`
  bash bun clang cmake deno docker g++ gcc gh git jq make node npm perl php pip pip3
  pnpm psql python python3 ruby tar tsc uv yarn`);

/** Programs that run the command after their options: it begins after so many operands (default 0). */
export const BEFORE_COMMANDS: Readonly<
  Record<string, Options & { readonly operands?: number; readonly assigns?: true }>
> = {
  '!': {},
  builtin: {},
  command: { flags: 'pvV' },
  doas: { flags: 'nL', values: 'u' },
  // Not -S, which splits a text.
  env: { flags: 'i0v', values: 'uC', long: 'ignore-environment null unset= chdir= debug', assigns: true },
  exec: { flags: 'cl', values: 'a' },
  // Not -c, which takes a text.
  flock: { flags: 'nxseu', values: 'wE', long: 'nonblock exclusive shared wait= timeout= close', operands: 1 },
  ionice: { flags: 't', values: 'cn' },
  nice: { flags: '0123456789', values: 'n', long: 'adjustment=' },
  nohup: {},
  setsid: { flags: 'cfw', long: 'ctty fork wait' },
  stdbuf: { values: 'ioe', long: 'input= output= error=' },
  sudo: { flags: 'nEHSkb', values: 'ugD', long: 'preserve-env non-interactive set-home user= group=', assigns: true },
  time: { flags: 'apvq', values: 'fo' },
  timeout: { flags: 'vfp', values: 'ks', long: 'preserve-status foreground kill-after= signal= verbose', operands: 1 },
  xargs: {
    flags: '0rtpx',
    values: 'nPLIsdEa',
    long: 'null no-run-if-empty max-args= max-procs= max-lines= delimiter= arg-file= verbose',
  },
};

/** Of a shell that gets a command line. Not `-i` and `--rcfile`, with which it reads a file first. */
export const SHELL_OPTIONS: Options = { flags: 'cefhlnstuvx', values: 'o', long: 'norc noprofile posix login command' };
