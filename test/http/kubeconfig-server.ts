import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest'
import { VirtualClock } from '../../src/base/virtual-clock.ts'
import { HttpConnection, type ServerAccess } from '../../src/client/http-connection.ts'
import { type KubeconfigChoice, loadAccess } from '../../src/client/kubeconfig/load-access.ts'

export const start = Date.parse('2026-01-01T00:00:00Z')
export const minute = 60_000

/** A server that records the headers of each request. */
interface Door {
  readonly url: string
  readonly seen: IncomingHttpHeaders[]
  /** The accepted bearer tokens. Default: any. */
  allow: (token: string) => boolean
}

/** A server, a virtual clock and a folder for kubeconfigs, new for each test. */
export function useKubeconfigs() {
  const at = {} as { folder: string; clock: VirtualClock; door: Door }
  let server: Server
  beforeEach(async () => {
    at.folder = mkdtempSync(join(tmpdir(), 'berth-kubeconfig-'))
    at.clock = new VirtualClock(start)
    const seen: IncomingHttpHeaders[] = []
    server = createServer((incoming, outgoing) => {
      seen.push(incoming.headers)
      outgoing.writeHead(at.door.allow((incoming.headers.authorization ?? '').replace('Bearer ', '')) ? 200 : 401)
      outgoing.end('{}')
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    at.door = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, allow: () => true }
  })
  afterEach(() => {
    server.close()
    server.closeAllConnections()
    rmSync(at.folder, { recursive: true })
    vi.unstubAllEnvs()
  })

  const write = (name: string, content: string, mode = 0o600) => {
    const file = join(at.folder, name)
    writeFileSync(file, content)
    chmodSync(file, mode)
    return file
  }
  const configFor = (user: object, name = 'me') => ({
    'current-context': name,
    clusters: [{ name, cluster: { server: at.door.url } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  })
  const kubeconfig = (user: object, name = 'me') => write(`${name}.kubeconfig`, JSON.stringify(configFor(user, name)))
  const access = (choice: KubeconfigChoice) => loadAccess(choice, () => at.clock.now())
  const connect = (to: ServerAccess) => {
    const connection = new HttpConnection({
      access: to,
      clock: at.clock,
      userAgent: 't',
      timeoutMs: minute,
      maxSockets: 64,
    })
    onTestFinished(() => connection.close())
    return connection
  }
  /** The token that the server sees in a request. */
  const knock = async (connection: HttpConnection) => {
    const answer = await connection.exchange({ method: 'GET', path: '/' })
    if (answer.kind !== 'answer') return answer.kind === 'lost' ? answer.message : answer.kind
    return `${answer.code} ${(at.door.seen.at(-1)?.authorization ?? 'no token').replace('Bearer ', '')}`
  }
  const refusal = (choice: KubeconfigChoice) =>
    access(choice).then(
      () => 'accepted',
      (error: Error) => `${error.name}: ${error.message}`,
    )

  return Object.assign(at, { write, configFor, kubeconfig, access, connect, knock, refusal })
}
