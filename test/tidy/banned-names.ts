// Sources of nondeterminism, and the only files that may use them.

export interface Ban {
  readonly name: string
  readonly pattern: RegExp
  /** Which port files may use it. */
  readonly port: PortKind
  readonly instead: string
}

export type PortKind = 'clock' | 'chance' | 'environment' | 'files' | 'sockets' | 'process'

export const bans: readonly Ban[] = [
  ban('Date.now', /\bDate\s*\.\s*now\b/, 'clock', 'take `now` from the step or from a Clock'),
  ban('new Date()', /\bnew\s+Date\s*(\(\s*\)|(?![\s(]))/, 'clock', 'new Date(now) with the instant handed in'),
  ban('Date()', /(?<!\bnew\s+)(?<![.\w])Date\s*\(/, 'clock', 'new Date(now) with the instant handed in'),
  ban('performance.now', /\bperformance\s*\.\s*(now|timeOrigin)\b/, 'clock', 'the Clock port of base'),
  ban('process.hrtime', /\bprocess\s*\.\s*(hrtime|uptime)\b/, 'clock', 'the Clock port of base'),
  ban('Temporal.Now', /\bTemporal\s*\.\s*Now\b/, 'clock', 'the Clock port of base'),
  ban(
    'timers',
    /(?<!(?<!\bglobalThis)\.)(?<!\w)(setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
    'clock',
    'Clock.at, or return wakeAt',
  ),
  ban('process.nextTick', /\bprocess\s*\.\s*nextTick\b/, 'clock', 'Clock.at, or return wakeAt'),
  ban('AbortSignal.timeout', /\bAbortSignal\s*\.\s*timeout\b/, 'clock', 'a deadline on the Clock'),
  ban(
    'Intl and locale',
    /\b(toLocale(Date|Time)?String|localeCompare|Intl\s*\.)/,
    'environment',
    'plain comparison and formatting: a locale differs between machines',
  ),
  ban('Math.random', /\bMath\s*\.\s*random\b/, 'chance', 'a named stream of Random'),
  ban(
    'crypto random',
    /\b(randomUUID|randomBytes|randomInt|randomFill(Sync)?|getRandomValues)\b/,
    'chance',
    'a named stream of Random',
  ),
  ban('process.env', /\bprocess\s*\.\s*env\b/, 'environment', 'an option, chosen in cli'),
  ban(
    'process',
    /\bprocess\s*\.\s*(argv|cwd|exit|on|stdin|stdout|stderr|pid|memoryUsage|cpuUsage)\b/,
    'process',
    'an option or a port, chosen in cli',
  ),
  ban('console', /(?<![.\w])console\s*\./, 'process', 'the Log port of base, or the stdout port of a command'),
  ban('fetch', /(?<![.\w])(fetch|WebSocket|EventSource)\s*\(/, 'sockets', 'an ask, or the Client port'),
]

function ban(name: string, pattern: RegExp, port: PortKind, instead: string): Ban {
  return { name, pattern, port, instead }
}

/** Modules of Node and of npm that touch the outside. */
export const bannedModules: readonly { readonly pattern: RegExp; readonly port: PortKind; readonly instead: string }[] =
  [
    { pattern: /^(node:)?(fs|fs\/promises)$/, port: 'files', instead: 'take text or a port from cli' },
    { pattern: /^(node:)?(os|dns|dns\/promises)$/, port: 'environment', instead: 'an option, chosen in cli' },
    { pattern: /^(node:)?(http|https|http2|net|tls|dgram)$/, port: 'sockets', instead: 'the Client port or an ask' },
    { pattern: /^(node:)?(timers|timers\/promises|perf_hooks)$/, port: 'clock', instead: 'the Clock port of base' },
    {
      pattern: /^(node:)?(child_process|worker_threads|cluster|process)$/,
      port: 'process',
      instead: 'nothing: the core is one thread',
    },
    { pattern: /^lmdb$/, port: 'files', instead: 'the Store contract' },
    { pattern: /^(pino|commander)$/, port: 'process', instead: 'the Log port of base' },
    { pattern: /^@kubernetes\/client-node$/, port: 'sockets', instead: 'the Client port' },
  ]

export interface PortFiles {
  /** `*` within a folder, `**` across folders. */
  readonly glob: string
  readonly may: readonly PortKind[]
  readonly because: string
}

/** The whole list of files that touch the outside world. Everything else is handed what it needs. */
export const portFiles: readonly PortFiles[] = [
  { glob: 'src/base/real-clock.ts', may: ['clock'], because: 'it is the real clock' },
  { glob: 'src/store/journal/*.ts', may: ['files'], because: 'the journal is on disk' },
  { glob: 'src/store/journal/turn.ts', may: ['clock'], because: 'a group is what is written in one turn' },
  { glob: 'src/store/journal/lock.ts', may: ['process'], because: 'a lock names the process that holds it' },
  {
    glob: 'src/store/journal/faults.ts',
    may: ['environment', 'clock', 'process'],
    because: 'tests make the disk fail',
  },
  {
    glob: 'src/store/journal/commit-failure.ts',
    may: ['process'],
    because: 'lmdb rejects a promise that no caller has',
  },
  { glob: 'src/store/journal/kernel-lock.ts', may: ['process'], because: 'the command flock locks the file' },
  { glob: 'src/apiserver/server.ts', may: ['sockets'], because: 'it listens' },
  { glob: 'src/apiserver/serving/*.ts', may: ['sockets'], because: 'it reads from and writes to connections' },
  { glob: 'src/apiserver/certificates.ts', may: ['chance'], because: 'keys and serial numbers must not be guessed' },
  {
    glob: 'src/api/time-zone.ts',
    may: ['environment'],
    because: 'the table of time zones is the one that Node brings; the locale is fixed',
  },
  { glob: 'src/client/http-*.ts', may: ['sockets'], because: 'it calls a remote API server' },
  {
    glob: 'src/client/kubeconfig/*.ts',
    may: ['environment', 'files', 'process', 'sockets'],
    because: 'a kubeconfig is a file that refers to other files, to credential plugins and to OIDC issuers',
  },
  { glob: 'src/cloud/gce*.ts', may: ['sockets'], because: 'Compute Engine is a REST API' },
  { glob: 'src/cloud/file*.ts', may: ['files'], because: 'the file is the cloud' },
  {
    glob: 'src/controlplane/ports*.ts',
    may: ['clock', 'chance', 'environment', 'files', 'sockets', 'process'],
    because: 'it makes the real ports',
  },
  {
    glob: 'src/library/ports*.ts',
    may: ['clock', 'files'],
    because: 'a cluster can be read from a file, and asynchronous code runs in turns of the event loop',
  },
  {
    glob: 'src/cli/**',
    may: ['clock', 'chance', 'environment', 'files', 'sockets', 'process'],
    because: 'the CLI chooses the real ports',
  },
]

export function portsOf(path: string): ReadonlySet<PortKind> {
  return new Set(portFiles.filter(({ glob }) => globPattern(glob).test(path)).flatMap(({ may }) => may))
}

function globPattern(glob: string): RegExp {
  const escaped = glob.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replaceAll(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'))}$`)
}
