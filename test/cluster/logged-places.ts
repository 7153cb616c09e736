import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseJson } from '../../src/base/exact-json.ts'
import { buildParts, clusterRelease, freePort, partFile, startRealCluster, stop } from './real-parts.ts'

export const loggedParts = ['kube-controller-manager', 'kube-scheduler'] as const

/** An API server whose clients write logs. */
export interface Place {
  readonly kubeconfig: string
  readonly folder: string
  /** The key that signs tokens of service accounts, and the authority of the server. */
  readonly key: string
  readonly authority: string
}

/** kube-apiserver and `berth apiserver`, for the same clients one after the other or at the same time. */
export interface TwoPlaces {
  readonly real: Place
  readonly ours: Place
  close(): Promise<void>
}

export async function startTwoPlaces(): Promise<TwoPlaces> {
  buildParts()
  const cluster = await startRealCluster({ apiServer: { 'disable-admission-plugins': 'DefaultStorageClass' } })
  const at = (name: string) => join(cluster.folder, name)
  const folder = mkdtempSync(join(tmpdir(), 'berth-logs-'))
  const server = startServer(folder)
  const close = async () => {
    await stop(server)
    await cluster.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await readiness(server)
  } catch (error) {
    await close()
    throw error
  }
  return {
    real: { kubeconfig: cluster.kubeconfig, folder: cluster.folder, key: at('sa.key'), authority: at('ca.crt') },
    ours: placeIn(folder),
    close,
  }
}

const dataOf = (folder: string) => join(folder, 'data')

function startServer(folder: string) {
  const args = ['apiserver', '--data-dir', dataOf(folder), '--port', '0', '--authorization-mode', 'RBAC']
  const release = ['--kubernetes-version', clusterRelease.minor, '--service-cluster-ip-range', '10.96.0.0/16']
  // kube-controller-manager runs the others.
  const own = ['--controllers', 'flow-schema-status,serviceaccount,root-ca-cert-publisher']
  return spawn(process.execPath, [resolve('bin/berth'), ...args, ...release, ...own], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function readiness(server: ReturnType<typeof startServer>): Promise<void> {
  return new Promise<void>((done, fail) => {
    server.stdout.on('data', (text) => String(text).includes('ready at') && done())
    server.once('exit', () => fail(new Error('berth apiserver ended')))
  })
}

function placeIn(folder: string): Place {
  const kubeconfig = join(dataOf(folder), 'kubeconfig')
  const { clusters } = parseJson(readFileSync(kubeconfig, 'utf8')) as {
    readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }]
  }
  const authority = join(folder, 'ca.crt')
  writeFileSync(authority, Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64'))
  return { kubeconfig, folder, key: join(dataOf(folder), 'sa.key'), authority }
}

/** A program whose output goes to NAME.log in the folder of the place. */
export function launchLogged(
  { folder }: Place,
  name: string,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess {
  const out = openSync(logOf(folder, name), 'w')
  const child = spawn(file, args, { stdio: ['ignore', out, out], cwd: folder, env })
  closeSync(out)
  return child
}

const logOf = (folder: string, name: string) => join(folder, `${name}.log`)

export const logIn = ({ folder }: Place, name: string): string => readFileSync(logOf(folder, name), 'utf8')

/** kube-controller-manager and kube-scheduler. */
export async function startParts(place: Place): Promise<readonly ChildProcess[]> {
  const { kubeconfig, key, authority } = place
  return Promise.all(
    loggedParts.map(async (part) => {
      const port = await freePort()
      const own =
        part === 'kube-controller-manager'
          ? [
              '--use-service-account-credentials',
              '--service-account-private-key-file',
              key,
              '--root-ca-file',
              authority,
            ]
          : []
      const all = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'].map(
        (name) => `--${name}=${kubeconfig}`,
      )
      const more = ['--bind-address=127.0.0.1', `--secure-port=${port}`, '--leader-elect=false', ...own]
      return launchLogged(place, part, partFile(part), [...all, ...more])
    }),
  )
}
