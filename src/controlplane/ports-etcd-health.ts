import { createServer } from 'node:http'

/** Serves etcd's /health and /version on these addresses. Returns a function that stops it. */
export async function serveEtcdHealth(urls: readonly string[], version: string): Promise<() => Promise<void>> {
  const servers = urls.map((text) => {
    const { hostname, port } = new URL(text)
    const server = createServer((request, response) => {
      const body = answers.get(request.url ?? '')?.(version)
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(body ?? '404 page not found\n')
    })
    return { server, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
  })
  await Promise.all(
    servers.map(
      ({ server, host, port }) =>
        new Promise<void>((done, fail) => {
          server.once('error', fail)
          server.listen(port, host, done)
        }),
    ),
  )
  return async () => {
    await Promise.all(
      servers.map(
        ({ server }) =>
          new Promise<void>((done) => {
            server.close(() => done())
            server.closeAllConnections()
          }),
      ),
    )
  }
}

const answers: ReadonlyMap<string, (version: string) => string> = new Map([
  ['/health', () => '{"health":"true","reason":""}'],
  ['/version', (version: string) => `{"etcdserver":"${version}","etcdcluster":"${version.replace(/\.\d+$/, '.0')}"}`],
])
