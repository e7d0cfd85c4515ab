/** The exit codes of failed commands. */
type ExitCode = 1 | 2 | 3 | 4 | 5 | 130;

/** The HTTP status of errors that name none of their own. */
const HTTP_OF_EXIT: Readonly<Record<ExitCode, number>> = { 1: 500, 2: 400, 3: 404, 4: 503, 5: 409, 130: 503 };

/**
 * The table of all errors of animus. Code branches on `code`, never on a message. docs/errors.md lists the same rows, and
 * a test keeps the two equal.
 *
 * `{name}` in a message is filled from the error's details, which have to have it (`error-details.ts`); `{name?}` may be missing. `retryable`: the same call may succeed later without a
 * change by a person. `exit` is the CLI's exit code: 1 failure, 2 usage or configuration, 3 not found,
 * 4 unreachable, 5 refused by state, 130 interrupted. `http` is the status of the API's answer; where a row names none, it follows from
 * the exit code (`HTTP_OF_EXIT`).
 *
 * Four codes leave the whole sentence to the code that raises them, because they are raised in hundreds of places, each of which knows what happened and
 * what to do next: `usage.invalid`, `work.state`, `work.not_found`, `work.invalid`.
 */
export const ERRORS = {
  'internal.bug': row('internal error: {detail}. This is a bug in animus; please report it', false, 1),
  interrupted: row('stopped{goesOn?}', false, 130),

  'usage.invalid': row('{detail}', false, 2),
  'config.invalid': row('{file}: {key}: expected {expected}, got {value}{hint?}', false, 2, 500),
  'config.unknown_key': row('{file}: {key}: unknown key{hint?}', false, 2, 500),
  'config.conflict': row('{file}: {key}: {detail}', false, 2, 500),
  'config.syntax': row('{file}: invalid TOML: {detail}', false, 2, 500),
  'config.problems': row('{count} problems in the configuration:\n{problems}', false, 2, 500),
  'config.unreadable': row('{file}: cannot be read: {detail}', false, 2, 500),
  'config.secret_mode': row('{file}: is readable by others (mode {mode}); run: chmod 600 {file}', false, 2, 500),

  'faculty.invalid': row('{count} problem(s) in the faculties:\n{problems}', false, 2, 500),
  'faculty.none': row(
    '{directory}: no faculty files (*.toml); copy one (animus faculty add), write one, or give their directory with --faculties (to see one at work: animus demo)',
    false,
    2,
    500,
  ),
  'faculty.exists': row('nothing was written: {files} exists and differs; --force replaces it', false, 5),
  'faculty.unwritable': row('{file} cannot be written: {detail}; the same command completes the rest', true, 1),
  'faculty.unknown': row('no faculty named {name}{hint?}', false, 3),

  'skill.unknown': row('no skill named {name}{hint?}', false, 3),
  'skill.invalid': row('{count} problem(s) in the skills:\n{problems}', false, 2, 422),
  'skill.changed': row('the skill {name} in {directory} was changed after it was read: {detail}', true, 5),
  'skill.exists': row('{directory} already exists; choose another directory, or replace it with --force', false, 5),
  'skill.unwritable': row('cannot write the skill {name} to {directory}: {detail}', true, 1),
  'skill.source': row('{source}: {detail}', false, 2),

  'models.not_fetched': row('newer prices could not be fetched, and nothing was changed: {detail}', true, 4),

  'db.unreachable': row('cannot use the database at {where}: {detail}{hint?}', true, 4),
  'db.refused': row('the database at {where} refused: {detail}{hint?}', false, 4),
  'db.forbidden': row('the database role lacks a permission at {where}: {detail}{hint?}', false, 5, 403),
  'db.not_migrated': row('the database at {where} has no animus schema; run: animus db migrate', false, 5, 503),
  'db.schema_older': row(
    'the database schema is at version {schema}, this version of animus needs {needed}; run: animus db migrate{hint?}',
    false,
    5,
    503,
  ),
  'db.schema_newer': row(
    'the database needs animus with schema version {needed} or later, this one has {have}; upgrade animus',
    false,
    5,
    503,
  ),
  'db.migration_changed': row(
    'migration {file} has changed since it was applied (was {applied}, is {now}); restore the file',
    false,
    5,
    500,
  ),
  'db.migration_failed': row('migration {file} failed: {detail}', false, 1),
  'db.embedded_locked': row('the embedded database in {directory} is used by {user}{hint?}', true, 4),
  'db.not_in_work': row(
    'this process belongs to work item {id} and has no DATABASE_URL; commands inside a work item do not open the embedded database',
    false,
    5,
    500,
  ),
  'db.statement': row('the statement failed: {detail}{hint?}', false, 1),
  'db.extension_missing': row('the package {archive} contains no pgmq--VERSION.sql; reinstall animus', false, 5, 500),

  'work.lease_lost': row('the lease on {held} is lost: another daemon may have it now', false, 5),
  'work.locked': row('{detail}; try again', true, 5),
  'work.poison': row(
    'work item {id} has brought down {deaths} daemons that ran it and will not be claimed again',
    false,
    1,
  ),
  'work.never_started': row('work item {id} was claimed {claims} times in a row, but never started', false, 1),
  'work.state': row('{detail}{hint?}', false, 5),
  'work.not_found': row('{detail}{hint?}', false, 3),
  'work.ambiguous_id': row('{id} matches several {kinds}: {candidates}; give more digits', false, 2),
  'work.invalid': row('{detail}{hint?}', false, 2, 422),
  'work.cancelled': row('work item {id} was cancelled: {reason}', false, 5),
  'work.budget': row('the budget of the work is used up: {detail}; raise it with: animus budget set', false, 5),
  'work.provider_changed': row(
    '{model} has a different provider now; to start again with it: animus work retry',
    false,
    5,
  ),

  'schedule.not_found': row('no schedule named {name}{hint?}', false, 3),
  'schedule.exists': row('a schedule named {name} already exists; remove it first, or choose another name', false, 5),
  'schedule.invalid': row('the schedule is not valid: {detail}', false, 2, 422),

  'hook.failed': row('hook {command} failed: {detail}', true, 1),
  'hook.blocked': row('hook {command} blocked: {reason}', false, 1),
  'hook.timeout': row('hook {command} did not finish within {seconds} s and was killed{stderr?}', true, 1),
  'hook.output': row('hook {command} printed output that does not follow the hook protocol: {detail}', true, 1),

  'http.unavailable': row(
    'cannot listen at {address}: {detail}; free the address, or choose another as daemon.http ("off" for none) or with --listen of animus http',
    true,
    4,
  ),
  'http.unanswered': row('no daemon answers at {address}: {detail}{hint?}', true, 4),

  'http.starting': row('animus is starting; try again in a moment', true, 4),
  'http.unauthorized': row('{detail}; use a valid token: animus token create', false, 5, 401),
  'http.forbidden': row('{detail}; use a token with this scope, of a person whose role may do it', false, 5, 403),
  'http.host': row(
    'the Host header names {host}; this server answers to addresses, localhost and the names in http.allowed_hosts',
    false,
    5,
    421,
  ),
  'http.origin': row('pages from {origin} may not use this API; see http.allowed_origins', false, 5, 403),
  'http.csrf': row(
    'a change by a session needs the header X-Animus-CSRF with the `csrf` that GET /api/v1/session returns',
    false,
    5,
    403,
  ),
  'http.not_found': row('there is nothing at this path; the paths are in /api/v1/openapi.json', false, 3),
  'http.method': row('this path accepts only {methods}', false, 2, 405),
  'http.invalid': row('the request is not valid: {detail}', false, 2),
  'http.media_type': row('the body must be JSON, with the header Content-Type: application/json', false, 2, 415),
  'http.too_large': row('the body has more than {limit} bytes', false, 2, 413),
  'http.too_many': row('{detail}; try again in {seconds} s', true, 5, 429),
  'http.too_many_streams': row('{detail}; try again in {seconds} s', true, 5, 503),
  'http.key_reused': row('{detail}; a new request needs a new Idempotency-Key', false, 5, 422),
  'http.issuer': row('the keys of the token issuer cannot be read; try again in a moment', true, 4),
  'http.no_sandbox': row('no code can run now: {detail}; {remedy}', true, 4),
  'http.no_console': row('the console cannot be shown: {detail}', true, 4),
  'http.no_database': row('the database does not answer; try again in a moment', true, 4),

  'http.no_webhook_key': row(
    'the key of webhooks is not set: put the output of "openssl rand -hex 32" into ANIMUS_WEBHOOK_KEY, in the environment of the daemons and of any process that adds webhooks',
    false,
    2,
    503,
  ),

  'process.spawn': row('cannot start {command}: {detail}', false, 1),
  'process.interrupted': row('{command} was interrupted from outside: {detail}', true, 1),

  'sandbox.unreachable': row('cannot reach the Docker engine at {where}: {detail}{hint?}', true, 4),
  'sandbox.image_missing': row('the Docker engine at {where} has no image {image}; {remedy}', false, 5),
  'sandbox.no_space': row(
    'the Docker engine at {where} has no disk space left: {detail}; free some there (docker system df)',
    true,
    5,
  ),
  'sandbox.network': row('the network {name} of the sandbox cannot be used: {detail}; {remedy}', false, 5),
  'sandbox.endpoint': row('cannot listen for the sandbox at {address}: {detail}', true, 4),
  'sandbox.build_failed': row('cannot build {image} on the Docker engine at {where}: {detail}{hint?}', true, 1),
  'sandbox.refused': row('the Docker engine at {where} refused: {detail}{hint?}', false, 5),

  'llm.unknown_provider': row(
    'model {model}: no provider named {provider} is configured (known: {known})',
    false,
    2,
    500,
  ),
  'llm.base_url': row('provider {provider}: base_url is not an http or https URL', false, 2, 500),
  'llm.no_batch': row(
    'provider {provider} has no batch API, so {model} cannot be asked in batches; remove batch, or use a provider of kind anthropic or openai',
    false,
    2,
    500,
  ),
  'llm.no_embeddings': row(
    'provider {provider} has no embeddings; use one of kind openai, azure or ollama',
    false,
    2,
    500,
  ),

  'worktree.failed': row('the worktree of {repo} cannot be used: {detail}', true, 1),
  'worktree.elsewhere': row(
    '{path} on host {host} has changes of work item {id} that are not in its repository yet, and this daemon cannot see that directory; start a daemon on that host or mount the volume, or, if the directory is gone, run: animus work discard {id}',
    true,
    5,
  ),
  'worktree.other_repository': row(
    'the work began in the repository {began}, but its faculty now names {now}; its files are in {path}: change repo back and run animus work retry, or cancel the work',
    false,
    5,
  ),
  'worktree.none': row('there is no result here: {detail}', false, 5),
  'worktree.refused': row('nothing was changed: {detail}', false, 5),
  'worktree.conflict': row(
    '{what} conflicts with what is here, in {files}; nothing was changed. Where both sides changed the same lines, --merge, --squash, --cherry-pick and --patch all conflict: resolve it by hand, with animus work checkout ID',
    false,
    5,
  ),
  'worktree.git': row('git {command} failed in {directory}: {detail}', false, 1),

  'files.displaced': row(
    '{path} must stay hidden from commands and file tools, but {fault}; nothing that could reach it is started. {remedy}',
    true,
    5,
  ),
} as const satisfies Record<string, ErrorRow>;

/** One row of the table: message template, whether a retry may succeed, CLI exit code, HTTP status. */
export interface ErrorRow<Message extends string = string> {
  readonly message: Message;
  readonly retryable: boolean;
  readonly exit: ExitCode;
  readonly http: number;
}

/** The closed set of error codes. */
export type ErrorCode = keyof typeof ERRORS;

function row<const Message extends string>(
  message: Message,
  retryable: boolean,
  exit: ExitCode,
  http = HTTP_OF_EXIT[exit],
): ErrorRow<Message> {
  return { message, retryable, exit, http };
}
