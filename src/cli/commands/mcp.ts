import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { readRelease } from '../../controlplane/release-flags.ts'
import { defaultLimits, type McpLimits } from '../../mcp/limits.ts'
import { endpointPath } from '../../mcp/protocol/http-endpoint.ts'
import { McpServer } from '../../mcp/protocol/server.ts'
import { Workspace } from '../../mcp/workspace.ts'
import { clusterOptions } from '../cluster-input.ts'
import {
  type CommandContext,
  choice,
  defineCommand,
  exitCodes,
  flag,
  grouped,
  integer,
  type OptionValues,
  repeated,
  text,
  wrongQuestion,
} from '../command.ts'
import { duration } from '../durations.ts'
import { defaultFolders, type FileRules, readAllowed, readNamed } from '../mcp/allowed-files.ts'
import { readLive } from '../mcp/live-cluster.ts'
import { realTimeWork } from '../mcp/real-time-work.ts'
import { serveHttp } from '../mcp/serve-http.ts'
import { serveStdio } from '../mcp/serve-stdio.ts'
import { TranscriptFile } from '../mcp/transcript-file.ts'
import { releaseFlags, releaseOptions } from '../release-options.ts'
import { saveRecording, webhookOptions, webhookSettingsOf } from '../webhook-options.ts'

const mib = 2 ** 20

const options = {
  ...clusterOptions(),
  live: flag({ summary: 'Allow clients to take a snapshot of the cluster of the current context' }),
  allow: repeated({
    summary:
      'Directory from which clients may open files (default: the working directory, unless it is / or the home directory)',
    value: 'DIR',
  }),
  http: integer({
    summary: 'Serve streamable HTTP on this port instead of stdio; 0 selects a free port',
    min: 0,
    max: 65_535,
  }),
  bindAddress: text({ summary: 'Address for --http', value: 'ADDRESS', default: '127.0.0.1' }),
  allowedHost: repeated({
    summary: 'Additional host name that requests may use; localhost is always allowed',
    value: 'NAME',
  }),
  tokenFile: text({
    summary: 'File with the bearer token for --http (default: a random token, printed at start)',
    value: 'FILE',
  }),
  transcript: text({ summary: 'New file for a log of every call, which berth simulate can replay', value: 'FILE' }),
  seed: text({ summary: 'Random seed', default: '1' }),
  ...releaseOptions,
  behavior: choice({
    summary: 'Behavior of Kubernetes, or with all fixes over upstream',
    choices: ['upstream', 'improved'],
    default: 'upstream',
  }),
  fix: repeated({ summary: 'Enable one fix over upstream behavior', value: 'ID' }),
  maxForks: integer({ summary: 'Maximum number of open forks', min: 1, max: 1_000, default: defaultLimits.forks }),
  maxMemory: integer({
    summary: 'Memory in MiB above which requests to open, fork or forecast are rejected',
    min: 64,
    max: 1_048_576,
    default: defaultLimits.memoryBytes / mib,
  }),
  maxAdvance: duration('Maximum virtual time of one call', defaultLimits.advanceMs),
  maxAnswerTokens: integer({
    summary: 'Maximum number of tokens in the text of an answer, and in its structured content',
    min: 500,
    max: 100_000,
    default: defaultLimits.answerTokens,
  }),
  timeout: duration('Maximum real time of one call', defaultLimits.timeoutMs),
  ...grouped('Webhook options', webhookOptions),
} as const

type Context = CommandContext<OptionValues<typeof options>>

export const command = defineCommand({
  name: 'mcp',
  summary: 'Serve disposable forks of a cluster to AI agents over the Model Context Protocol',
  description:
    'Serves the Model Context Protocol on stdio, or on streamable HTTP with --http. An agent opens a snapshot, a dump or the live cluster, ' +
    'gets a disposable fork in virtual time, tries kubectl commands on it, advances the time, and asks for a ' +
    'forecast with a verdict. Nothing is ever written to a real cluster: a live cluster is read once, and the connection is closed.',
  args: [],
  options,
  examples: [
    { command: 'berth mcp --from dump.json', summary: 'Serve a dump on stdio, for the configuration of an MCP client' },
    {
      command: 'berth mcp --context prod --transcript session.jsonl',
      summary: 'Let the agent open a snapshot of a live cluster, and log every call',
    },
    { command: 'berth mcp --http 8765 --allow snapshots', summary: 'Serve HTTP on the loopback address' },
    { command: 'berth simulate session.jsonl', summary: 'Replay the changes of a session' },
  ],
  run: async (context) => {
    const { options: given } = context
    const flags = {
      ...releaseFlags(given),
      ...(given.behavior === 'upstream' ? {} : { behavior: given.behavior }),
      ...(given.fix.length === 0 ? {} : { fix: given.fix }),
    }
    const release = readRelease(given.kubernetesVersion === undefined ? {} : releaseFlags(given))
    if (!release.ok) throw wrongQuestion(release.message)
    const limits = limitsOf(context)
    const transcript =
      given.transcript === undefined ? undefined : new TranscriptFile(resolve(context.cwd, given.transcript), flags)
    const rules: FileRules = { allowed: foldersOf(context), fileBytes: limits.fileBytes }
    const isLive = given.live || given.kubeconfig !== undefined || given.context !== undefined
    const settings = await webhookSettingsOf(given, context)
    const workspace = new Workspace({
      limits,
      flags,
      ...settings,
      seed: given.seed,
      scheduler: {},
      ports: {
        readFile: (file) => readAllowed(file, rules, context),
        ...(isLive ? { readLive: () => readLive(quiet(context), transcript?.snapshotPath()) } : {}),
        memoryBytes: () => process.memoryUsage.rss(),
      },
    })
    const server = new McpServer({
      workspace,
      startWork: (signal, tell) => realTimeWork(limits.timeoutMs, signal, tell),
      onDefect: (error) => context.stderr.write(`berth mcp: unexpected error: ${detailOf(error)}\n`),
      ...(transcript === undefined ? {} : { onCall: (call) => transcript.record(call) }),
    })
    if (given.from !== undefined) {
      workspace.take(await readNamed(given.from, rules, context))
      const record = { tool: 'open', arguments: { file: given.from }, result: { content: [] } }
      const effects = workspace.takeEffects()
      transcript?.prepare({ ...record, effects })
    }
    if (given.http === undefined) {
      await serveStdio(process.stdin, context.stdout.write, server, limits.messageBytes)
    } else await serveOnPort(given.http, context, server, limits)
    transcript?.close()
    await saveRecording(given, settings.webhooks, context)
    return exitCodes.done
  },
})

async function serveOnPort(port: number, context: Context, server: McpServer, limits: McpLimits): Promise<void> {
  const { options: given, stderr } = context
  const token = await tokenOf(context)
  const { port: bound, closed } = await serveHttp(
    {
      address: given.bindAddress,
      port,
      messageBytes: limits.messageBytes,
      server,
      token: token.value,
      allowedHosts: given.allowedHost.map((name) => name.toLowerCase()),
    },
    context.interruption(),
  ).catch((error: NodeJS.ErrnoException) => {
    throw wrongQuestion(`cannot listen on ${given.bindAddress}:${port}: ${error.code ?? error.message}`)
  })
  const isLoopback =
    given.bindAddress === '::1' || given.bindAddress === 'localhost' || /^127\./.test(given.bindAddress)
  const host = given.bindAddress.includes(':') ? `[${given.bindAddress}]` : given.bindAddress
  stderr.write(`berth mcp listens on http://${host}:${bound}${endpointPath}\n`)
  if (token.isNew) stderr.write(`Authorization: Bearer ${token.value}\n`)
  if (!isLoopback) stderr.write('warning: other machines can connect, and plain HTTP does not protect the token\n')
  await closed
}

async function tokenOf({
  options: given,
  files,
  cwd,
}: Context): Promise<{ readonly value: string; readonly isNew: boolean }> {
  if (given.tokenFile === undefined) return { value: randomBytes(32).toString('base64url'), isNew: true }
  const value = (await files.readText(resolve(cwd, given.tokenFile))).trim()
  if (!/^[\x21-\x7e]{16,}$/.test(value))
    throw wrongQuestion(`${given.tokenFile}: must have one token of at least 16 visible characters`)
  return { value, isNew: false }
}

function foldersOf({ options: given, cwd }: Context): readonly string[] {
  return given.allow.length === 0 ? defaultFolders(cwd) : given.allow.map((folder) => resolve(cwd, folder))
}

function limitsOf({ options: given }: Context): McpLimits {
  return {
    ...defaultLimits,
    forks: given.maxForks,
    memoryBytes: given.maxMemory * mib,
    advanceMs: given.maxAdvance,
    timeoutMs: given.timeout,
    answerTokens: given.maxAnswerTokens,
  }
}

/** A progress line on the terminal would mix with the protocol messages. */
function quiet(context: Context): Context {
  return { ...context, options: { ...context.options, from: undefined }, stderr: { ...context.stderr, isTTY: false } }
}

const detailOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
