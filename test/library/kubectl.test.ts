// The real kubectl with a served cluster in virtual time, and with berth as its plugin.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { createCluster } from '../../src/index.ts'
import { root } from '../tidy/project.ts'

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
const run = promisify(execFile)

describe.runIf(hasKubectl)('kubectl (skipped where it is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-library-kubectl-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder }

  test('creates, applies and deletes on a served cluster while its time stands still', async () => {
    const cluster = await createCluster({ nodes: 2 })
    const { kubeconfig } = await cluster.serve()
    writeFileSync(env.KUBECONFIG, kubeconfig)
    const kubectl = async (...args: readonly string[]) => (await run('kubectl', [...args], { env })).stdout
    const { now } = cluster
    await kubectl('create', 'deployment', 'web', '--image=nginx', '--replicas=3')
    expect(cluster.get('deployments', 'web')?.status?.readyReplicas).toBe(3)
    expect(await kubectl('get', 'pods', '-o', 'wide')).toMatch(/^(web-\S+ +1\/1 +Running +0 +0s .*\n){3}/m)
    const file = join(folder, 'settings.yaml')
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { a: b }\n')
    expect(await kubectl('apply', '-f', file)).toBe('configmap/settings created\n')
    expect(await kubectl('apply', '--server-side', '-f', file, '--force-conflicts')).toMatch(/serverside-applied/)
    expect(await kubectl('explain', 'deployment.spec.replicas')).toContain('FIELD: replicas <integer>')
    await kubectl('delete', 'deployment', 'web', '--wait=false')
    expect(cluster.get('deployments', 'web')).toBeUndefined()
    expect(cluster.now).toBe(now)
    await cluster.close()
  })

  test('runs berth as its plugin, and completes it', async () => {
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(join(root, 'bin/berth'), join(bin, 'kubectl-berth'))
    symlinkSync(join(root, 'bin/kubectl_complete-berth'), join(bin, 'kubectl_complete-berth'))
    const options = { env: { ...env, PATH: `${bin}:${process.env['PATH']}` } }
    expect((await run('kubectl', ['berth', '--version'], options)).stdout).toMatch(/^berth \d/)
    const { stdout } = await run('kubectl', ['__complete', 'berth', 'wha'], options)
    expect(stdout).toMatch(/^whatif\t/)
  })
})
