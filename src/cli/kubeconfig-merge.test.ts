import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { mergeKubeconfig } from './kubeconfig-merge.ts'
import { realPorts } from './ports.ts'
import { parseDocuments } from './yaml.ts'

const folder = mkdtempSync(join(tmpdir(), 'berth-merge-'))
afterAll(() => rmSync(folder, { recursive: true }))

const config = (name: string, server: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token: 't' } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  })

const read = (path: string) =>
  parseDocuments(readFileSync(path, 'utf8'), path)[0]?.value as {
    readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[]
    readonly 'current-context': string
  }

describe('merging a kubeconfig', () => {
  it('adds the cluster once, and makes it the current context', async () => {
    const { files } = realPorts()
    const path = join(folder, 'config')
    writeFileSync(path, config('prod', 'https://prod'))
    await mergeKubeconfig(files, path, config('berth', 'https://127.0.0.1:1'))
    await mergeKubeconfig(files, path, config('berth', 'https://127.0.0.1:2'))
    const merged = read(path)
    expect(merged.clusters.map(({ name, cluster }) => `${name} ${cluster.server}`)).toEqual([
      'prod https://prod',
      'berth https://127.0.0.1:2',
    ])
    expect(merged['current-context']).toBe('berth')
  })

  it('creates a missing kubeconfig that only its owner can read', async () => {
    const path = join(folder, 'new', 'config')
    await mergeKubeconfig(realPorts().files, path, config('berth', 'https://127.0.0.1:1'))
    expect(read(path).clusters).toHaveLength(1)
    expect(statSync(path).mode & 0o077).toBe(0)
  })
})
