import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ServerProcess } from './server-process.ts'

const isBuilt = existsSync('dist/cli.js')
const canTrace = spawnSync('strace', ['-o', '/dev/null', '-e', 'inject=fsync:error=EIO', 'true']).status === 0
const collection = '/api/v1/namespaces/default/configmaps'

it.skipIf(!isBuilt || !canTrace)(
  'a server whose disk cannot flush refuses writes, serves what is on disk, and recovers (needs a build and strace)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'berth-flush-'))
    const ends: string[] = []
    const server = new ServerProcess(join(folder, 'data'), join(folder, 'faults'), (why) => ends.push(why))
    const create = (name: string) =>
      server.request('POST', collection, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
    // The ConfigMap of the certificate authority comes from a controller, at any time.
    const names = async () =>
      (await server.request('GET', collection)).body.items
        .map((item: { metadata: { name: string } }) => item.metadata.name)
        .filter((name: string) => name !== 'kube-root-ca.crt')
    const readiness = async (code: number) => {
      for (;;) {
        const answer = await server.request('GET', '/readyz')
        if (answer.code === code) return answer.body
      }
    }
    try {
      await server.start()
      expect((await create('before')).code).toBe(201)
      const faults = ['-e', 'trace=fdatasync,fsync', '-e', 'inject=fdatasync,fsync:error=EIO', '-o', '/dev/null']
      const tracer = spawn('strace', ['-f', '-p', String(server.pid), ...faults], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      await once(tracer.stderr, 'data')
      const lost = await create('lost')
      expect(lost).toMatchObject({ code: 503, body: { reason: 'ServiceUnavailable' } })
      expect(await readiness(500)).toContain('[-]journal failed: the journal cannot be written')
      expect((await server.request('GET', '/livez')).body).toBe('ok')
      expect(await create('refused')).toMatchObject({ code: 503, isRetryable: true })
      expect(await names()).toEqual(['before'])
      tracer.kill('SIGINT')
      await once(tracer, 'close')
      await readiness(200)
      expect((await create('after')).code).toBe(201)
      expect(await names()).toEqual(['after', 'before'])
      await server.kill()
      await server.start()
      expect(await names()).toEqual(['after', 'before'])
      expect(ends).toEqual([])
    } finally {
      await server.kill()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
