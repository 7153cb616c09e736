import { resolve } from 'node:path'
import { createRandom } from '../base/random.ts'
import { RealClock } from '../base/real-clock.ts'
import type { Client } from '../client/contract.ts'
import { createHttpClient } from '../client/http-client.ts'
import { HttpConnection, type ServerAccess } from '../client/http-connection.ts'
import { CredentialsError } from '../client/kubeconfig/credentials-error.ts'
import { loadAccess } from '../client/kubeconfig/load-access.ts'
import { runningCluster } from './cluster-files.ts'
import { type Ports, text, unreachable, wrongQuestion } from './command.ts'
import { defaultDataDir } from './control-plane-options.ts'

/** The options that select the cluster of a command. */
export const clusterOptions = {
  kubeconfig: text({
    summary: 'Kubeconfig of the cluster (default: the cluster of berth up, else $KUBECONFIG or ~/.kube/config)',
    value: 'FILE',
  }),
  context: text({ summary: 'Context in the kubeconfig', value: 'NAME' }),
  dataDir: text({ summary: 'Data directory of berth up', value: 'DIR', default: defaultDataDir }),
}

export interface ClusterChoice {
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly dataDir: string
}

export interface ClusterAccess {
  readonly server: string
  readonly client: Client
  /** Reads a non-resource path such as /debug/queue. Undefined: the server responds with 404 or a code of `absent`. */
  readonly read: (path: string, absent?: readonly number[]) => Promise<unknown>
  close(): void
}

export async function openCluster(
  choice: ClusterChoice,
  ports: Pick<Ports, 'files' | 'cwd' | 'env' | 'now'>,
): Promise<ClusterAccess> {
  const access = await findAccess(choice, ports)
  const clock = new RealClock()
  const client = createHttpClient({
    access,
    clock,
    random: createRandom('cli').stream('watch'),
    userAgent: 'berth',
    timeoutMs: 30_000,
  })
  const connection = new HttpConnection({ access, clock, userAgent: 'berth', timeoutMs: 30_000, maxSockets: 4 })
  return {
    server: access.server,
    client,
    read: async (path, absent = [404]) => {
      const answer = await connection.exchange({ method: 'GET', path })
      if (answer.kind !== 'answer')
        throw cannotReach(access.server, answer.kind === 'timeout' ? 'timed out' : answer.message)
      if (absent.includes(answer.code)) return undefined
      if (answer.code !== 200) throw unreachable(`${access.server}${path} returned ${answer.code}`)
      return JSON.parse(answer.body) as unknown
    },
    close: () => {
      client.close()
      connection.close()
    },
  }
}

export const cannotReach = (server: string, why: string) => unreachable(`cannot reach the cluster at ${server}: ${why}`)

/** @param otherwise Alternatives that the error lists if no cluster is found. */
export async function findAccess(
  choice: ClusterChoice,
  ports: Pick<Ports, 'files' | 'cwd' | 'now'>,
  otherwise: readonly string[] = [],
): Promise<ServerAccess> {
  const given = choice.kubeconfig === undefined ? undefined : resolve(ports.cwd, choice.kubeconfig)
  if (given !== undefined && (await ports.files.kindOf(given)) !== 'file')
    throw wrongQuestion(`${choice.kubeconfig}: no such kubeconfig`)
  const running =
    given === undefined && choice.context === undefined
      ? await runningCluster(ports.files, resolve(ports.cwd, choice.dataDir))
      : undefined
  const kubeconfig = given ?? running?.kubeconfig
  try {
    return await loadAccess(
      {
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(choice.context === undefined ? {} : { context: choice.context }),
      },
      ports.now,
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    if (error instanceof CredentialsError) throw unreachable(`no credentials: ${why}`)
    if (choice.kubeconfig !== undefined) throw wrongQuestion(`${choice.kubeconfig}: ${why}`)
    if (choice.context !== undefined) throw wrongQuestion(why)
    const ways = ['start one with berth up', ...otherwise, 'or pass one with --kubeconfig']
    throw wrongQuestion(`no cluster: ${why}: ${ways.join(', ')}`)
  }
}
