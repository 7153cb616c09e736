import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/base/log.ts'
import { RealClock } from '../../src/base/real-clock.ts'
import { type ApiProcess, startApiProcess } from '../../src/controlplane/api-process.ts'

const kubectl = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' }).status === 0
const run = promisify(execFile)

// The transcript was recorded with the real kube-apiserver v1.36.4 and kubectl v1.32.
describe.runIf(kubectl)('kubectl with the API server of berth (skipped where kubectl is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-kubectl-'))
  const kubeconfig = join(folder, 'kubeconfig')
  let api: ApiProcess
  beforeAll(async () => {
    api = await startApiProcess({ host: '127.0.0.1', port: 0, clock: new RealClock(), log: silentLogger })
    writeFileSync(kubeconfig, api.kubeconfig)
  })
  afterAll(async () => {
    await api.close()
    rmSync(folder, { recursive: true })
  })

  it('prints the same as against the real API server', { timeout: 120_000 }, async () => {
    const script = resolve('test/golden/transcript.mjs')
    const { stdout } = await run(process.execPath, [script, 'kubectl'], {
      env: { ...process.env, KUBECONFIG: kubeconfig, HOME: folder },
    })
    expect(stdout).toBe(readFileSync('test/golden/kubectl-transcript.txt', 'utf8'))
  })
})
