// The tests of examples/operator, unchanged, on `berth apiserver`.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe } from 'vitest'
import { rotationTests } from '../../examples/operator/rotation-suite.ts'
import { serverEnvironment } from '../../examples/operator/server-environment.ts'
import { root } from '../tidy/project.ts'

describe('the example operator on berth apiserver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-operator-'))
  const kubeconfig = join(folder, 'kubeconfig')
  let server: ChildProcess
  beforeAll(async () => {
    const args = ['apiserver', '--ephemeral', '--port', '0', '--kubeconfig', kubeconfig]
    server = spawn(process.execPath, [join(root, 'bin/berth'), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise<void>((ready, failed) => {
      server.stdout?.on('data', (text) => String(text).includes('ready at') && ready())
      server.once('exit', (code) => failed(new Error(`berth apiserver ended with ${code}`)))
    })
  })
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })

  rotationTests(() => {
    const config = new KubeConfig()
    config.loadFromFile(kubeconfig)
    return serverEnvironment(config)
  })
})
