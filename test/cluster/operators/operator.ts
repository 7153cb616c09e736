import { type ChildProcess, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type GoModule, unpack } from '../../envtest/go-module.ts'
import { launchLogged, logIn, type Place } from '../logged-places.ts'
import { eventually, freePort, stop } from '../real-parts.ts'

/** Sends a command to the API server; the answer is what kubectl prints. */
export type Kubectl = (args: readonly string[], input?: string) => string

/** The requirements of a program of another project that runs with an API server. */
export interface OperatorPlace {
  readonly kubectl: Kubectl
  /** For its files. */
  readonly folder: string
  readonly ports: { readonly webhook: number; readonly health: number; readonly metrics: number }
}

/** The command line of an operator, and its permissions. */
export interface OperatorCommand {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** NAMESPACE/NAME; absent: it is the administrator. */
  readonly serviceAccount?: string
}

/** A program with controllers that another project releases for any cluster. */
export interface Operator extends GoModule {
  /** The package of its program. */
  readonly program: string
  /** It ends if the API server does not state a version. */
  readonly readsVersion?: true
  /** A write that lost against its own earlier write, seen on both servers, but not in every run. */
  readonly race?: RegExp
  /** Creates its definitions and webhooks as its own manifests do. */
  install(place: OperatorPlace): OperatorCommand
  /** Called while it starts, in place of the kubelet of its pod. */
  mount?(place: OperatorPlace): Promise<void>
  /** The work of its controllers, from the creation of objects to their deletion. */
  work(kubectl: Kubectl): Promise<void>
}

const programOf = (operator: Operator): string => join(folderOf(operator), `${operator.name}.program`)

/** Builds the program from its Go module; the first time takes minutes. */
export function buildOperator(operator: Operator): void {
  unpack(operator)
  if (existsSync(programOf(operator))) return
  process.stderr.write(`building ${operator.name} ${operator.version} into ${folderOf(operator)}\n`)
  const args = ['build', '-buildvcs=false', '-o', programOf(operator), operator.program]
  execFileSync('go', args, { cwd: folderOf(operator), stdio: 'inherit' })
}

/** Installs the operator, runs it while it works, and stops it. Its output is in the folder of the place. */
export async function runOperator(operator: Operator, at: Place): Promise<void> {
  const folder = join(at.folder, operator.name)
  mkdirSync(folder, { recursive: true })
  const kubectl: Kubectl = (args, input = '') =>
    execFileSync('kubectl', ['--kubeconfig', at.kubeconfig, ...args], { encoding: 'utf8', input, stdio: 'pipe' })
  const ports = { webhook: await freePort(), health: await freePort(), metrics: await freePort() }
  const place = { kubectl, folder, ports }
  const { args, env, serviceAccount } = operator.install(place)
  const kubeconfig = serviceAccount === undefined ? at.kubeconfig : kubeconfigAs(serviceAccount, place)
  const variables = { ...process.env, ...env, KUBECONFIG: kubeconfig }
  const child = launchLogged(at, operator.name, programOf(operator), args, variables)
  try {
    await operator.mount?.(place)
    await eventually(
      `${operator.name} is ready`,
      () => readiness(child, ports.health),
      ({ ready }) => ready,
      120,
    )
    await operator.work(kubectl)
  } catch (error) {
    const last = logIn(at, operator.name).slice(-2000)
    throw new Error(`${operator.name} on ${at.folder}: ${(error as Error).message}\n${last}`, { cause: error })
  } finally {
    await stop(child)
  }
}

async function readiness(child: ChildProcess, port: number): Promise<{ readonly ready: boolean }> {
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`).then(
    (response) => response.ok,
    () => false,
  )
  return { ready }
}

/** The program has the permissions that its manifests give it. */
function kubeconfigAs(serviceAccount: string, { kubectl, folder }: OperatorPlace): string {
  const [namespace = '', name = ''] = serviceAccount.split('/')
  const token = kubectl(['create', 'token', name, '--namespace', namespace]).trim()
  const config = JSON.parse(kubectl(['config', 'view', '--raw', '--flatten', '-o', 'json'])) as {
    readonly contexts: readonly { readonly context: { readonly user: string } }[]
  }
  const users = [{ name: config.contexts[0]?.context.user, user: { token } }]
  const file = join(folder, 'kubeconfig')
  writeFileSync(file, JSON.stringify({ ...config, users }), { mode: 0o600 })
  return file
}

/**
 * Writes that lost against another write, and are tried again, and calls that end with the program. They are seen on both
 * servers, but not in every run.
 */
const races = /the object has been modified|context canceled|client rate limiter Wait returned an error/

interface Entry {
  readonly level?: string
  readonly logger?: string
  readonly msg?: string
  readonly message?: string
  readonly error?: string
}

/** The errors that an operator logged, without times, identities, ports and counts. */
export function loggedErrors(operator: Operator, place: Place): readonly string[] {
  const lines = logIn(place, operator.name).split('\n')
  const errors = lines.flatMap((line) => {
    // Those of client-go and of the Go runtime.
    if (/^[EF]\d{4} |^panic: |DATA RACE/.test(line)) return [line.replace(/^([EF])\S+ \S+\s+\d+ /, '$1 ')]
    if (!line.startsWith('{')) return []
    const { level = '', logger = '', msg, message, error = '' } = JSON.parse(line) as Entry
    return /^(error|dpanic|panic|fatal)$/i.test(level) ? [`${logger}: ${msg ?? message}: ${error}`] : []
  })
  const shown = errors
    .filter((line) => !races.test(line) && operator.race?.test(line) !== true)
    .map((line) =>
      line
        .replace(/:\d+\] /, '] ')
        .replace(/(127\.0\.0\.1|localhost):\d+/g, 'SERVER')
        .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID')
        .replace(/-[a-z0-9]{5}\b/g, '-NAME')
        .replace(/\d+(\.\d+)?(ms|s|µs)\b/g, 'TIME'),
    )
  return [...new Set(shown)].sort()
}
